"""What tests of the way to PostgreSQL need."""

from postgres import postgres_url

__all__ = ["postgres_url"]
