"""
The tables of the settings that have readers of their own: what is wrong in one is said before
anything relies on it, wherever it would be needed first.
"""

from prowess.core.errors import SettingsError
from prowess.engine.limits import read_limits
from prowess.permit.visibility import read_visibility
from prowess.settings import Settings
from prowess.tools.servers import read_servers


def check_tables(settings: Settings) -> None:
    """`SettingsError`, with the file, where one cannot be read as it is written."""
    try:
        read_visibility(settings.visibility)
        read_servers(settings.mcp_servers)
        read_limits(settings.limits)
    except SettingsError as error:
        # A project's file may set none of them, so it is the user's own, which is read first.
        file = f"{settings.sources[0]}: " if settings.sources else ""
        raise SettingsError(f"{file}{error}", hint=error.hint) from None
