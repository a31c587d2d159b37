"""The schema's history, one revision a file, run by Alembic."""

HEAD = "0018"
"""The newest revision. Kept here so that a start with a current schema need not import Alembic."""
