"""Identifiers that are sortable by time, short, or easy to read aloud."""

import math
import secrets
import time
import uuid
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Count, Example, Refusal, ToolError, tool
from retinue_tools.identifiers.uuids import moment_of

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_URL = "useandom-26T198340PX75pxJACKVERYMINDBUSHWOLF_GQZbfghjklqvwyzrict"
_BASES = {
    "base62": "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "base36": "0123456789abcdefghijklmnopqrstuvwxyz",
    "crockford32": _CROCKFORD,
}


class Ulids(TypedDict):
    """New identifiers."""

    ulids: Annotated[list[str], About("Identifiers in order")]


@tool(
    tags="ulid generate identifier sortable time random",
    use_when=("Generate a ULID", "I need five sortable identifiers", "Make a ULID for a time in milliseconds"),
    examples=(
        Example({"count": 2, "at_ms": 0}, {}, source="random; their first ten characters are zeros"),
        Example({}, {}, source="random"),
        Refusal({"count": 0}, "count"),
    ),
    reply={
        "ulids.1": "The identifiers: {ulids}",
        "": "The identifier is {ulids.0}.",
    },
    idempotent=False,
)
def ulid_generate_identifiers(
    count: Count = 1,
    at_ms: Annotated[
        int | None, About("Unix time in milliseconds; default: now", 1469918176385, minimum=0, maximum=2**48 - 1)
    ] = None,
) -> Ulids:
    """Generate ULIDs: identifiers of 26 characters that sort by their time and are random otherwise.

    Use it for keys in databases. The identifiers of one call are ascending.
    """
    moment = time.time_ns() // 1_000_000 if at_ms is None else at_ms
    start = secrets.randbits(79)
    return {"ulids": [_crockford(moment << 80 | start + place, 26) for place in range(count)]}


def _crockford(value: int, width: int) -> str:
    return "".join(_CROCKFORD[value >> 5 * place & 31] for place in reversed(range(width)))


class Ulid(TypedDict):
    """A decoded ULID."""

    created_at: Annotated[str | None, About("Creation time in UTC")]
    unix_ms: Annotated[int, About("Creation time in milliseconds since 1970")]
    random_hex: Annotated[str, About("Random part in hexadecimal")]
    uuid: Annotated[str, About("UUID of the same 128 bits")]


@tool(
    tags="ulid decode timestamp time uuid convert",
    use_when=(
        "When was the ULID 01ARZ3NDEKTSV4RRFFQ69G5FAV made?",
        "Convert this ULID to a UUID",
        "Decode a ULID",
    ),
    examples=(
        Example(
            {"ulid": "01ARYZ6S41TSV4RRFFQ69G5FAV"},
            {"unix_ms": 1469918176385, "created_at": "2016-07-30T22:36:16.385000Z"},
            source="the ULID specification: 1469918176385 is 01ARYZ6S41",
        ),
        Refusal({"ulid": "81ARYZ6S41TSV4RRFFQ69G5FAV"}, "128 bits"),
    ),
    reply={
        "created_at": "It was made on {created_at}; as a UUID it is {uuid}.",
        "": "As a UUID it is {uuid}.",
    },
)
def ulid_decode_identifier(
    ulid: Annotated[str, About("The ULID", "01ARZ3NDEKTSV4RRFFQ69G5FAV", min_length=26, max_length=26)],
) -> Ulid:
    """Decode a ULID: its time, its random part, and the UUID of the same bits.

    Use it to find the creation time of a record.
    """
    text = ulid.upper().translate(str.maketrans("OIL", "011"))
    if any(sign not in _CROCKFORD for sign in text) or text[0] > "7":
        raise ToolError(
            "A ULID has 26 characters of Crockford's Base32, and the first is at most 7, because it has 128 bits."
        )
    value = 0
    for sign in text:
        value = value << 5 | _CROCKFORD.index(sign)
    milliseconds = value >> 80
    return {
        "created_at": moment_of(milliseconds),
        "unix_ms": milliseconds,
        "random_hex": f"{value & 2**80 - 1:020x}",
        "uuid": str(uuid.UUID(int=value)),
    }


