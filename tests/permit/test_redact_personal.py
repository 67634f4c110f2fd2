"""Personal data goes when its arithmetic or its label says so; other numbers stay."""

from typing import Any

import pytest

from prowess.permit.redact import redact

PERSONAL = [
    ("sam.oc@acme-mail.com", "email"),
    ("ana+tk@sub.acme.co.uk", "email"),
    ("jörg@beispiel.de", "email"),
    ("sam.oc%40acme-mail.com", "email"),
    ("(329) 589-7858", "phone"),
    ("329-589-7858", "phone"),
    ("+1 329 589 7858", "phone"),
    ("+49151123920690", "phone"),
    ("+44 20 7946 0958", "phone"),
    ("06 12 34 56 78", "phone"),
    ("462-27-5662", "id"),
    ("529.982.247-25", "id"),
    ("12345678Z", "id"),
    ("RSSMRA85T10A562S", "id"),
    ("756.1234.5678.97", "id"),
    ("4500575984295616", "card"),
    ("5211-3944-9185-5459", "card"),
    ("3744 735419 69967", "card"),
    ("DE10871291240547405302", "iban"),
    ("GB32 NWBK 8179 8978 1004 03", "iban"),
    ("NL91 ABNA 0417 1643 00", "iban"),
]


@pytest.mark.parametrize("around", ["value: {} next", "{}", '"{}"', "<{}>", "({}),"])
@pytest.mark.parametrize(("value", "what"), PERSONAL, ids=[value for value, _ in PERSONAL])
def test_a_persons_data_becomes_its_placeholder(value: str, what: str, around: str) -> None:
    assert redact(around.format(value)) == around.format(f"[{what}]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("phone: 5551234567", "phone: [phone]"),
        ("SSN 462275662", "SSN [id]"),
        ("dob: 1990-04-12", "dob: [date of birth]"),
        ("client_ip=203.0.113.9", "client_ip=[ip]"),
        ('203.0.113.9 - - [10/Oct/2000:13:55:36 -0700] "GET /"', '[ip] - - [10/Oct/2000:13:55:36 -0700] "GET /"'),
        ("2026 4500 5759 8429 5616", "2026 [card]"),
    ],
)  # fmt: skip
def test_a_label_or_a_place_says_what_a_number_is(text: str, expected: str) -> None:
    assert redact(text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"phoneNumber": 5551234567}, {"phoneNumber": "[phone]"}),
        ({"users": [{"ssn": "462275662"}]}, {"users": [{"ssn": "[id]"}]}),
        ({"n": 4500575984295616}, {"n": "[card]"}),
        ({"a@b.co": 1, "c@d.co": 2}, {"[email]": 1, "[email]'": 2}),
    ],
)
def test_personal_data_goes_from_json(value: Any, expected: Any) -> None:
    assert redact(value) == expected


@pytest.mark.parametrize(
    "text",
    [
        "no 4500575984295617",
        "DE00871291240547405302",
        "000-12-3456 and 100-200-3000",
        "build 4567890123",
        "1718000000 1718000000000 1718000000000000",
        "isbn 978-3-16-148410-0",
        "v1.2.3 2026-01-02 10:20:30",
        "6000b50b-fe1c-42fb-abb5-40ba620de14d",
        "00:1A:2B:3C:4D:5E 01-23-45-67-89-ab",
        "192.168.1.10:8080 10.15.7.1",
        "git@github.com:org/repo.git",
        "ssh://git@github.com/org/repo.git",
        "deploy@server.example.com:/var/www",
        "ssh deploy@prod.example.com uptime",
        "react@18.2.0 @types/node@18.0.1 actions/checkout@v4",
        "lodash@4.17.21-beta.rc",
        "image@2x.png",
        "user@localhost user@host.local",
        "0.4500575984295616",
        "cell 5 of the notebook",
    ],
)
def test_a_number_that_is_nobodys_stays(text: str) -> None:
    assert redact(text) == text


def test_either_class_can_stay() -> None:
    text = "token=hunter2x9 for bob@example.com"

    assert redact(text, personal=False) == "token=[secret] for bob@example.com"
    assert redact(text, secrets=False) == "token=hunter2x9 for [email]"
