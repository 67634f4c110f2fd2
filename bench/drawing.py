"""
Bars as SVG: plain text that a page shows, small enough to be kept beside it.

Lengths are in proportion to the numbers, from zero. What is ours has a colour, everything else is grey.
"""

from html import escape

from table import Plot, number

_WIDTH, _NAME, _ROW, _TOP = 640, 230, 22, 34
_LABEL = 96  # room for a number behind the longest bar
_OURS, _OTHERS = "#2563eb", "#9ca3af"


def svg(plot: Plot) -> str:
    plots = (plot, *plot.beside)
    height = sum(map(_height, plots))
    parts = [_part(each, sum(map(_height, plots[:place]))) for place, each in enumerate(plots)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
        f'height="{height}" font-family="system-ui, sans-serif" font-size="12" role="img">\n'
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>\n'
        f"{''.join(parts)}</svg>\n"
    )


def _height(plot: Plot) -> int:
    return _TOP + _ROW * len(plot.bars) + 8


def _part(plot: Plot, top: int) -> str:
    longest = max([*plot.bars.values(), 0.0]) or 1.0
    title = f"{plot.title}, {plot.unit}" if plot.unit else plot.title
    rows = [
        _row(top + _TOP + at * _ROW, name, value, value / longest)
        for at, (name, value) in enumerate(plot.bars.items())
    ]
    return (
        f'<text x="8" y="{top + 20}" font-size="13" font-weight="600" fill="#111827">{escape(title)}</text>\n'
        f"{''.join(rows)}"
    )


def _row(top: int, name: str, value: float, share: float) -> str:
    length = max(1.0, share * (_WIDTH - _NAME - _LABEL))
    colour = _OURS if "prowess" in name or name == "ours" else _OTHERS
    return (
        f'<text x="{_NAME - 8}" y="{top + 14}" text-anchor="end" fill="#374151">{escape(name)}</text>'
        f'<rect x="{_NAME}" y="{top + 3}" width="{length:.1f}" height="15" rx="2" fill="{colour}"/>'
        f'<text x="{_NAME + length + 6:.1f}" y="{top + 14}" fill="#374151">{number(value)}</text>\n'
    )
