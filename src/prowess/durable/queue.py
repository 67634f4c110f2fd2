"""
The queue of runs that wait for a process to work on them, shared by all processes of a database.

Where a run stands is told by the library's own row of it, and by nothing else: in the queue, paused,
or with one process. Beside it, a ticket says whose it is and what it counts for. Whoever takes runs
does it alone, in one transaction, so that no limit is passed and no run is taken twice; the clock
is the database's.
"""
# ruff: noqa: S608  every name in a statement is our own; values are bound

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from prowess.core.text import storable
from prowess.durable.costs import cost_of_steps
from prowess.durable.fair import Limits, Tally, Ticket, Waiting, choose, held
from prowess.durable.patience import patiently
from prowess.durable.postgres import LOCKS, TAKING

WAITING = "prowess.waiting"  # the library's name of the queue; nobody there listens to it
PAUSED = "prowess.paused"
OWN = "prowess-"  # and the name of a process: what it has taken
MINUTE, DAY = 60_000, 86_400_000  # milliseconds
MANY = 1_000_000
STOPPED = "10s"  # who takes runs and then does nothing for so long is alone no more

_TABLES = (
    """
    create table if not exists prowess_queue (
        run text primary key, came bigint not null, kind text not null,
        "user" text not null, skill text not null, model text not null,
        project text not null, priority integer not null,
        begun bigint, cost double precision not null default 0
    )
    """,
    "create index if not exists prowess_queue_begun on prowess_queue (begun)",
    'create table if not exists prowess_turn ("user" text primary key, turn bigint not null)',
)
_TICKET = '"user", skill, model, project, priority'
_UNDER_WAY = "status in ('PENDING', 'ENQUEUED')"


