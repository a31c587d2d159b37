"""Generation and inspection of UUIDs (RFC 9562)."""

import secrets
import time
import uuid
import uuid as standard
from datetime import UTC, datetime, timedelta
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
    About(
        "random is version 4, time is the sortable version 7, name_sha1 and name_md5 (5 and 3) are derived from a name"
    ),
]
Name = Annotated[str | None, About("Name for a name-based UUID", "www.example.com", max_length=2000)]
Namespace = Annotated[Literal["dns", "url", "oid", "x500"], About("Namespace of the name")]


class Uuids(TypedDict):
    """Identifiers in order of generation."""

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
    reply={
        "uuids.1": "The UUIDs: {uuids}",
        "": "The UUID is {uuids.0}.",
    },
    idempotent=False,
)
def uuid_generate_identifiers(
    version: Version = "random", count: Count = 1, name: Name = None, namespace: Namespace = "dns"
) -> Uuids:
    """Generate UUIDs (GUIDs): random ones, ones that sort by time, or one derived from a name.

    Use it for new unique identifiers. Returns a list.
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


_GREGORIAN = datetime(1582, 10, 15, tzinfo=UTC)


class UuidReport(TypedDict):
    """Properties of a UUID."""

    uuid: Annotated[str, About("UUID in lower case with hyphens")]
    version: Annotated[int | None, About("Version 1 to 8; null if the variant has none")]
    variant: Annotated[str, About("RFC 9562, NCS, Microsoft or reserved")]
    kind: Annotated[str, About("Source of the bits of this version")]
    created_at: Annotated[str | None, About("Creation time in UTC, for versions 1, 6 and 7")]
    node: Annotated[str | None, About("Node of versions 1 and 6, often a network card address")]
    urn: Annotated[str, About("URN notation")]
    integer: Annotated[str, About("Decimal number")]


_KINDS = {
    1: "time and node",
    2: "DCE security",
    3: "MD5 of a name",
    4: "random",
    5: "SHA-1 of a name",
    6: "time and node, sortable",
    7: "Unix time and random, sortable",
    8: "custom",
}


@tool(
    tags="uuid guid inspect version decode timestamp node v1 v4 v7 time",
    use_when=(
        "Which version is the UUID c232ab00-9414-11ec-b3c8-9f6bdeced846?",
        "When was this UUID made?",
        "Is this a random UUID?",
        "Is this UUID version 1, 4 or 7?",
    ),
    examples=(
        Example(
            {"uuid": "C232AB00-9414-11EC-B3C8-9F6BDECED846"},
            {
                "version": 1,
                "created_at": "2022-02-22T19:22:22.000000Z",
                "node": "9f:6b:de:ce:d8:46",
                "variant": "RFC 9562",
                "uuid": "c232ab00-9414-11ec-b3c8-9f6bdeced846",
                "kind": "time and node",
                "urn": "urn:uuid:c232ab00-9414-11ec-b3c8-9f6bdeced846",
                "integer": "258133314363070689776975542038781941830",
            },
            source="RFC 9562, appendix A.1",
        ),
        Example(
            {"uuid": "017F22E2-79B0-7CC3-98C4-DC0C0C07398F"},
            {"version": 7, "created_at": "2022-02-22T19:22:22.000000Z", "node": None},
            source="RFC 9562, appendix A.6",
        ),
        Example(
            {"uuid": "1EC9414C-232A-6B00-B3C8-9F6BDECED846"},
            {"version": 6, "created_at": "2022-02-22T19:22:22.000000Z"},
            source="RFC 9562, appendix A.5",
        ),
        Refusal({"uuid": "c232ab00"}, "not a UUID"),
    ),
    reply={
        "created_at": "It is a UUID of version {version}, made on {created_at}.",
        "kind": "It is a UUID of version {version} ({kind}), which contains no time.",
        "": "It is a UUID of the variant {variant}.",
    },
)
def uuid_inspect_identifier(
    uuid: Annotated[
        str, About("UUID in any notation", "c232ab00-9414-11ec-b3c8-9f6bdeced846", min_length=1, max_length=60)
    ],
) -> UuidReport:
    """Return version, variant, and the time and node, if any, of a UUID (RFC 9562).

    Use it to find when an identifier was made, or whether it is random.
    """
    value = _uuid(uuid)
    bits, version = value.int, value.version
    return {
        "uuid": str(value),
        "version": version,
        "variant": _variant(bits >> 60 & 0xF),
        "kind": _KINDS.get(version or 0, "the nil or max UUID, or another variant"),
        "created_at": _made_at(bits, version),
        "node": (bits & 2**48 - 1).to_bytes(6, "big").hex(":") if version in (1, 6) else None,
        "urn": value.urn,
        "integer": str(bits),
    }


def _uuid(text: str) -> standard.UUID:
    try:
        return standard.UUID(text.strip())
    except ValueError as error:
        raise ToolError(f"{text} is not a UUID: 32 hexadecimal digits.") from error


def _variant(top: int) -> str:
    if top < 8:
        return "NCS"
    if top < 12:
        return "RFC 9562"
    return "Microsoft" if top < 14 else "reserved"


def _made_at(bits: int, version: int | None) -> str | None:
    match version:
        case 1:
            ticks = (bits >> 64 & 0xFFF) << 48 | (bits >> 80 & 0xFFFF) << 32 | bits >> 96
        case 6:
            ticks = bits >> 96 << 28 | (bits >> 80 & 0xFFFF) << 12 | bits >> 64 & 0xFFF
        case 7:
            return moment_of(bits >> 80)
        case _:
            return None
    return (_GREGORIAN + timedelta(microseconds=ticks // 10)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def moment_of(milliseconds: int) -> str | None:
    """Format a time in ISO 8601, or None beyond the year 9999."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)).strftime(
            "%Y-%m-%dT%H:%M:%S.%fZ"
        )
    except OverflowError:
        return None
