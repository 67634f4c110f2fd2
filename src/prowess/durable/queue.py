"""
The queue of runs that wait for a process to work on them, shared by all processes of a database.

Where a run stands is told by the library's own row of it, and by nothing else: in the queue, paused,
or with one process. Beside it, a ticket says whose it is and what it counts for. Whoever takes runs
does it alone, in one transaction, so that no limit is passed and no run is taken twice; the clock
is the database's.
"""
# ruff: noqa: S608  every name in a statement is our own; values are bound

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa

from prowess.core.ports import Json, Standing
from prowess.core.text import storable
from prowess.durable.costs import cost_of, cost_of_steps
from prowess.durable.deaths import among, count_deaths, died_often, has_left, left_by
from prowess.durable.fair import Limits, Tally, Ticket, Waiting, choose, held
from prowess.durable.patience import patiently
from prowess.durable.postgres import LOCKS, TAKING
from prowess.durable.tables import are_made, make_tables
from prowess.durable.tallying import TICKET, tally, ticket_of, unpriced

WAITING = "prowess.waiting"  # the library's name of the queue; nobody there listens to it
PAUSED = "prowess.paused"
ASIDE: Mapping[str, Standing] = {WAITING: "queued", PAUSED: "paused"}  # nobody works on these
OWN = "prowess-"  # and the name of a process: what it has taken
MANY = 1_000_000
STOPPED = "10s"  # who takes runs and then does nothing for so long is alone no more
TURNS = 10_000  # so many are remembered; whose last was before them is as one who had none
MOST_DEATHS = 3  # processes that may die at work on a run, and no more are given to it

_IS_LAST = f"deaths >= {MOST_DEATHS - 1}"
_UNDER_WAY = "status in ('PENDING', 'ENQUEUED')"
_MINE = "status = 'PENDING' and executor_id = :name"


