"""
What we ask of the database ourselves outlasts a restart of its server, as all that the library asks does.

By an inner door of the library, apart from the others: who only looks at runs need not load it.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def patiently(ask: Callable[P, T]) -> Callable[P, T]:
    """`ask`, asked again for as long as the server of the database is away."""
    from dbos._sys_db import db_retry

    return db_retry(initial_backoff=0.1, max_backoff=2.0)(ask)
