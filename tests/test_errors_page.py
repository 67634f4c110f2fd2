"""Every error tells what to do next, and the page that lists them is up to date."""

from errors_page import PAGE, every_error, page

# Nothing can be done about these, or the message says it itself.
WITHOUT_HINT = frozenset(
    {
        "the run … broke: …",
        "the run … was cancelled",
        "the run … has ended and waits for no answer",
        "the run … and cannot be paused",
        "the run … is not interrupted",
        "the run … has ended: …",
        "… is not run: skills are … deep already",
        "… broke off in the middle of its reply",
        "… is for models only",
        "this is for …, and your token is …",
        "Invalid role: …. Must be one of: …",
        "… cannot be read: …",
        "… cannot call tools: …",
        "there is no …: a part of the path is a file, not a folder",
        "Reload is not supported by these skills",
    }
)


def test_every_error_says_what_to_do_next() -> None:
    silent = [each for each in every_error() if not each.hint]

    assert [each.where for each in silent if each.message not in WITHOUT_HINT] == []


def test_the_page_of_errors_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python tests/errors_page.py"


def test_an_error_is_listed_with_its_words_its_hint_and_its_codes() -> None:
    told = next(each for each in every_error() if each.message == "the run … asks nothing")

    assert told.part == "cli"
    assert told.hint == "`prowess runs show` tells how it stands"
    assert told.told_as == (2, 400, "VALIDATION_ERROR")


def test_errors_of_the_server_alone_and_of_settings_that_a_stage_reads_are_listed_too() -> None:
    told = {each.message: (each.told_as, each.part) for each in every_error()}

    assert told["a token is needed"] == ((None, 401, "UNAUTHORIZED"), "serve")
    assert told["…: there is no setting …"] == ((2, 400, "VALIDATION_ERROR"), "tools")
