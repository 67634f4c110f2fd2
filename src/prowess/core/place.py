"""Where data is kept: a file of one machine, or a PostgreSQL database that many share."""


def is_database(place: str) -> bool:
    return place.startswith(("postgresql://", "postgres://"))


def shown(place: str) -> str:
    """The place as it may be told: a database without its user, password and options."""
    if not is_database(place):
        return place
    scheme, _, rest = place.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
