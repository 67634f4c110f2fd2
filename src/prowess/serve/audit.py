"""
Who changed what over HTTP, or was not let: a fact of the log, for admins, alike for REST and MCP.

`from` is the address that the request came from; behind a proxy that is the proxy's.
"""

from collections.abc import Mapping
from typing import Any, Literal

from prowess.core.event import Event

Kind = Literal["changed", "refused"]


def audited(kind: Kind, what: str, scope: Mapping[str, Any]) -> Event:
    """Of a request that the guard has let in; `what` is its method and path, or the tool it called."""
    caller = scope["state"]["caller"]
    facts = {
        "summary": f"{caller.name}: {what}",
        "visibility": "FULL",
        "who": caller.name,
        "role": caller.role.value,
        "request": what,
        "from": scope["client"][0] if scope.get("client") else "",
    }
    return Event(run="audit", kind=f"audit.{kind}", payload=facts)