class ShortIds(TypedDict):
    """New short identifiers."""

    ids: Annotated[list[str], About("The identifiers")]
    entropy_bits: Annotated[float, About("Number of random bits")]
    collision_at: Annotated[float, About("Number of identifiers for a collision probability of 1 %")]


@tool(
    tags="nanoid short id random url-safe generate identifier code voucher",
    use_when=(
        "Generate a nanoid",
        "Make 20 voucher codes that are easy to read aloud",
        "I need a short random id for URLs",
        "Make a short random id for a link",
    ),
    examples=(
        Example({}, {"entropy_bits": 126.0}, source="by hand: 21 characters of 6 bits"),
        Example(
            {"alphabet": "digits", "length": 6, "count": 3},
            {"entropy_bits": 19.93},
            source="by hand: log2(10^6)",
            tolerance=1e-3,
        ),
        Refusal({"length": 1}, "length"),
    ),
    reply={
        "ids.1": "The identifiers: {ids}",
        "": "The identifier is {ids.0}.",
    },
    idempotent=False,
)
def nanoid_generate_identifiers(
    count: Count = 1,
    length: Annotated[int, About("Length of each identifier", minimum=4, maximum=128)] = 21,
    alphabet: Annotated[
        Literal["url", "readable", "alphanumeric", "lowercase", "digits", "hex"],
        About("url is the alphabet of Nano ID; readable omits similar characters such as 0, O, 1 and I"),
    ] = "url",
    group: Annotated[int, About("Characters between hyphens; 0 for none", minimum=0, maximum=64)] = 0,
) -> ShortIds:
    """Generate short random identifiers: Nano IDs for URLs, codes for vouchers, or numbers.

    Use it if a UUID is too long. Also returns how many can be generated before a collision is likely.
    """
    signs = {
        "url": _URL,
        "readable": "23456789ABCDEFGHJKMNPQRSTVWXYZ",
        "alphanumeric": _BASES["base62"],
        "lowercase": _BASES["base36"],
        "digits": "0123456789",
        "hex": "0123456789abcdef",
    }[alphabet]
    made = ["".join(secrets.choice(signs) for _ in range(length)) for _ in range(count)]
    space = float(len(signs)) ** length
    step = group or length
    return {
        "ids": ["-".join(one[place : place + step] for place in range(0, length, step)) for one in made],
        "entropy_bits": round(length * math.log2(len(signs)), 2),
        "collision_at": float(f"{math.sqrt(-2 * space * math.log(0.99)):.3g}"),
    }


class Snowflake(TypedDict):
    """A decoded identifier with a time."""

    created_at: Annotated[str | None, About("Creation time in UTC")]
    unix_ms: Annotated[int, About("Creation time in milliseconds since 1970")]
    worker: Annotated[int | None, About("Machine or process number")]
    sequence: Annotated[int | None, About("Sequence number within the millisecond, or the counter of an ObjectId")]


