"""The settings an author may write: each is read as meant, or told to be wrong with what is allowed."""

import pytest

from prowess.core.execution import Execution, WrongSetting, read_execution, seconds

RIGHT = [
    ({"execution_mode": "simple"}, Execution(mode="simple")),
    ({"execution_mode": "autonomous"}, Execution()),
    ({"max_iterations": 1}, Execution(max_iterations=1)),
    ({"max_iterations": "20"}, Execution(max_iterations=20)),
    ({"max_iterations": 1000}, Execution(max_iterations=1000)),
    ({"max_retries_per_tool": 0}, Execution(max_retries_per_tool=0)),
    ({"max_retries_per_tool": 100}, Execution(max_retries_per_tool=100)),
    ({"timeout_per_iteration": "1.5s"}, Execution(timeout_per_iteration=1.5)),
    ({"timeout_per_iteration": 30}, Execution(timeout_per_iteration=30.0)),
    ({"early_termination": False}, Execution(early_termination=False)),
    ({"early_termination": "no"}, Execution(early_termination=False)),
    ({"early_termination": "yes"}, Execution(early_termination=True)),
    ({"model": " haiku "}, Execution(model="haiku")),
    ({"context": "fork"}, Execution(fork=True)),
    ({"context": "inline"}, Execution(fork=False)),
    ({"agent": "Explore"}, Execution(agent="Explore")),
]

WRONG = [
    ("execution_mode", "fast", "use autonomous (the default) or simple"),
    ("execution_mode", ["simple"], "use autonomous (the default) or simple"),
    ("execution_mode", None, "use autonomous (the default) or simple"),
    ("max_iterations", 0, "use a whole number from 1 to 1000"),
    ("max_iterations", 1001, "use a whole number from 1 to 1000"),
    ("max_iterations", -1, "use a whole number from 1 to 1000"),
    ("max_iterations", 2.5, "use a whole number from 1 to 1000"),
    ("max_iterations", True, "use a whole number from 1 to 1000"),
    ("max_iterations", "many", "use a whole number from 1 to 1000"),
    ("max_iterations", "²", "use a whole number from 1 to 1000"),
    ("max_iterations", [], "use a whole number from 1 to 1000"),
    ("max_retries_per_tool", -1, "use a whole number from 0 to 100"),
    ("max_retries_per_tool", 101, "use a whole number from 0 to 100"),
    ("timeout_per_iteration", "soon", "use a time such as 500ms, 30s, 1.5s or 2m, at most 24h"),
    ("early_termination", "perhaps", "use true or false"),
    ("early_termination", 2, "use true or false"),
    ("early_termination", None, "use true or false"),
    ("model", "", "use a name, as text"),
    ("model", "  ", "use a name, as text"),
    ("model", 4, "use a name, as text"),
    ("context", "spoon", "use fork, or leave the field out"),
    ("context", {"fork": True}, "use fork, or leave the field out"),
    ("agent", ["Explore"], "use a name, as text"),
]


def test_a_skill_that_says_nothing_leaves_all_to_the_platform() -> None:
    execution, wrong = read_execution({})

    assert wrong == []
    assert execution.mode == "autonomous"
    assert execution.early_termination
    assert not execution.fork
    assert execution.max_iterations is None
    assert execution.max_retries_per_tool is None
    assert execution.timeout_per_iteration is None
    assert execution.model is None
    assert execution.agent is None


@pytest.mark.parametrize(("fields", "meant"), RIGHT)
def test_a_setting_is_read_as_meant(fields: dict[str, object], meant: Execution) -> None:
    assert read_execution(fields) == (meant, [])


@pytest.mark.parametrize(("field", "value", "hint"), WRONG)
def test_a_wrong_setting_is_told_with_what_is_allowed(field: str, value: object, hint: str) -> None:
    execution, wrong = read_execution({field: value})

    assert execution == Execution()
    assert wrong == [WrongSetting(field=field, message=f"{field} is {value!r}", hint=hint)]


def test_all_wrong_settings_are_told_at_once_by_name_and_the_right_ones_count() -> None:
    execution, wrong = read_execution(
        {
            "model": 4,
            "max_iterations": 0,
            "agent": "Plan",
            "context": "x",
            "execution_mode": "simple",
        }
    )

    assert [each.field for each in wrong] == ["context", "max_iterations", "model"]
    assert execution == Execution(mode="simple", agent="Plan")


def test_fields_that_are_not_about_running_are_ignored() -> None:
    assert read_execution({"name": "x", "license": 4, "colour": []}) == (Execution(), [])


def test_a_number_of_thousands_of_digits_is_told_like_any_other_that_is_too_large() -> None:
    _, [wrong] = read_execution({"max_iterations": "9" * 5_000})

    assert wrong.hint == "use a whole number from 1 to 1000"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("500ms", 0.5),
        ("30s", 30.0),
        ("1.5s", 1.5),
        ("2m", 120.0),
        ("24h", 86_400.0),
        (" 30s ", 30.0),
        ("30", 30.0),
        (30, 30.0),
        (0.25, 0.25),
    ],
)
def test_a_time_is_a_number_with_its_unit_and_a_bare_number_is_seconds(
    written: object, meant: float
) -> None:
    assert seconds(written) == pytest.approx(meant)


@pytest.mark.parametrize(
    "written",
    [
        *[
            "",
            "0",
            "0s",
            "-1s",
            "25h",
            "1441m",
            "s",
            "1 s",
            "1d",
            "1e3s",
            ".5s",
            "٣s",
            "inf",
            "nan",
        ],
        *["1s2", "9" * 400, None, True, False, [], 86_401],
    ],
)
def test_what_is_no_time_or_none_we_would_wait_for_is_refused(written: object) -> None:
    with pytest.raises(ValueError, match="a time such as 500ms"):
        seconds(written)


def test_the_settings_are_shown_as_json() -> None:
    execution = Execution(mode="simple", max_iterations=3, fork=True)

    assert execution.as_json() == {
        "mode": "simple",
        "max_iterations": 3,
        "max_retries_per_tool": None,
        "timeout_per_iteration": None,
        "early_termination": True,
        "model": None,
        "fork": True,
        "agent": None,
    }