class Queue:
    """Used by one process, whose name is `name`. Waits while the server of the database is away."""

    def __init__(self, database: sa.Engine, name: str) -> None:
        self._database = database
        self._own = OWN + name
        self._is_shared = database.dialect.name == "postgresql"
        schema = "dbos." if self._is_shared else ""
        self._state, self._steps = f"{schema}workflow_status", f"{schema}operation_outputs"
        self._now = (
            "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"
            if self._is_shared
            else "cast((julianday('now') - 2440587.5) * 86400000 as integer)"
        )

    def make(self) -> None:
        """The tables, where they are not there yet."""
        with self._database.begin() as connection:
            for statement in _TABLES:
                connection.execute(sa.text(statement))

    def is_made(self) -> bool:
        return sa.inspect(self._database).has_table("prowess_queue")

    def add(self, kind: str, run: str, ticket: Ticket) -> None:
        """Before the run itself is kept: a ticket without a run is in nobody's way."""
        self._change(
            f"""
            insert into prowess_queue (run, came, kind, {_TICKET})
            values (:run, {self._now}, :kind, :user, :skill, :model, :project, :priority)
            on conflict (run) do nothing
            """,
            run=run,
            kind=kind,
            **{
                name: storable(value) if isinstance(value, str) else value
                for name, value in asdict(ticket).items()
            },
        )

    def add_copy(self, run: str, *, of: str) -> None:
        """The same ticket for another run, if there is one."""
        columns = f"kind, {_TICKET}"
        self._change(
            f"""
            insert into prowess_queue (run, came, {columns})
            select :run, {self._now}, {columns} from prowess_queue where run = :of
            on conflict (run) do nothing
            """,
            run=run,
            of=of,
        )

    def begins(self, run: str) -> None:
        """Without waiting for its turn."""
        self._change(f"update prowess_queue set begun = {self._now} where run = :run", run=run)

    def tickets(self, runs: Collection[str]) -> set[str]:
        """Those of them that came through the queue."""
        query = _among("select run from prowess_queue where run in :runs")

        def read() -> set[str]:
            with self._database.connect() as connection:
                return set(connection.execute(query, {"runs": list(runs)}).scalars())

        return patiently(read)()

    def is_empty(self) -> bool:
        """Quick, and takes no turn: most looks find nothing."""
        query = f"select 1 from {self._state} where status = 'ENQUEUED' and queue_name = :waiting limit 1"
        return not self._rows(query, waiting=WAITING)

    def take(self, kinds: Collection[str], *, project: str, limits: Limits, room: int) -> list[str]:
        """
        Runs that are this process's from now on, in the order to begin them; none while another
        process takes some.
        """

        def take() -> list[str]:
            with self._database.begin() as connection:
                if not self._alone(connection):
                    return []
                tally = self._tally(connection, limits)
                waiting = self._waiting(connection, kinds, project=project, most=room)
                chosen = choose(waiting, tally, limits, room=room)
                return self._claim(connection, chosen, tally.turns) if chosen else []

        return patiently(take)()

    def worked_on(self) -> list[str]:
        """The runs that are this process's to work on now."""
        query = f"select workflow_uuid from {self._state} where status = 'PENDING' and executor_id = :name"
        return [run for (run,) in self._rows(query, name=self._own.removeprefix(OWN))]

    def owners(self) -> list[str]:
        """The processes that have taken runs."""
        query = f"select distinct queue_name from {self._state} where {_UNDER_WAY} and queue_name like '{OWN}%'"
        return [name.removeprefix(OWN) for (name,) in self._rows(query)]

    def put_back(self, owner: str) -> int:
        """What a dead process had taken waits again; how many that were."""
        return self._change(
            f"""
            {self._moved} where {_UNDER_WAY} and queue_name = :own
            and exists (select 1 from prowess_queue where run = workflow_uuid)
            """,
            queue=WAITING,
            own=OWN + owner,
        )

    def pause(self, run: str) -> bool:
        """Out of the hands of whoever works on it, who finds out at its next look or step."""
        return (
            self._change(
                f"{self._moved} where {_UNDER_WAY} and workflow_uuid = :run", queue=PAUSED, run=run
            )
            > 0
        )

    def why(self, run: str, limits: Limits) -> str:
        """What a waiting run waits for, in words."""
        with self._database.connect() as connection:
            waiting = self._waiting(connection, (), project="", most=MANY)
            mine = next((each for each in waiting if each.run == run), None)
            if mine is None:
                return ""
            if reason := held(mine.ticket, self._tally(connection, limits), limits):
                return reason
            if self._others_take(connection):
                return "for another process, which is taking runs from the queue"
        before = sum(each.ticket.priority >= mine.ticket.priority for each in waiting) - 1
        if not before:
            return "for a worker that is free"
        return f"for its turn, with {before} other{'s' if before > 1 else ''}"

    def spent(self, run: str, cost: float) -> None:
        """What was spent stays spent: less than was said before changes nothing."""
        change = "update prowess_queue set cost = :cost where run = :run and cost < :cost"
        self._change(change, run=run, cost=cost)

    def spent_in_steps(self, run: str) -> None:
        """The same for a run that came to no result."""
        query = f"""
            select output from {self._steps} where workflow_uuid = :run and output is not null
            and exists (select 1 from prowess_queue where run = :run)
        """
        if cost := cost_of_steps(output for (output,) in self._rows(query, run=run)):
            self.spent(run, cost)

    @property
    def _moved(self) -> str:
        return f"""
            update {self._state} set status = 'ENQUEUED', queue_name = :queue,
            owner_xid = null, started_at_epoch_ms = null
        """

    def _alone(self, connection: sa.Connection) -> bool:
        """
        Whether nobody else takes runs until the transaction ends. Nobody waits for it inside a
        statement: that would hold up whoever changes tables. Whoever writes first to a file has it
        alone.
        """
        if not self._is_shared:
            connection.execute(sa.text("delete from prowess_turn where false"))
            return True
        ask = "select pg_try_advisory_xact_lock(:locks, :taking), set_config('idle_in_transaction_session_timeout', :stopped, true)"
        values = {"locks": LOCKS, "taking": TAKING, "stopped": STOPPED}
        return bool(connection.execute(sa.text(ask), values).scalar())

    def _others_take(self, connection: sa.Connection) -> bool:
        if not self._is_shared:
            return False
        ask = """
            select 1 from pg_locks where locktype = 'advisory' and objsubid = 2 and granted
            and database = (select oid from pg_database where datname = current_database())
            and classid = :locks and objid = :taking
        """
        return bool(connection.execute(sa.text(ask), {"locks": LOCKS, "taking": TAKING}).first())

    def _waiting(
        self, connection: sa.Connection, kinds: Collection[str], *, project: str, most: int
    ) -> list[Waiting]:
        """The first `most` of each kind of ticket: no more can begin, whatever the limits are."""
        rows = connection.execute(
            sa.text(f"""
                select run, came, {_TICKET} from (
                    select q.*, row_number() over (
                        partition by "user", skill, model, q.priority order by came, run
                    ) as place
                    from prowess_queue q join {self._state} on workflow_uuid = run
                    where status = 'ENQUEUED' and queue_name = :waiting
                    and (:everything or kind in :kinds and project = :project)
                ) as lined_up where place <= :most order by came, run
            """).bindparams(sa.bindparam("kinds", expanding=True)),
            {
                "waiting": WAITING,
                "everything": not kinds,
                "kinds": list(kinds) or [""],
                "project": storable(project),
                "most": most,
            },
        )
        return [
            Waiting(run=run, came=came, ticket=Ticket(user=user, skill=skill, model=model, project=where, priority=priority))
            for run, came, user, skill, model, where, priority in rows
        ]  # fmt: skip

    def _claim(
        self, connection: sa.Connection, chosen: Sequence[Waiting], turns: Mapping[str, int]
    ) -> list[str]:
        """Those of the chosen that are still there; one may just have been cancelled."""
        runs = {"runs": [each.run for each in chosen]}
        claimed = connection.execute(
            _among(f"""
                update {self._state} set queue_name = :own
                where workflow_uuid in :runs and status = 'ENQUEUED' and queue_name = :waiting
                returning workflow_uuid
            """),
            {**runs, "own": self._own, "waiting": WAITING},
        )
        there = set(claimed.scalars())
        begin = f"update prowess_queue set begun = {self._now} where run in :runs"
        connection.execute(_among(begin), runs)
        connection.execute(
            sa.text("""
                insert into prowess_turn ("user", turn) values (:user, :turn)
                on conflict ("user") do update set turn = excluded.turn
            """),
            [{"user": user, "turn": turns[user]} for user in {each.ticket.user for each in chosen}],
        )
        return [run for run in runs["runs"] if run in there]

    def _tally(self, connection: sa.Connection, limits: Limits) -> Tally:
        """Only what some limit asks for is counted."""

        def counted(what: str, where: str) -> Counter[tuple[str, str]]:
            query = f'select "user", skill, model, {what} from prowess_queue where {where} group by 1, 2, 3'
            return _by_name(connection.execute(sa.text(query)))

        under_way = f"run in (select workflow_uuid from {self._state} where {_UNDER_WAY} and queue_name like '{OWN}%')"
        # Not further ahead than a clock that was set back, or runs would wait until it is there again.
        minute = f"begun between {self._now} - {MINUTE} and {self._now} + {MINUTE}"
        today = f"begun >= {self._now} / {DAY} * {DAY}"
        nothing: Counter[tuple[str, str]] = Counter()
        turns = connection.execute(sa.text('select "user", turn from prowess_turn'))
        return Tally(
            under_way=counted("count(*)", under_way) if limits.has("at_once") else nothing,
            begun=counted("count(*)", minute) if limits.has("per_minute") else nothing.copy(),
            spent=counted("sum(cost)", today) if limits.has("per_day") else nothing.copy(),
            turns={user: int(turn) for user, turn in turns},
        )

    def _change(self, statement: str, **values: Any) -> int:
        def change() -> int:
            with self._database.begin() as connection:
                return connection.execute(sa.text(statement), values).rowcount

        return patiently(change)()

    def _rows(self, query: str, **values: Any) -> list[Any]:
        def read() -> list[Any]:
            with self._database.connect() as connection:
                return list(connection.execute(sa.text(query), values))

        return patiently(read)()


def _among(statement: str) -> sa.TextClause:
    """A statement with a list of `runs`."""
    return sa.text(statement).bindparams(sa.bindparam("runs", expanding=True))


def _by_name(rows: Iterable[Any]) -> Counter[tuple[str, str]]:
    total: Counter[tuple[str, str]] = Counter()
    for user, skill, model, value in rows:
        for key in Ticket(user=user, skill=skill, model=model).counted():
            total[key] += value
    return total
