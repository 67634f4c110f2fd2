"""The figures of a comparison as bars: for a terminal, and as a picture that stands alone."""

from collections.abc import Iterator, Sequence
from html import escape

from prowess.check.compare.comparison import Figure

_WIDTH = 24  # characters of the longest bar
_ROW, _BAR, _LEFT, _SPAN = 52, 16, 210, 360
_COLOURS = ("#7a8699", "#2f6fdb", "#3a9d6e", "#b5651d")


def shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2f}"  # noqa: PLR2004


def bars(figures: Sequence[Figure], ways: Sequence[str]) -> str:
    """A bar for each way beneath each figure, as long as its share of the larger one."""
    wide = max(len(way) for way in ways)
    lines = []
    for figure in figures:
        lines.append(figure.name)
        for way, value, share in zip(ways, figure.values, _shares(figure), strict=True):
            bar = "█" * round(share * _WIDTH)
            lines.append(f"  {way:<{wide}}  {bar:<{_WIDTH}}  {shown(value)}".rstrip())
    return "\n".join(lines)


def svg(figures: Sequence[Figure], ways: Sequence[str], *, title: str) -> str:
    """The same as SVG, with the numbers in it as text."""
    height = 70 + len(figures) * _ROW
    look = 'font-family="system-ui, sans-serif" font-size="13" fill="#1c2430"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 {height}" role="img" {look}>',
        f"<title>{escape(title)}</title>",
        f'<rect width="680" height="{height}" fill="#ffffff"/>',
        f'<text x="16" y="26" font-size="16" font-weight="600">{escape(title)}</text>',
        *_legend(ways),
    ]
    for number, figure in enumerate(figures):
        parts += _group(figure, 70 + number * _ROW)
    return "\n".join((*parts, "</svg>", ""))


def _legend(ways: Sequence[str]) -> Iterator[str]:
    for number, way in enumerate(ways):
        x = 16 + number * 150
        yield f'<rect x="{x}" y="40" width="12" height="12" fill="{_colour(number)}"/>'
        yield f'<text x="{x + 18}" y="51">{escape(way)}</text>'


def _group(figure: Figure, top: int) -> Iterator[str]:
    yield f'<text x="16" y="{top + 15}">{escape(figure.name)}</text>'
    yield f'<text x="16" y="{top + 31}" font-size="11" fill="#5b6676">{escape(figure.unit)}</text>'
    for number, (value, share) in enumerate(zip(figure.values, _shares(figure), strict=True)):
        y, width = top + 2 + number * (_BAR + 2), round(share * _SPAN, 1)
        yield f'<rect x="{_LEFT}" y="{y}" width="{width}" height="{_BAR}" fill="{_colour(number)}"/>'
        yield f'<text x="{_LEFT + width + 8:g}" y="{y + 13}">{escape(shown(value))}</text>'


def _shares(figure: Figure) -> list[float]:
    most = max((value for value in figure.values if value), default=0.0)
    return [(value or 0.0) / most if most else 0.0 for value in figure.values]


def _colour(number: int) -> str:
    return _COLOURS[number % len(_COLOURS)]
