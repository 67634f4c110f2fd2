"""
A model that is a list of rules, on loopback: to try an agent, a skill or a comparison without a key.

    python3 model.py rules.json 8123

speaks OpenAI's chat completions at http://127.0.0.1:8123/v1, whole and as a stream. A rule is an
object; the first that fits the conversation answers:

    sees    a pattern that the last message has
    knows   a pattern that stands anywhere in the conversation, such as in a skill's instructions
    says    what it answers
    calls   the tool it calls instead, by the end of its name; `with` are the arguments

It looks at nothing but the conversation, so the same one always gets the same answer.
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

Rules = Sequence[Mapping[str, Any]]


def reply(rules: Rules, asked: Mapping[str, Any]) -> dict[str, Any]:
    """The message of the first rule that fits and whose tool is there."""
    texts = [_text(message) for message in asked["messages"]]
    tools = [tool["function"]["name"] for tool in asked.get("tools") or ()]
    for rule in rules:
        seen = re.search(rule.get("sees", ""), texts[-1])
        known = re.search(rule.get("knows", ""), "\n".join(texts))
        if not (seen and known):
            continue
        if "says" in rule:
            return {"role": "assistant", "content": rule["says"]}
        for tool in tools:
            if tool.endswith(rule["calls"]):
                return {"role": "assistant", "content": None, "tool_calls": [_call(tool, rule)]}
    return {"role": "assistant", "content": "No rule fits."}


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content)


def _call(tool: str, rule: Mapping[str, Any]) -> dict[str, Any]:
    arguments = json.dumps(rule.get("with", {}))
    return {
        "index": 0,
        "id": "call_1",
        "type": "function",
        "function": {"name": tool, "arguments": arguments},
    }


class Handler(BaseHTTPRequestHandler):
    rules: Rules = ()

    def do_GET(self) -> None:
        self._send("application/json", json.dumps({"object": "list", "data": [{"id": "rules"}]}))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        message = reply(self.rules, asked)
        common = {"id": "1", "created": 0, "model": asked.get("model", "rules")}
        usage = {"prompt_tokens": len(str(asked)) // 4, "completion_tokens": len(str(message)) // 4}
        usage["total_tokens"] = sum(usage.values())
        why = "tool_calls" if message.get("tool_calls") else "stop"
        if not asked.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": why}
            whole = {**common, "object": "chat.completion", "choices": [choice], "usage": usage}
            self._send("application/json", json.dumps(whole))
            return
        pieces: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
            {"choices": [{"index": 0, "delta": {}, "finish_reason": why}]},
            {"choices": [], "usage": usage},
        ]
        lines = [json.dumps({**common, "object": "chat.completion.chunk", **p}) for p in pieces]
        self._send("text/event-stream", "".join(f"data: {x}\n\n" for x in [*lines, "[DONE]"]))

    def _send(self, kind: str, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Nothing is told: the agent that asks has a log of its own."""


def main() -> None:
    try:
        file, port = sys.argv[1:]
        Handler.rules = json.loads(Path(file).read_text(encoding="utf-8"))
        server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
    except OSError as error:
        sys.exit(f"{error.filename or f'port {port}'}: {error.strerror}")
    except json.JSONDecodeError as error:
        sys.exit(f"{file} is not JSON: {error}")
    except ValueError:
        sys.exit("usage: python3 model.py rules.json PORT")
    print(f"listening on http://127.0.0.1:{port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
