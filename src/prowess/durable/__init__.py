"""Runs that outlive their process. Nothing outside this package knows the library they stand on."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from prowess.core.ports import Body

if TYPE_CHECKING:
    from prowess.durable.engine import DurableEngine

__all__ = ["open_engine"]


def open_engine(
    database: str, bodies: Mapping[str, Body]
) -> "AbstractAsyncContextManager[DurableEngine]":
    """See `prowess.durable.opening`; who needs no engine does not load the library it stands on."""
    from prowess.durable.opening import open_engine as opened

    return opened(database, bodies)
