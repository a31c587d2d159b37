"""What a worker process sends to the pool."""

from collections.abc import Mapping, Sequence
from typing import Any, Required, TypedDict


class Reply(TypedDict, total=False):
    """The outcome of a request. `kind` says which of the other fields it has."""

    kind: Required[str]
    result: dict[str, Any]
    message: str
    detail: str
    outcomes: Sequence[Mapping[str, Any]]
    unconfined: Sequence[str]
    rss_mb: int
