"""Models and helpers that all requests and responses share."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, ClassVar, Generic, Self, TypedDict, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from starlette.responses import Response

from retinue.core.database.interface import Database
from retinue.core.database.statements import Record, Statement
from retinue.core.runtime.whole_numbers import MAX_ID

T = TypeVar("T")
R = TypeVar("R")

MAX_PAGE = 2**31 - 1
"""Maximum number of a page of a list."""

Id = Annotated[int, Field(ge=1, le=MAX_ID)]


def _only_digits(value: str | int) -> str | int:
    if isinstance(value, str) and not (value.isascii() and value.isdecimal()):
        raise ValueError("must be a positive integer")
    return value


MonthlyBudget = Annotated[int, Field(ge=0, le=10**15)]
"""A budget of tokens or credits per calendar month."""

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=r"\S")]
"""The name of a record, without spaces at its ends."""

Message = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"\S")]
"""A message to a model, as it was written."""


def _empty_if_null(text: str | None) -> str:
    return text or ""


EMPTY_IF_NULL = AfterValidator(_empty_if_null)
"""Marks an optional text of a partial update, which `null` clears."""

PathId = Annotated[Id, BeforeValidator(_only_digits)]
"""An id in a path. Refuses `1.0`, `+1` and `1_0`, which pydantic would parse as integers."""
Counted = Annotated[int, BeforeValidator(_only_digits)]
"""A number in a query string, written in decimal digits only."""

Timestamp = datetime
"""A UTC time in ISO 8601 with `Z`. Microseconds are written unless they are zero."""


class Body(BaseModel):
    """A request body: types are strict and unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    @model_validator(mode="after")
    def _null_means_absent(self) -> Self:
        """On creation, `null` for an optional field is the same as leaving it out."""
        for name in self.model_fields_set:
            field = type(self).model_fields[name]
            if getattr(self, name) is None and not field.is_required():
                setattr(self, name, field.get_default(call_default_factory=True))
        return self


def absent() -> Any:
    """Return the default of a field that a partial update may omit. It never reaches the record."""
    return None


IGNORED: Any = Field(default_factory=absent, description="Ignored.")
"""The default of a read-only field of a partial update."""


class Changes(BaseModel):
    """The body of a partial update. Read-only fields of the record have the type `object`: they are ignored."""

    model_config = ConfigDict(extra="forbid", strict=True, defer_build=True)

    read_only: ClassVar[frozenset[str]] = frozenset()

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        cls.read_only = frozenset(name for name, field in cls.model_fields.items() if field.annotation is object)

    def sent_fields(self) -> dict[str, Any]:
        """The fields that were sent, but for the read-only ones."""
        return self.model_dump(exclude_unset=True, exclude=set(self.read_only))


class View(BaseModel):
    """What a caller sees of a record, read from a row or an object."""

    model_config = ConfigDict(from_attributes=True, defer_build=True)

    @classmethod
    def of_row(cls, row: Record, **derived: object) -> Self:
        """Build it from the columns of a row and from values that are derived from them."""
        return cls.model_validate({**row._asdict(), **derived})


class Page(BaseModel):
    """Which part of a list."""

    page: Counted = Field(1, ge=1, le=MAX_PAGE, description="Page number, starting at 1.")
    per_page: Counted = Field(20, ge=1, le=100, description="Number of records per page.")

    @property
    def offset(self) -> int:
        """Records before this page."""
        return (self.page - 1) * self.per_page


class Meta(BaseModel):
    """The position of a page in its list."""

    total: int = Field(description="Total number of records in the list.")
    page: int = Field(description="This page.")
    per_page: int = Field(description="Number of records per page.")
    total_pages: int = Field(description="Total number of pages in the list.")


class Data(View, Generic[T]):
    """One record."""

    data: T


class Listing(View, Generic[T]):
    """One page of records."""

    data: list[T]
    meta: Meta


class Envelope(TypedDict):
    """A record as an endpoint returns it. The route's response model validates and serializes it."""

    data: object


class ListEnvelope(Envelope):
    """A page of records as an endpoint returns it."""

    meta: Mapping[str, object]


def one(record: object) -> Envelope:
    """Wrap a record. The route's response model turns the result into a `Data`."""
    return {"data": record}


def json_response(shape: type[BaseModel], record: object, status: int = 200) -> Response:
    """Build a JSON response without FastAPI."""
    return Response(shape.model_validate(one(record)).model_dump_json(), status, media_type="application/json")


def listing(found: tuple[Sequence[object], int], page: Page) -> ListEnvelope:
    """Wrap a page's records and the total count. The route's response model turns the result into a `Listing`."""
    rows, total = found
    pages = -(-total // page.per_page)
    return {"data": rows, "meta": {"total": total, "page": page.page, "per_page": page.per_page, "total_pages": pages}}


_INLINE_ROWS = 1000
"""The event loop reads pages that end within this number of rows; a reader thread reads deeper ones."""


async def read_page(database: Database, statement: Statement[R], page: Page, **values: object) -> list[R]:
    """Read the rows of a page. `statement` binds `per_page` and `offset`."""
    read = database.fetch if page.offset + page.per_page <= _INLINE_ROWS else database.query
    return await read(statement, **values, per_page=page.per_page, offset=page.offset)


async def read_from_nearer_end(
    database: Database, newest: Statement[R], oldest: Statement[R], page: Page, total: int, **values: object
) -> list[R]:
    """Read the rows of a page, newest first. The second half of a list of `total` rows is skipped from its end."""
    after = total - page.offset - page.per_page
    if after >= page.offset:
        return await read_page(database, newest, page, **values)
    rows = max(0, min(page.per_page, total - page.offset))
    found = await database.query(oldest, **values, per_page=rows, offset=max(0, after))
    return found[::-1]
