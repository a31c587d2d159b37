"""The schema's history, one revision a file, run by Alembic, and the upgrade of a database when it is opened.

The declarations of tables do not belong here: each domain has its own, and `tables` imports them all.
"""

HEAD = "0044"
"""The newest revision. Kept here so that a start with a current schema need not import Alembic."""
