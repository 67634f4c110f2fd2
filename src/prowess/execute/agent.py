"""
The autonomous executor: think, act, look, repeat.

One list of messages is the whole state of a run. Whatever the model saw can be read back from that
list, in order, and nothing else influences the next iteration. What must not happen twice (a
request to the model, a call of a tool) is a step, so that a run that was killed goes on where it was.
"""

from prowess.core.chat import Message, Reply
from prowess.core.run import Outcome
from prowess.execute import objectives
from prowess.execute.attempts import Attempts
from prowess.execute.clock import Deadline
from prowess.execute.context import Context
from prowess.execute.hands import Hands, answers
from prowess.execute.ledger import Ledger
from prowess.execute.means import Budget, Means
from prowess.execute.story import Story
from prowess.execute.think import Thought, think


async def run_agent(messages: list[Message], *, means: Means, budget: Budget) -> Outcome:
    """Work at what `messages` ask for; the list grows by everything that is said."""
    ledger, context, notes = Ledger(), Context(means.window), means.notes
    attempts = Attempts(budget.attempts, means.clean)
    story = Story(means.record, run=means.run, iterations=budget.iterations, clean=means.clean)
    confirmed = not budget.confirm
    for iteration in range(1, budget.iterations + 1):
        hands = Hands(
            means=means,
            attempts=attempts,
            story=story,
            iteration=iteration,
            deadline=Deadline(budget.seconds),
            left=budget.iterations - iteration,
        )
        thought = await _think(messages, context, hands)
        story.waited(iteration, thought.waits)
        if thought.reply is None:
            story.stumbled(iteration, thought.trouble)
            if not thought.may_go_on:
                return ledger.outcome("failed", ledger.report(attempts), thought.trouble, iteration)
            messages.append(Message(role="user", text=notes.malformed(thought.trouble)))
            continue
        reply = thought.reply
        ledger.add(reply)
        context.measure(messages, reply)
        story.replied(iteration, reply, context_tokens=context.tokens)
        messages.append(reply.message)
        if reply.malformed:
            messages += _unmade(reply)
            messages.append(Message(role="user", text=notes.malformed(reply.malformed)))
        elif not reply.message.calls:
            if confirmed or not hands.left:
                return ledger.outcome("done", reply.message.text, "answered", iteration)
            confirmed = True
            messages.append(Message(role="user", text=notes.confirm))
        else:
            seen = await hands.make(reply.message.calls)
            messages += answers(reply.message.calls, seen)
            ledger.observe(reply.message.calls, seen)
            story.progress(objectives.share(ledger.objectives))
        if hands.left == 1:
            messages.append(Message(role="user", text=notes.last))
    reason = "the iterations are used up"
    return ledger.outcome("partial", ledger.report(attempts), reason, budget.iterations)


async def _think(messages: list[Message], context: Context, hands: Hands) -> Thought:
    """Ask the model; when the conversation is too long for it, once more with less in it."""
    if (freed := context.make_room(messages, hands.means.notes))[0]:
        hands.story.compacted(hands.iteration, freed)
    thought = await think(messages, means=hands.means, deadline=hands.deadline)
    if thought.too_long:
        freed = context.make_room(messages, hands.means.notes, by_half=True)
        hands.story.compacted(hands.iteration, freed)
        thought = await think(messages, means=hands.means, deadline=hands.deadline)
    return thought


def _unmade(reply: Reply) -> list[Message]:
    """Providers insist on an answer to every call, also in a reply that could not be followed."""
    return [
        Message(role="tool", text="Not run: the reply was malformed.", answers=call.id, ok=False)
        for call in reply.message.calls
    ]
