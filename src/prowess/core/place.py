"""Where data is kept: a file of one machine, or a PostgreSQL database that many share."""

import re

# Where the options begin. A password may hold a `?` and an `@` that should have been escaped, before
# the options or among them.
_OPTIONS = re.compile(r"\?(?=\w+=|$)")


def is_database(place: str) -> bool:
    return place.startswith(("postgresql://", "postgres://"))


def shown(place: str) -> str:
    """The place as it may be told: an address without user, password and options, whatever it is of."""
    if "://" not in place:
        return place
    scheme, _, rest = place.partition("://")
    address = _OPTIONS.split(rest, maxsplit=1)[0]
    if "@" in rest and "@" not in address and "/" not in address:
        return f"{scheme}://…"  # either part may be a password's
    return f"{scheme}://{address.rpartition('@')[2]}"
