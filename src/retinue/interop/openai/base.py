"""Where OpenAI's API is served, and what its lists have in common."""

from collections.abc import Mapping, Sequence

BASE = "/v1"


def list_ends(items: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the ids of the first and the last item of a list; None if it is empty."""
    return {"first_id": items[0]["id"], "last_id": items[-1]["id"]} if items else {"first_id": None, "last_id": None}
