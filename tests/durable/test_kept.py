"""What cannot be kept is refused in words."""

import pytest

from prowess.core.errors import OutsideError
from prowess.durable.kept import pack, pack_error, unpack


def nested(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


def test_a_result_that_is_nested_too_deep_is_refused_in_words() -> None:
    with pytest.raises(OutsideError, match="nested too deep"):
        pack(nested(50_000))


def test_a_kept_result_that_is_nested_too_deep_is_refused_in_words() -> None:
    with pytest.raises(OutsideError, match="nested too deep"):
        unpack('{"value":' + 50_000 * "[" + 50_000 * "]" + "}")


def test_an_error_that_holds_what_is_nested_too_deep_is_kept_as_its_words() -> None:
    error = OutsideError("on purpose")
    vars(error)["found"] = nested(50_000)

    with pytest.raises(OutsideError, match="on purpose"):
        unpack(pack_error(error))
