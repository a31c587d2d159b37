"""Query parameters of lists that can be limited to a period."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, Field

from retinue.core.http.envelope import Page


def _as_utc(moment: datetime) -> datetime:
    try:
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("must be in the years 1 to 9999") from error


Moment = Annotated[datetime, AfterValidator(_as_utc)]


class Period(Page):
    """Which part of a list, and the period of its records."""

    since: Moment | None = Field(
        None, description="Only return entries at or after this time, in ISO 8601. Times without an offset are in UTC."
    )
    until: Moment | None = Field(
        None, description="Only return entries before this time, in ISO 8601. Times without an offset are in UTC."
    )

    @property
    def is_filtered(self) -> bool:
        """Whether any parameter limits the list."""
        return bool(self.model_dump(exclude=set(Page.model_fields), exclude_none=True))
