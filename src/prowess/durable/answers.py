"""
Answers on their way to a run: a question takes one, the first, and whoever comes later is told so.

An answer lies with the run from the moment it is sent, also while nobody works on the run.
"""
# ruff: noqa: S608  every name in a statement is our own; values are bound

import sqlalchemy as sa
from dbos import DBOS

from prowess.durable.kept import pack
from prowess.durable.patience import patiently
from prowess.durable.settling import in_thread


async def send(database: sa.Engine, run: str, question: str, answer: str) -> bool:
    """Whether this is the answer; of two that come at the very same time the database keeps one."""
    if await is_sent(database, run, question):
        return False
    await DBOS.send_async(run, pack(answer), question, idempotency_key=question)
    return True


async def is_sent(database: sa.Engine, run: str, question: str) -> bool:
    return await in_thread(patiently(_is_sent), database, run, question)


def _is_sent(database: sa.Engine, run: str, question: str) -> bool:
    schema = "dbos." if database.dialect.name == "postgresql" else ""
    query = f"select 1 from {schema}notifications where destination_uuid = :run and topic = :question limit 1"
    with database.connect() as connection:
        found = connection.execute(sa.text(query), {"run": run, "question": question})
        return found.first() is not None
