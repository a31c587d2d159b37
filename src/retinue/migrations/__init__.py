"""The schema's history, one revision a file, run by Alembic.

The tables as they are now do not belong here: each domain declares its own.
"""

HEAD = "0037"
"""The newest revision. Kept here so that a start with a current schema need not import Alembic."""
