"""Simple mode: one planning pass, its calls made once, one answer. Nothing is tried again."""

from prowess.core.chat import Message
from prowess.core.run import Outcome
from prowess.execute.attempts import Attempts
from prowess.execute.clock import Deadline
from prowess.execute.hands import Hands, answers
from prowess.execute.ledger import Ledger
from prowess.execute.means import Budget, Means
from prowess.execute.story import Story
from prowess.execute.think import think

PASSES = 2  # planning, then the answer


async def run_simple(messages: list[Message], *, means: Means, budget: Budget) -> Outcome:
    """The skills of old: what the first reply calls for is done, and the second reply is the answer."""
    ledger, attempts = Ledger(), Attempts(1, means.clean)
    story = Story(means.record, run=means.run, iterations=PASSES, clean=means.clean)
    for iteration in range(1, PASSES + 1):
        deadline = Deadline(budget.seconds)
        thought = await think(messages, means=means, deadline=deadline)
        story.waited(iteration, thought.waits)
        if thought.reply is None:
            story.stumbled(iteration, thought.trouble)
            return ledger.outcome("failed", ledger.report(attempts), thought.trouble, iteration)
        reply = thought.reply
        ledger.add(reply)
        story.replied(
            iteration, reply, context_tokens=reply.usage.input_tokens + reply.usage.output_tokens
        )
        messages.append(reply.message)
        calls = reply.message.calls
        if reply.malformed:
            return ledger.outcome(
                "failed", ledger.report(attempts), f"malformed reply: {reply.malformed}", iteration
            )
        if not calls:
            return ledger.outcome("done", reply.message.text, "answered", iteration)
        if iteration < PASSES:
            hands = Hands(
                means=means,
                attempts=attempts,
                story=story,
                iteration=iteration,
                deadline=deadline,
                left=budget.iterations - iteration,  # for sub-agents; itself it takes one more
            )
            seen = await hands.make(calls)
            messages += answers(calls, seen)
            ledger.observe(calls, seen)
            messages.append(Message(role="user", text=means.notes.last))
    reason = "simple mode makes calls once, and the answer was another call"
    return ledger.outcome("partial", ledger.report(attempts), reason, PASSES)
