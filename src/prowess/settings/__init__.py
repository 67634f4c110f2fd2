"""The settings: one frozen value, read once and handed down."""

from prowess.settings.fields import FILE, PACK, Settings
from prowess.settings.load import load_settings, project_file, unknown_variables

__all__ = ["FILE", "PACK", "Settings", "load_settings", "project_file", "unknown_variables"]
