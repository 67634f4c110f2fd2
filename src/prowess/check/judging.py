"""
The verdict of each criterion, from what we saw of it, and the verdict of the whole.

Own sight comes first: what the criterion's words let us look at ourselves decides where it can.
A claim helps only as far as everything it cites is confirmed. INCONCLUSIVE is never a pass.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from prowess.check.criteria import FindTest, propose, success_of
from prowess.check.evidence import Sight, look, shown
from prowess.check.probes import COMMANDS, FILES, Probe, probe_of, squeezed
from prowess.check.running.commands import Run
from prowess.core.evidence import (
    Claim,
    Criterion,
    Evidence,
    EvidenceType,
    Ignored,
    Looked,
    Ruling,
    Scope,
)

CARRIES = 0.7  # the least confidence with which an item of a claim can carry a verdict
_NOTHING_PROPOSED = "no evidence was proposed"
_NOTHING_SHOWN = "nothing shows the rest of it"
_ONLY_CITED = "only what was cited speaks of the rest of it"
_WORDS: Mapping[EvidenceType, str] = {
    "file_existence": "{target} is {there}there",
    "file_inspection": "{quotes} {be} {there}in {target}",
    "command_output": "`{target}` ends as the criterion says",
    "test_result": "`{target}` runs its tests and they pass",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """
    `run` runs commands that the task itself names; `run_claimed` those that somebody proposes, and
    is None where no sandbox holds. `validation` are the commands that every task has to pass.
    `doubt` says why what a command showed does not count, or nothing, and hears whether it ran tests.
    `remark` is what has to be known of commands that did not show what they were to, `unread` why evidence
    that was given could not be read.
    `tell` hears of each criterion as soon as its verdict is known. `confirmed` is what was seen to be so.
    """

    folder: str
    run: Run
    run_claimed: Run | None
    validation: Sequence[str] = ()
    find_test: FindTest = lambda name: ()
    doubt: Callable[[Probe, bool], Awaitable[str]] | None = None
    remark: Callable[[], str] = lambda: ""
    unread: str = ""
    tell: Callable[[Criterion], None] = lambda criterion: None
    confirmed: list[Probe] = field(default_factory=list)

    async def criteria(self, texts: Sequence[str], claims: Mapping[str, Claim]) -> list[Criterion]:
        """
        The task's criteria, then its validation commands.

        Files are looked at before anything runs, and what the task names runs before what a claim
        names: no command makes the evidence that another one finds.
        """
        cases = [self._case(text, claims.get(text)) for text in texts]
        cases += [self._command(command) for command in self.validation]
        told: set[int] = set()
        for kinds in (FILES, COMMANDS):
            for claimed in (False, True):
                for number, case in enumerate(cases):
                    await self._look(case, kinds, claimed=claimed)
                    if case.complete and number not in told:
                        told.add(number)
                        self.tell(case.judged())
        return [case.judged() for case in cases]

    async def _look(self, case: "_Case", kinds: Collection[str], *, claimed: bool) -> None:
        run = self.run_claimed if claimed else self.run
        for item in case.claimed if claimed else case.own:
            if isinstance(item.probe, str):
                case.seen[item] = Sight(state="unconfirmed", seen=item.probe)
            elif item.probe.type in kinds:
                sight = await look(item.probe, folder=self.folder, run=run)
                case.seen[item] = sight = await self._doubted(item.probe, sight)
                if sight.state == "confirmed":
                    self.confirmed.append(item.probe)

    async def _doubted(self, probe: Probe, sight: Sight) -> Sight:
        """What fails is believed; what a command shows counts only where nobody had a hand in the judging."""
        if probe.type not in COMMANDS or self.doubt is None:
            return sight
        if sight.state != "confirmed":
            told = self.remark()
            return replace(sight, seen=f"{sight.seen} ({told})") if told else sight
        why = await self.doubt(probe, sight.tests)
        return replace(sight, state="unconfirmed", seen=f"{why} ({sight.seen})") if why else sight

    def _case(self, text: str, claim: Claim | None) -> "_Case":
        proposal = propose(text, validation=self.validation, find_test=self.find_test)
        claimed = _items(claim) if claim else []
        own = [_own(probe) for probe in proposal.probes]
        return _Case(
            text=text,
            own=own,
            claimed=claimed,
            whole=proposal.whole,
            claim=claim,
            unread=f"evidence was given, and it cannot be read: {self.unread}"
            if self.unread
            else "",
        )

    def _command(self, command: str) -> "_Case":
        text = f"The validation command `{command}` succeeds"
        return _Case(text=text, own=[_own(success_of(command))], whole=True, added=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """Evidence and how to look at it; the probe is a text when that cannot be done."""

    evidence: Evidence
    probe: Probe | str
    own: bool

    def looked(self, sight: Sight) -> Looked:
        if sight.changed and not self.own:
            seen = f"it changes what it is to prove: {', '.join(sight.changed[:3])}"
            sight = Sight(state="unconfirmed", seen=seen, changed=sight.changed)
        return Looked(
            evidence=self.evidence,
            state=sight.state,
            seen=sight.seen,
            own=self.own,
            changed=sight.changed,
            output=sight.output,
        )


@dataclass(slots=True, kw_only=True)
class _Case:
    """A criterion on its way to a verdict."""

    text: str
    own: list[_Item]
    claimed: list[_Item] = field(default_factory=list)
    whole: bool
    claim: Claim | None = None
    unread: str = ""
    added: bool = False
    seen: dict[_Item, Sight] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return all(item in self.seen for item in (*self.own, *self.claimed))

    def judged(self) -> Criterion:
        own = [item.looked(self.seen[item]) for item in self.own]
        claimed = [item.looked(self.seen[item]) for item in self.claimed]
        verdict, reason = _ruling(own, claimed, whole=self.whole, claim=self.claim)
        if self.unread and reason in (_NOTHING_SHOWN, _NOTHING_PROPOSED):
            reason = self.unread
        return Criterion(
            text=self.text,
            verdict=verdict,
            reason=reason,
            evidence=(*own, *claimed, *self._rest()) or (_nothing(self.unread),),
            added=self.added,
        )

    def _rest(self) -> list[Looked]:
        """What of the criterion no look of ours is about; kept beside what we saw, as not seen by us."""
        if self.whole or not self.own:
            return []
        words = "The rest of the criterion's words name nothing to look at"
        evidence = Evidence(type="file_inspection", description=words, confidence=0.0)
        seen = _ONLY_CITED if self.claim else _NOTHING_SHOWN
        return [Looked(evidence=evidence, state="unconfirmed", seen=seen, own=True)]


def _items(claim: Claim) -> list[_Item]:
    return [
        _Item(evidence=each, probe=probe_of(each, claim.verdict), own=False)
        for each in claim.evidence
    ]


def _own(probe: Probe) -> _Item:
    words = _WORDS[probe.type].format(
        target=probe.target,
        there="" if probe.there else "not ",
        quotes=", ".join(f"`{shown(each)}`" for each in probe.quotes),
        be="is" if len(probe.quotes) == 1 else "are",
    )
    evidence = Evidence(type=probe.type, description=words, location=probe.target)
    return _Item(evidence=evidence, probe=probe, own=True)


def _nothing(unread: str) -> Looked:
    proposed = "What was proposed cannot be read" if unread else "Nothing was proposed"
    words = f"{proposed}, and the criterion's words name nothing to look at"
    evidence = Evidence(type="file_inspection", description=words, confidence=0.0)
    return Looked(evidence=evidence, state="unconfirmed", seen=unread or "there is no evidence")


def _ruling(
    own: Sequence[Looked], claimed: Sequence[Looked], *, whole: bool, claim: Claim | None
) -> tuple[Ruling, str]:
    """The verdict and, unless it is PASS, the reason."""
    if against := _against(own, claimed, claim):
        return "FAIL", against.seen
    if open_ := next((each for each in own if each.state != "confirmed"), None):
        return "INCONCLUSIVE", open_.seen
    if whole and own:
        return "PASS", ""
    if claim is None:
        why = _NOTHING_SHOWN if own else _NOTHING_PROPOSED
        return "INCONCLUSIVE", why
    doubt = _doubt(claim, claimed)
    return ("INCONCLUSIVE", doubt) if doubt else ("PASS", "")


def _doubt(claim: Claim, claimed: Sequence[Looked]) -> str:
    """Why a claim does not carry a PASS, or an empty string."""
    if claim.verdict != "PASS":
        told = claim.reason or "whoever checked it could not tell"
        return f"claimed to be {claim.verdict}: {told}"
    if open_ := next((each for each in claimed if each.state != "confirmed"), None):
        return f"{shown(open_.evidence.location or open_.evidence.type)}: {open_.seen}"
    if not any(each.evidence.confidence >= CARRIES for each in claimed):
        return "the evidence is indirect by its own account"
    return ""


def _against(
    own: Sequence[Looked], claimed: Sequence[Looked], claim: Claim | None
) -> Looked | None:
    """Confirmed counter-evidence: we saw that it is not so, a cited test fails, or a claimed failure is real."""
    for each in own:
        if each.state == "refuted":
            return each
    for each in claimed:
        if each.state == "refuted" and each.evidence.type == "test_result":
            return each if claim and claim.verdict == "PASS" else None
        sure = each.evidence.confidence >= CARRIES
        if each.state == "confirmed" and sure and claim and claim.verdict == "FAIL":
            return replace(each, seen=f"{claim.reason or each.evidence.description} ({each.seen})")
    return None


def sorted_claims(
    criteria: Sequence[str], claims: Sequence[Claim]
) -> tuple[dict[str, Claim], list[Ignored]]:
    """The claim about each criterion; what is about none of them, or comes twice, is ignored."""
    known = {squeezed(text): text for text in criteria}
    taken: dict[str, Claim] = {}
    ignored = []
    for claim in claims:
        text = known.get(squeezed(claim.criterion))
        if text is None:
            ignored.append(Ignored(what=claim.criterion, why="the task has no such criterion"))
        elif text in taken:
            ignored.append(Ignored(what=claim.criterion, why="it was claimed before"))
        else:
            taken[text] = claim
    return taken, ignored


def overall(criteria: Sequence[Criterion], scope: Scope) -> Ruling:
    """PASS only when everything is."""
    verdicts = {each.verdict for each in criteria} | {scope.verdict}
    if "FAIL" in verdicts:
        return "FAIL"
    return "INCONCLUSIVE" if "INCONCLUSIVE" in verdicts or not criteria else "PASS"
