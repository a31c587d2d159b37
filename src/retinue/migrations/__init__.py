"""The schema's history, one revision a file, run by Alembic, and the upgrade of a database when it is opened.

The declarations of tables do not belong here: each domain has its own, and `tables` imports them all.
"""

from pathlib import Path

HEAD = max(file.name[:4] for file in (Path(__file__).parent / "versions").glob("[0-9]*.py"))
"""The newest revision, by the names of the files: a start with a current schema need not import Alembic."""
