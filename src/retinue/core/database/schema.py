"""The schema metadata, and column types that behave the same on SQLite and PostgreSQL."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator, TypeEngine

from retinue.core.runtime.clock import from_text, to_text

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

BigInt = sa.BigInteger().with_variant(sa.Integer, "sqlite")


class Instant(TypeDecorator[datetime]):
    """An aware datetime in UTC: `timestamptz` on PostgreSQL, ISO text of fixed width on SQLite."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use text on SQLite, which has no timestamp type."""
        return dialect.type_descriptor(sa.String(27) if dialect.name == "sqlite" else sa.DateTime(timezone=True))

    def binder(self, dialect: Dialect) -> object:
        """What `process_bind_param` does to a value that is there, without the way to it."""
        return to_text if dialect.name == "sqlite" else None

    def reader(self, dialect: Dialect) -> Callable[[str], datetime] | None:
        """What `process_result_value` does to a value that is there, without the way to it."""
        return from_text if dialect.name == "sqlite" else None

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> object:
        """From Python to the database."""
        return to_text(value) if value is not None and dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | str | None, dialect: Dialect) -> datetime | None:
        """From the database to Python."""
        return from_text(value) if isinstance(value, str) else value


class Json(TypeDecorator[object]):
    """A JSON value kept as text: nothing queries inside it, and text takes every string (jsonb refuses U+0000)."""

    impl = sa.Text
    cache_ok = True

    def binder(self, dialect: Dialect) -> object:
        """What `process_bind_param` does to a value that is there, without the way to it."""
        return lambda value: orjson.dumps(value).decode()

    def reader(self, dialect: Dialect) -> Callable[[str], object]:
        """What `process_result_value` does to a value that is there, without the way to it."""
        return orjson.loads

    def process_bind_param(self, value: object, dialect: Dialect) -> str | None:
        """From Python to the database."""
        return None if value is None else orjson.dumps(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> object:
        """From the database to Python."""
        return None if value is None else orjson.loads(value)


def id_column() -> sa.Column[int]:
    """Return an integer primary key column whose values are never reused, even after deletions."""
    return sa.Column("id", BigInt, sa.Identity(), primary_key=True)


def table(name: str, *columns: sa.schema.SchemaItem) -> sa.Table:
    """Create a table in the platform's metadata."""
    return sa.Table(
        name, metadata, *columns, sqlite_autoincrement=any(isinstance(c, sa.Column) and c.identity for c in columns)
    )
