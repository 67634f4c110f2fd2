"""
Programs that run a command in a container, and the places where that command may begin.

It follows the name of the container, or the image: `docker exec c ls`. An option that is not known may
take the word after it or not; then the command is looked for in both places.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from prowess.workflow.shell.word import Word, refused

_IN_CONTAINER = ("exec", "run", "create")
_IN_POD = ("exec", "run", "rsh", "debug")
_RUNNING: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "docker-compose", "podman-compose"), _IN_CONTAINER),
    **dict.fromkeys(("kubectl", "oc"), _IN_POD),
    **dict.fromkeys(("lxc", "incus"), ("exec",)),
}  # fmt: skip
# Of these something is made in which nothing runs.
_THINGS = frozenset("network volume checkpoint context secret config buildx builder plugin manifest image node pod swarm".split())  # fmt: skip
_LONE_LETTERS, _VALUED_LETTERS = frozenset("diqtPT"), frozenset("acefhlmnpuvw")
_LONE = frozenset(
    "--rm --detach --interactive --tty --privileged --init --read-only --publish-all --quiet --stdin"
    " --no-healthcheck --no-deps --build --remove-orphans --service-ports --use-aliases --no-tty".split()
)
_VALUED = frozenset(
    "--add-host --annotation --cap-add --cap-drop --cidfile --container --context --cpus --cwd --detach-keys"
    " --device --dns --entrypoint --env --env-file --expose --gpus --hostname --image --index --ipc --label"
    " --link --log-driver --log-opt --memory --mount --name --namespace --net --network --pid --platform"
    " --publish --pull --restart --runtime --scale --security-opt --shm-size --stop-signal --tmpfs --ulimit"
    " --user --userns --volume --volumes-from --workdir".split()
)
_PROGRAM = "write the program's name (or, before an image, --entrypoint and its name); a value can be an argument of it"


def contained_commands(name: str, rest: Sequence[Word]) -> list[list[Word]]:
    """The command that `docker exec` and its like run, once for each place where it may begin."""
    texts = [word.text for word in rest]
    at = next((at for at, text in enumerate(texts) if text in _RUNNING.get(name, ())), len(rest))
    if _THINGS & set(texts[:at]):
        return []
    words = rest[at + 1 :]
    # docker has no more options after the name; the others may.
    mixed = _RUNNING.get(name) != _IN_CONTAINER
    starts = sorted(_starts(words, mixed=mixed))
    found = [[*_entry(words[:start]), *words[start:]] for start in starts]
    if any(command and command[0].has_slot for command in found):
        raise refused("a value cannot choose the program", _PROGRAM)
    return found


def _entry(options: Sequence[Word]) -> list[Word]:
    """The program by `--entrypoint`, of which all that follows the image are arguments."""
    for word, after in pairwise([*options, Word(())]):
        name, equals, glued = word.text.partition("=")
        if name == "--entrypoint" and (glued or after.text):
            return [Word((glued,)) if equals else after]
    return []


def _starts(words: Sequence[Word], *, mixed: bool) -> set[int]:
    """Where the command may begin; `mixed`: options may follow the name of the container."""
    found: set[int] = set()
    seen: set[tuple[int, bool]] = set()
    waiting = [(0, False)]  # a place, and whether the name was met before it
    while waiting:
        place = at, is_named = waiting.pop()
        if at >= len(words):
            found.add(len(words))
            continue
        if place in seen:
            continue
        seen.add(place)
        text = words[at].text
        if text == "--":
            found |= {at + 1} if is_named else {at + 1, min(at + 2, len(words))}
        elif is_named and (not mixed or text[:1] != "-"):
            found.add(at)
        elif text[:1] != "-":
            waiting.append((at + 1, True))
        else:
            takes = _takes_word(text)
            waiting += [(at + 2, is_named)] if takes is not False else []
            waiting += [(at + 1, is_named)] if not takes else []
    return found


def _takes_word(option: str) -> bool | None:
    """Whether the next word belongs to this option; None when that is not known."""
    if option.startswith("--"):
        known = "=" in option or option in _LONE or option in _VALUED
        return "=" not in option and option in _VALUED if known else None
    for at, letter in enumerate(option[1:], 2):
        if letter in _VALUED_LETTERS:
            return at == len(option)
        if letter not in _LONE_LETTERS:
            return None
    return False
