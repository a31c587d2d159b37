"""Requests about conversations. Fields that are not listed are ignored, as clients expect."""

from typing import Annotated

from pydantic import Field

from retinue.interop.lenient import Lenient
from retinue.interop.openai.schemas import Item, Metadata

Items = Annotated[list[Item], Field(max_length=20)]


class ConversationCreate(Lenient):
    """Request body of a conversation."""

    items: Items | None = None
    metadata: Metadata | None = None


class ConversationUpdate(Lenient):
    """Request body for new metadata, which replace the old."""

    metadata: Metadata | None = None


class ItemsCreate(Lenient):
    """Request body of items to add."""

    items: Annotated[Items, Field(min_length=1)]
