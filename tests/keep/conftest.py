"""What tests of backups and of the way to PostgreSQL need."""

from keep.folders import data
from postgres import postgres_url

__all__ = ["data", "postgres_url"]
