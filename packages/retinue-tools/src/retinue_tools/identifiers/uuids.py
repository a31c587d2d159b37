"""Universally unique identifiers, RFC 9562."""

import secrets
import time
import uuid
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Count, Example, Refusal, ToolError, tool

_NAMESPACES = {
    "dns": uuid.NAMESPACE_DNS,
    "url": uuid.NAMESPACE_URL,
    "oid": uuid.NAMESPACE_OID,
    "x500": uuid.NAMESPACE_X500,
}

Version = Annotated[
    Literal["random", "time", "name_sha1", "name_md5"],
    About("random is version 4, time is the sortable version 7, name_sha1 and name_md5 (5 and 3) follow from a name"),
]
Name = Annotated[str | None, About("The name that a name-based UUID is made from", "www.example.com", max_length=2000)]
Namespace = Annotated[Literal["dns", "url", "oid", "x500"], About("What kind of name it is")]


class Uuids(TypedDict):
    """Identifiers in their order of making."""

    uuids: Annotated[list[str], About("The identifiers, in lower case with hyphens")]


@tool(
    tags="uuid guid unique identifier id random generate v4 v5 v7",
    use_when=("Generate a UUID", "Give me five random GUIDs", "What is the version 5 UUID of www.example.com?"),
    examples=(
        Example(
            {"version": "name_sha1", "name": "www.example.com"},
            {"uuids": ["2ed6657d-e927-568b-95e1-2665a8aea6a2"]},
            source="RFC 9562, appendix A.4",
        ),
        Example(
            {"version": "name_md5", "name": "www.example.com"},
            {"uuids": ["5df41881-3aed-3515-88a7-2f4a814cf09e"]},
            source="RFC 9562, appendix A.2",
        ),
        Refusal({"version": "name_sha1"}, "needs a name"),
    ),
    idempotent=False,
)
def uuid_generate_identifiers(
    version: Version = "random", count: Count = 1, name: Name = None, namespace: Namespace = "dns"
) -> Uuids:
    """Generate UUIDs (GUIDs): random ones, ones that sort by time, or the one that belongs to a name.

    Use it for new unique identifiers. Returns them as a list.
    """
    if version in ("random", "time"):
        make = uuid.uuid4 if version == "random" else time_ordered
        return {
            "uuids": sorted(str(make()) for _ in range(count))
            if version == "time"
            else [str(make()) for _ in range(count)]
        }
    if not name:
        raise ToolError(f"A {version} UUID needs a name. Give name, or choose the version random.")
    named = uuid.uuid5 if version == "name_sha1" else uuid.uuid3
    return {"uuids": [str(named(_NAMESPACES[namespace], name))]}


def time_ordered() -> uuid.UUID:
    """Version 7: 48 bits of Unix milliseconds, then 74 random bits (RFC 9562, section 5.7)."""
    bits = (time.time_ns() // 1_000_000 & 2**48 - 1) << 80 | secrets.randbits(80)
    bits = bits & ~(0xF << 76) | 7 << 76
    return uuid.UUID(int=bits & ~(3 << 62) | 2 << 62)
