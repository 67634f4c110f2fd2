"""
The door to the event log for whoever has something to tell.

The log itself takes out what may not be kept, so that no face of the product has to remember to.
"""

import os
from collections.abc import Mapping
from typing import Any

from prowess.core.ports import Clean, Log
from prowess.settings import Settings


def open_log_of(settings: Settings, environment: Mapping[str, str] = os.environ) -> Log:
    """The log of these settings, whose events are kept without secrets and personal data."""
    from prowess.observe.opening import open_log

    return open_log(settings.log_place, clean=cleaner(settings, environment))


def cleaner(settings: Settings, environment: Mapping[str, str]) -> Clean:
    """Takes secrets out of JSON, always, and personal data unless the settings keep it."""
    known: tuple[str, ...] | None = None

    def clean(payload: dict[str, Any]) -> dict[str, Any]:
        nonlocal known
        from prowess.permit.redact import known_secrets, redact  # not for who only reads

        if known is None:
            known = tuple(known_secrets(environment))
        personal = settings.privacy_personal_data == "remove"
        return redact(payload, personal=personal, known=known)

    return clean
