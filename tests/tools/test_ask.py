"""Questions to people, as a model puts them."""

from collections.abc import Callable

from prowess.core.chat import Observation
from prowess.core.run import Question

Act = Callable[..., Observation]


def test_a_question_reaches_a_person_and_the_answer_the_model(act: Act) -> None:
    asked: list[Question] = []

    async def ask(question: Question) -> str | None:
        asked.append(question)
        return "blue"

    seen = act(
        "Ask", question="Which?", options=["red", "blue"], default="red", _place={"ask": ask}
    )

    assert seen.text == "blue"
    assert asked == [Question(id="", prompt="Which?", options=("red", "blue"), default="red")]


def test_other_words_for_a_question_are_understood(act: Act) -> None:
    async def ask(question: Question) -> str | None:
        return f"{question.prompt} {question.options}"

    seen = act("AskUserQuestion", prompt="Which?", choices='["a", "b"]', _place={"ask": ask})

    assert seen.text.startswith("Which? ('a', 'b')")


def test_a_model_that_nobody_answers_decides_for_itself(act: Act) -> None:
    async def nobody(question: Question) -> str | None:
        return None

    seen = act("Ask", question="Which?", _place={"ask": nobody})

    assert not seen.ok
    assert "Decide sensibly" in seen.text


def test_an_empty_answer_is_an_answer(act: Act) -> None:
    async def shrug(question: Question) -> str | None:
        return ""

    seen = act("Ask", question="Which?", _place={"ask": shrug})

    assert seen.ok
    assert "left empty" in seen.text
