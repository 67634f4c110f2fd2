"""
The other side of `python_calls.py`: an interpreter in a sandbox that calls functions when told to.

It is started from its text, alone: nothing of ours can be imported where it runs. One line of JSON
is a call, one line is what came of it.
"""

import importlib
import json
import sys
from typing import Any


def _called(call: dict[str, Any]) -> dict[str, Any]:
    try:
        module = importlib.import_module(call["module"])
        value = getattr(module, call["function"])(**call["arguments"])
        json.dumps(value, allow_nan=False)
    except BaseException as error:  # noqa: BLE001  whatever it is, the one who called is told
        return {"id": call["id"], "error": f"{type(error).__name__}: {error}"}
    return {"id": call["id"], "value": value}


def serve(folder: str, calls: str, replies: str) -> None:
    sys.path.insert(0, folder)
    sys.dont_write_bytecode = True
    with open(calls, encoding="utf-8") as incoming, open(replies, "w", encoding="utf-8") as answers:
        for line in incoming:
            answers.write(json.dumps(_called(json.loads(line))) + "\n")
            answers.flush()


if __name__ == "__main__":
    serve(*sys.argv[1:])
