"""What became of tests that were there: gone, moved, skipped, altered, or not run."""

from collections.abc import Collection, Mapping, Sequence

from prowess.check.judges.touched import Touched
from prowess.check.kept.kept_tests import altered
from prowess.check.kept.known_tests import is_test, lost_tests, more_skips
from prowess.check.kept.moved_tests import Moved, changed_on_the_way, moved_tests, stayed_tests

ALTERED = "tests that were there were altered"
ALLOWED = f"{ALTERED}, as the task lets them be"


def weakened(
    before: Mapping[str, str],
    now: Mapping[str, str],
    *,
    free: Collection[str],
    kept: Collection[str],
) -> list[Touched]:
    """What became of the tests in files that were there: gone, moved, skipped, altered, or not run."""
    old, new = _of(before, free), {path: now[path] for path in now if is_test(path)}
    moved = moved_tests({path: before.get(path, "") for path in new} | old, new, sources=free)
    watched = {path: text for path, text in old.items() if path in kept}
    found = [weaker(f"the test {name} is gone") for name in lost_tests(watched, new)]
    found += [
        _altered_on_the_way(each)
        if each.source in kept and changed_on_the_way(each, before, now)
        else Touched(what=str(each), unless=each)
        for each in moved
    ]
    for path in free:
        text = now.get(path, "")
        if more_skips(path, old[path], text):
            found.append(weaker(f"{path} skips more tests than before"))
        if path in kept and path in now:
            mine = [each for each in moved if each.source == path]
            elsewhere = "\n".join(now[to] for each in mine for to in each.to)
            names = altered(
                path, old[path], text, moved={each.name for each in mine}, elsewhere=elsewhere
            )
            found += [weaker(f"{path} alters {name}", path) for name in names]
    return [*found, *(Touched(what=str(each), unless=each) for each in stayed_tests(old, now))]


def weaker(what: str, path: str = "") -> Touched:
    """With the path of a file that can be put back, to see whether what was done to it made a difference."""
    return Touched(what=what, path=path, weakens=True)


def _altered_on_the_way(test: Moved) -> Touched:
    return weaker(f"the test {test.name} is altered where it moved to, {test.to[0]}")


def allowed(
    before: Mapping[str, str], now: Mapping[str, str], forbidden: Sequence[Touched]
) -> list[str]:
    """What became of tests that were there because the task lets it: all but what is `forbidden`."""
    there = [path for path in before if is_test(path)]
    told = {each.what for each in forbidden}
    found = weakened(before, now, free=there, kept=there)
    return [each.what for each in found if each.weakens and each.what not in told]


def _of(texts: Mapping[str, str], paths: Collection[str]) -> dict[str, str]:
    return {path: texts[path] for path in paths if path in texts}