@tool(
    tags="snowflake decode discord twitter x instagram mongodb objectid timestamp id time ksuid",
    use_when=(
        "When was the Discord message 175928847299117063 written?",
        "Decode the time of this tweet id",
        "When was the MongoDB ObjectId 507f1f77bcf86cd799439011 made?",
    ),
    examples=(
        Example(
            {"identifier": "175928847299117063", "kind": "discord"},
            {"unix_ms": 1462015105796, "created_at": "2016-04-30T11:18:25.796000Z", "worker": 32, "sequence": 7},
            source="Discord's developer documentation: the worked example (worker 1, process 0)",
        ),
        Example(
            {"identifier": "1541815603606036480", "kind": "twitter"},
            {"unix_ms": 1656432460105, "worker": 378, "sequence": 0},
            source="Wikipedia, Snowflake ID",
        ),
        Example(
            {"identifier": "507f1f77bcf86cd799439011", "kind": "mongodb"},
            {"created_at": "2012-10-17T21:13:27.000000Z"},
            source="the documentation of MongoDB, ObjectId.getTimestamp()",
        ),
        Refusal({"identifier": "abc", "kind": "discord"}, "a number"),
    ),
    reply={
        "created_at": "It was created on {created_at}.",
        "": "It was created at {unix_ms} milliseconds after 1970.",
    },
)
def snowflake_decode_identifier(
    identifier: Annotated[
        str, About("The identifier", "175928847299117063", pattern="^[0-9a-fA-F]+$", min_length=1, max_length=24)
    ],
    kind: Annotated[
        Literal["discord", "twitter", "instagram", "mastodon", "mongodb"],
        About("System of the identifier; twitter includes X"),
    ],
) -> Snowflake:
    """Decode the time in a Snowflake of Discord, X, Instagram or Mastodon, or in an ObjectId of MongoDB.

    Use it to find the creation time of a message, post or record.
    """
    if kind == "mongodb":
        if len(identifier) != 24:
            raise ToolError("An ObjectId has 24 hexadecimal digits.")
        seconds, counter = int(identifier[:8], 16), int(identifier[18:], 16)
        return {"created_at": moment_of(seconds * 1000), "unix_ms": seconds * 1000, "worker": None, "sequence": counter}
    if not identifier.isdigit() or int(identifier) >= 2**63:
        raise ToolError(f"An identifier of {kind} is a number below 2^63.")
    epoch, shift, sequence_bits = {
        "discord": (1_420_070_400_000, 22, 12),
        "twitter": (1_288_834_974_657, 22, 12),
        "instagram": (1_314_220_021_721, 23, 10),
        "mastodon": (0, 16, 16),
    }[kind]
    value = int(identifier)
    moment = (value >> shift) + epoch
    worker = value >> sequence_bits & (1 << shift - sequence_bits) - 1
    return {
        "created_at": moment_of(moment),
        "unix_ms": moment,
        "worker": None if kind == "mastodon" else worker,
        "sequence": value & (1 << sequence_bits) - 1,
    }


class Coded(TypedDict):
    """A number in another notation."""

    result: Annotated[str, About("Code, or the number in decimal")]


@tool(
    tags="base62 base58 base36 crockford encode number short code url id convert decode",
    use_when=(
        "Write the number 125 as a base62 short code",
        "Decode the base58 code 2g",
        "Turn a database id into a short URL code",
    ),
    examples=(
        Example({"value": "61"}, {"result": "z"}, source="by hand: the last sign of the alphabet"),
        Example(
            {"value": "349694840079", "base": "base58"},
            {"result": "ABnLTmg"},
            source="Bitcoin Core, base58 tests: 516b6fcd0f",
        ),
        Example(
            {"value": "zz", "base": "base36", "direction": "decode"}, {"result": "1295"}, source="by hand: 36² - 1"
        ),
        Refusal({"value": "0O", "base": "base58", "direction": "decode"}, "is not a character"),
    ),
    reply="It is {result}.",
)
def number_encode_short(
    value: Annotated[
        str, About("Decimal number, or code to decode", "125", pattern="^[0-9A-Za-z]+$", min_length=1, max_length=200)
    ],
    base: Annotated[Literal["base62", "base58", "base36", "crockford32"], About("Alphabet")] = "base62",
    direction: Annotated[Literal["encode", "decode"], About("Encode a number, or decode a code")] = "encode",
) -> Coded:
    """Write a whole number as a short code of letters and digits (Base62, 58, 36, Crockford's 32), or read such a code.

    Use it for short links and identifiers. Base58 and Crockford's omit characters that look similar.
    """
    signs = _BASES[base]
    if direction == "encode":
        if not value.isdigit():
            raise ToolError("The value must be a whole number in decimal digits.")
        number, code = int(value), ""
        while number or not code:
            number, place = divmod(number, len(signs))
            code = signs[place] + code
        return {"result": code}
    text = value.upper().translate(str.maketrans("OIL", "011")) if base == "crockford32" else value
    text = text.lower() if base == "base36" else text
    number = 0
    for sign in text:
        if sign not in signs:
            raise ToolError(f"{sign} is not a character of {base}.")
        number = number * len(signs) + signs.index(sign)
    return {"result": str(number)}