class Queue:
    """Used by one process, whose name is `name`. Waits while the server of the database is away."""

    def __init__(self, database: sa.Engine, name: str) -> None:
        self._database = database
        self._name, self._own = name, OWN + name
        self._is_shared = database.dialect.name == "postgresql"
        schema = "dbos." if self._is_shared else ""
        self._state, self._steps = f"{schema}workflow_status", f"{schema}operation_outputs"
        self._now = (
            "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"
            if self._is_shared
            else "cast((julianday('now') - 2440587.5) * 86400000 as integer)"
        )

    def make(self) -> None:
        make_tables(self._database)

    def is_made(self) -> bool:
        return are_made(self._database)

    def add(self, kind: str, run: str, ticket: Ticket) -> None:
        """Before the run itself is kept: a ticket without a run is in nobody's way."""
        self._change(
            f"""
            insert into prowess_queue (run, came, kind, {TICKET})
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

    def add_copy(self, run: str, *, of: str, before: int, user: str, most: int) -> None:
        """
        A ticket for a fork, if there is one of its original; steps with a number below `before` it
        has already. It is `user`'s if one is named, and its priority is `most` at most.
        """
        copy = f"""
            insert into prowess_queue (run, came, inherited, kind, {TICKET})
            select :run, {self._now}, :inherited, kind,
                case when :user = '' then "user" else :user end, skill, model, project,
                case when priority > :most then :most else priority end
            from prowess_queue where run = :of
            on conflict (run) do nothing
        """

        def add() -> None:
            with self._database.begin() as connection:
                inherited = cost_of_steps(self._outputs(connection, of, before=before)).money
                values = {"run": run, "of": of, "inherited": inherited, "most": most}
                connection.execute(sa.text(copy), {**values, "user": storable(user)})

        patiently(add)()

    def begins(self, run: str) -> None:
        """Without waiting for its turn."""
        self._change(f"update prowess_queue set begun = {self._now} where run = :run", run=run)

    def tickets(self, runs: Collection[str]) -> set[str]:
        """Those of them that came through the queue."""
        query = among("select run from prowess_queue where run in :runs")

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
                goes_on = self._tally(connection, limits)
                goes_on.has_last = self._has_last(connection)
                waiting = self._waiting(connection, kinds, limits, project=project, most=room)
                chosen = choose(waiting, goes_on, limits, room=room)
                if not chosen:
                    return []
                return self._claim(connection, chosen, goes_on, unnamed=limits.unnamed)

        return patiently(take)()

    def worked_on(self) -> list[str]:
        """The runs that are this process's to work on now."""
        query = f"select workflow_uuid from {self._state} where {_MINE} and coalesce(queue_name, '') <> :paused"
        return [run for (run,) in self._rows(query, name=self._name, paused=PAUSED)]

    def owners(self) -> list[str]:
        """The processes that have taken runs."""
        query = f"select distinct queue_name from {self._state} where {_UNDER_WAY} and queue_name like '{OWN}%'"
        return [name.removeprefix(OWN) for (name,) in self._rows(query)]

    def put_back(self, owner: str) -> list[str]:
        """
        What a dead process had taken waits again. Not so a run at which MOST_DEATHS processes died
        without getting a step further: these are returned, and stay until somebody ends them.
        """

        def put_back() -> list[str]:
            with self._database.begin() as connection:
                if not self._is_shared:
                    self._alone(connection)
                left = left_by(connection, OWN + owner, state=self._state, steps=self._steps)
                if not has_left(connection, owner):
                    at_work = [run for run, is_at_work in left.items() if is_at_work]
                    count_deaths(connection, at_work, steps=self._steps)
                given_up = died_often(connection, left, most=MOST_DEATHS)
                again = {"runs": list(left.keys() - given_up), "queue": WAITING}
                connection.execute(among(f"{self._moved} where workflow_uuid in :runs"), again)
                return sorted(given_up)

        given_up = patiently(put_back)()
        for run in given_up:
            self.spent(run)
        return given_up

    def pause(self, run: str) -> None:
        """
        Whoever works on it finds out at its next look, and has it until it has laid it aside: what is
        under way there may have to be finished and kept.
        """
        change = f"update {self._state} set queue_name = :queue where {_UNDER_WAY} and workflow_uuid = :run"
        self._change(change, queue=PAUSED, run=run)

    def lay_aside(self, run: str) -> None:
        """A run that is paused and on which this process has stopped to work is nobody's now."""
        change = f"{self._moved} where {_MINE} and queue_name = :queue and workflow_uuid = :run"
        self._change(change, queue=PAUSED, name=self._name, run=run)

    def why(self, run: str, limits: Limits) -> str:
        """What a waiting run waits for, in words."""
        with self._database.connect() as connection:
            found = connection.execute(
                sa.text(f"select {TICKET} {self._in_line} and run = :run"),
                {"waiting": WAITING, "run": run},
            ).first()
            if found is None:
                return ""
            ticket, goes_on = ticket_of(found, limits), self._tally(connection, limits)
            if held(ticket, goes_on, limits):
                goes_on.unpriced = unpriced(connection, limits, now=self._clock(connection))
                return held(ticket, goes_on, limits)
            if self._others_take(connection):
                return "for another process, which is taking runs from the queue"
            before = connection.execute(
                sa.text(f"select count(*) - 1 {self._in_line} and priority >= :priority"),
                {"waiting": WAITING, "priority": ticket.priority},
            ).scalar_one()
        if not before:
            return "for a worker that is free"
        return f"for its turn, with {before} other{'s' if before > 1 else ''}"

    @property
    def _in_line(self) -> str:
        """All that wait."""
        return f"""
            from prowess_queue where run in (
                select workflow_uuid from {self._state}
                where status = 'ENQUEUED' and queue_name = :waiting
            )
        """

    def spent(self, run: str, result: Json = None) -> None:
        """
        As its result says or its steps, whichever is more, less what a fork has from its original.
        What was spent stays spent: less than was said before changes nothing.
        """
        ticket = "select inherited from prowess_queue where run = :run"
        more = "update prowess_queue set cost = :cost where run = :run and cost < :cost"
        unknown = "update prowess_queue set unpriced = 1 where run = :run"

        def spend() -> None:
            with self._database.begin() as connection:
                inherited = connection.execute(sa.text(ticket), {"run": run}).scalar()
                if inherited is None:  # it came through no queue, so nobody counts
                    return
                told = cost_of(result)
                steps = cost_of_steps(self._outputs(connection, run))
                cost = max(told.money, steps.money) - inherited
                connection.execute(sa.text(more), {"run": run, "cost": cost})
                if not (told.known and steps.known):
                    connection.execute(sa.text(unknown), {"run": run})

        patiently(spend)()

    def _outputs(self, connection: sa.Connection, run: str, *, before: int = MANY) -> Iterable[str]:
        """What the finished steps of a run gave, those with a number below `before`."""
        query = f"""
            select output from {self._steps}
            where workflow_uuid = :run and function_id < :before and output is not null
        """
        return connection.execute(sa.text(query), {"run": run, "before": before}).scalars()

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
        self,
        connection: sa.Connection,
        kinds: Collection[str],
        limits: Limits,
        *,
        project: str,
        most: int,
    ) -> list[Waiting]:
        """The first `most` of each kind of ticket: no more can begin, whatever the limits are."""
        rows = connection.execute(
            sa.text(f"""
                select run, came, coalesce(turn, 0), is_last, {TICKET} from (
                    select *, {_IS_LAST} as is_last, row_number() over (
                        partition by "user", skill, model, priority, {_IS_LAST} order by came, run
                    ) as place
                    {self._in_line}
                    and kind in :kinds and project = :project
                ) as lined_up left join prowess_turn using ("user")
                where place <= :most order by came, run
            """).bindparams(sa.bindparam("kinds", expanding=True)),
            {
                "waiting": WAITING,
                "kinds": list(kinds),
                "project": storable(project),
                "most": most,
            },
        )
        return [
            Waiting(
                run=run, came=came, turn=turn, is_last=bool(is_last), ticket=ticket_of(row, limits)
            )
            for run, came, turn, is_last, *row in rows
        ]

    def _claim(
        self,
        connection: sa.Connection,
        chosen: Sequence[Waiting],
        goes_on: Tally,
        *,
        unnamed: str,
    ) -> list[str]:
        """
        Those of the chosen that are still there; one may just have been cancelled. From now on a run
        that named no model counts for the one that it has here.
        """
        runs = {"runs": [each.run for each in chosen]}
        claimed = connection.execute(
            among(f"""
                update {self._state} set queue_name = :own
                where workflow_uuid in :runs and status = 'ENQUEUED' and queue_name = :waiting
                returning workflow_uuid
            """),
            {**runs, "own": self._own, "waiting": WAITING},
        )
        there = set(claimed.scalars())
        begin = f"""
            update prowess_queue set begun = {self._now},
            model = case when model = '' then :unnamed else model end where run in :runs
        """
        connection.execute(among(begin), {**runs, "unnamed": unnamed})
        connection.execute(
            sa.text("""
                insert into prowess_turn ("user", turn) values (:user, :turn)
                on conflict ("user") do update set turn = excluded.turn
            """),
            [{"user": user, "turn": turn} for user, turn in goes_on.turns.items()],
        )
        forget = "delete from prowess_turn where turn <= :old"
        connection.execute(sa.text(forget), {"old": goes_on.latest - TURNS})
        return [run for run in runs["runs"] if run in there]

    def _tally(self, connection: sa.Connection, limits: Limits) -> Tally:
        under_way = f"run in (select workflow_uuid from {self._state} where {_UNDER_WAY} and queue_name like '{OWN}%')"
        return tally(connection, limits, under_way=under_way, now=self._clock(connection))

    def _has_last(self, connection: sa.Connection) -> bool:
        """Whether this process has a run already at which no more than one process may die."""
        query = f"""
            select 1 from prowess_queue where {_IS_LAST} and run in (
                select workflow_uuid from {self._state} where {_UNDER_WAY} and queue_name = :own
            ) limit 1
        """
        return bool(connection.execute(sa.text(query), {"own": self._own}).first())

    def _clock(self, connection: sa.Connection) -> int:
        """Read once: compared with a clock that goes on, no index would be of use."""
        return int(connection.execute(sa.text(f"select {self._now}")).scalar_one())

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
