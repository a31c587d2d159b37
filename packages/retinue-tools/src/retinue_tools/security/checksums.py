"""Digests of files, and checksums."""

import hashlib
import hmac
import re
import zlib
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, Text, ToolError, tool
from retinue_tools.security._bytes import Encoding, content_of

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"
_OTHER = "file_01k9z4m2n8q6r5t3v7w1x0y2zb"
_BY_LENGTH = {32: ("md5",), 40: ("sha1",), 64: ("sha256", "sha3_256", "blake2s"), 96: ("sha384",)}
_BY_LENGTH |= {56: ("sha224",), 128: ("sha512", "sha3_512", "blake2b")}
_SLOW_BYTES = 8_000_000

Checksum = Annotated[
    str | None,
    About(
        "Published checksum in hexadecimal, optionally as a line of sha256sum or as sha256:…",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        max_length=1000,
    ),
]


class FileDigests(TypedDict):
    """Digests of a file."""

    bytes: Annotated[int, About("Size of the file")]
    md5: Annotated[str, About("MD5; insecure, only for old lists")]
    sha1: Annotated[str, About("SHA-1; insecure, only for old lists")]
    sha256: Annotated[str, About("SHA-256")]
    sha512: Annotated[str, About("SHA-512")]
    matches: Annotated[bool | None, About("Whether the file has the published checksum; null if none was given")]
    algorithm: Annotated[str | None, About("Hash function that matches, or that was compared first")]


@tool(
    tags="hash file checksum verify sha256 sha512 md5 sha1 download integrity sha256sum",
    use_when=(
        "Does this download match its published SHA-256?",
        "What are the MD5 and SHA-256 of the file?",
        "Verify my ISO against this line of SHA256SUMS",
    ),
    examples=(
        Example(
            {"file": _FILE, "expected": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc.txt"},
            {"matches": True, "algorithm": "sha256", "bytes": 3, "md5": "900150983cd24fb0d6963f7d28e17f72"},
            source="FIPS 180-2, appendix B.1; RFC 1321, A.5",
            files={_FILE: "YWJj"},
        ),
        Example(
            {"file": _FILE},
            {"matches": None, "algorithm": None, "sha1": "a9993e364706816aba3e25717850c26c9cd0d89d"},
            source="FIPS 180-2, appendix A.1",
            files={_FILE: "YWJj"},
        ),
        Refusal({"file": _FILE, "expected": "not a checksum"}, "no checksum", files={_FILE: "YWJj"}),
    ),
    reply={
        "matches, algorithm": "Yes, the file has the published {algorithm} checksum.",
        "matches": "Yes, the file has the published checksum.",
        "args.expected": "No, the file does not have the published checksum; its SHA-256 is {sha256}.",
        "": "The SHA-256 of the file is {sha256}, and the MD5 {md5}.",
    },
    pace="normal",
)
def hash_verify_file(file: File, expected: Checksum = None) -> FileDigests:
    """Compute MD5, SHA-1, SHA-256 and SHA-512 of a file, and compare it with a published checksum.

    Use it to check that a download is complete and unaltered. The function is detected from the length of the checksum.
    """
    content = Path(file).read_bytes()
    matches, algorithm = (None, None) if expected is None else _match_checksum(content, expected)
    return {
        "bytes": len(content),
        "md5": hashlib.md5(content, usedforsecurity=False).hexdigest(),
        "sha1": hashlib.sha1(content, usedforsecurity=False).hexdigest(),
        "sha256": hashlib.sha256(content).hexdigest(),
        "sha512": hashlib.sha512(content).hexdigest(),
        "matches": matches,
        "algorithm": algorithm,
    }


def _match_checksum(content: bytes, expected: str) -> tuple[bool, str]:
    words = re.findall(r"(?<![0-9a-f])[0-9a-f]{32,128}(?![0-9a-f])", expected.lower())
    known = [word for word in words if len(word) in _BY_LENGTH]
    if not known:
        raise ToolError("The text contains no checksum. Give 32, 40, 56, 64, 96 or 128 hexadecimal digits.")
    for algorithm in _BY_LENGTH[len(known[0])]:
        if hmac.compare_digest(hashlib.new(algorithm, content).hexdigest(), known[0]):
            return True, algorithm
    return False, _BY_LENGTH[len(known[0])][0]


class Group(TypedDict):
    """Files with the same content."""

    sha256: Annotated[str, About("SHA-256 of the content")]
    bytes: Annotated[int, About("Size of each file")]
    files: Annotated[list[str], About("IDs of the files with this content")]


class Groups(TypedDict):
    """Files grouped by content."""

    identical: Annotated[bool, About("Whether all files have the same content")]
    groups: Annotated[list[Group], About("One group for each content, in file order")]
    first_difference: Annotated[
        int | None, About("Offset of the first byte in which the first two files differ; null if they are equal")
    ]


@tool(
    tags="compare files identical same duplicate hash content bytes difference",
    use_when=(
        "Are these two files identical?",
        "Which of these uploads are duplicates?",
        "At which byte do the two binaries differ?",
        "Which files are the same?",
        "Are some of my files duplicates?",
        "Find the same files twice in a folder",
    ),
    examples=(
        Example(
            {"files": [_FILE, _OTHER]},
            {"identical": False, "first_difference": 2},
            source="by hand: abc and abd differ in the third byte",
            files={_FILE: "YWJj", _OTHER: "YWJk"},
        ),
        Example(
            {"files": [_FILE, _OTHER]},
            {"identical": True, "first_difference": None},
            source="the same bytes twice",
            files={_FILE: "YWJj", _OTHER: "YWJj"},
        ),
        Refusal({"files": [_FILE]}, "files", files={_FILE: "YWJj"}),
    ),
    reply={
        "identical": "The files are identical.",
        "groups": "The files are not all identical. Those with the same content: {groups}",
        "": "The files are not identical.",
    },
    pace="normal",
)
def hash_compare_files(
    files: Annotated[list[File], About("Files to compare", [_FILE, _OTHER], min_items=2, max_items=50)],
) -> Groups:
    """Compare files byte for byte by their SHA-256, and group identical ones.

    Use it to find duplicates among uploads. Returns the groups, and the first difference between the first two files.
    """
    groups: dict[str, Group] = {}
    for file in files:
        content = Path(file).read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        groups.setdefault(digest, {"sha256": digest, "bytes": len(content), "files": []})["files"].append(file)
    first, second = (Path(file).read_bytes() for file in files[:2])
    return {
        "identical": len(groups) == 1,
        "groups": list(groups.values()),
        "first_difference": None if first == second else _first_difference(first, second),
    }


def _first_difference(first: bytes, second: bytes) -> int:
    """Return the first differing position, by bisection."""
    same, other = 0, min(len(first), len(second))
    while same < other:
        middle = (same + other + 1) // 2
        if first[same:middle] == second[same:middle]:
            same = middle
        else:
            other = middle - 1
    return same


class _Crc(TypedDict):
    width: int
    polynomial: int
    start: int
    reflected: bool
    final: int


_CRCS: dict[str, _Crc] = {
    name: {"width": width, "polynomial": polynomial, "start": start, "reflected": reflected, "final": final}
    for name, width, polynomial, start, reflected, final in (
        ("crc8", 8, 0x07, 0, False, 0),
        ("crc16_arc", 16, 0x8005, 0, True, 0),
        ("crc16_modbus", 16, 0x8005, 0xFFFF, True, 0),
        ("crc16_xmodem", 16, 0x1021, 0, False, 0),
        ("crc16_ccitt_false", 16, 0x1021, 0xFFFF, False, 0),
        ("crc16_x25", 16, 0x1021, 0xFFFF, True, 0xFFFF),
        ("crc24_openpgp", 24, 0x864CFB, 0xB704CE, False, 0),
        ("crc32c", 32, 0x1EDC6F41, 0xFFFFFFFF, True, 0xFFFFFFFF),
        ("crc32_mpeg2", 32, 0x04C11DB7, 0xFFFFFFFF, False, 0),
        ("crc64_ecma", 64, 0x42F0E1EBA9EA3693, 0, False, 0),
        ("crc64_xz", 64, 0x42F0E1EBA9EA3693, 2**64 - 1, True, 2**64 - 1),
    )
}

ChecksumKind = Annotated[
    Literal[
        "crc32",
        "crc32c",
        "crc32_mpeg2",
        "adler32",
        "fletcher16",
        "crc8",
        "crc16_arc",
        "crc16_modbus",
        "crc16_xmodem",
        "crc16_ccitt_false",
        "crc16_x25",
        "crc24_openpgp",
        "crc64_ecma",
        "crc64_xz",
    ],
    About("Checksum; crc32 is used by ZIP, PNG and Ethernet"),
]


class ShortSum(TypedDict):
    """A checksum against transmission errors, not against forgery."""

    hex: Annotated[str, About("The checksum in hexadecimal")]
    decimal: Annotated[str, About("The checksum as a decimal number")]
    bits: Annotated[int, About("Length in bits")]


@tool(
    tags="crc crc32 crc16 modbus crc32c adler32 fletcher checksum cyclic redundancy check",
    use_when=(
        "What is the CRC-32 of 123456789?",
        "Compute the Modbus CRC of the bytes 01 03 00 00 00 0A",
        "Adler-32 of this text",
    ),
    examples=(
        Example(
            {"text": "123456789"},
            {"hex": "cbf43926", "bits": 32, "decimal": "3421780262"},
            source="ISO 3309; check value of the CRC catalogue",
        ),
        Example({"text": "123456789", "kind": "crc16_modbus"}, {"hex": "4b37"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc16_arc"}, {"hex": "bb3d"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc16_xmodem"}, {"hex": "31c3"}, source="check value, CRC catalogue"),
        Example(
            {"text": "123456789", "kind": "crc16_ccitt_false"}, {"hex": "29b1"}, source="check value, CRC catalogue"
        ),
        Example({"text": "123456789", "kind": "crc16_x25"}, {"hex": "906e"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc8"}, {"hex": "f4"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc24_openpgp"}, {"hex": "21cf02"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc32c"}, {"hex": "e3069283"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc32_mpeg2"}, {"hex": "0376e6e7"}, source="check value, CRC catalogue"),
        Example({"text": "123456789", "kind": "crc64_xz"}, {"hex": "995dc9bbdf1939fa"}, source="the XZ file format"),
        Example(
            {"text": "123456789", "kind": "crc64_ecma"},
            {"hex": "6c40df5f0b497347"},
            source="check value, CRC catalogue",
        ),
        Example({"text": "Wikipedia", "kind": "adler32"}, {"hex": "11e60398"}, source="Wikipedia, Adler-32"),
        Example(
            {"file": _FILE, "kind": "fletcher16"}, {"hex": "c8f0"}, "Wikipedia, Fletcher", files={_FILE: "YWJjZGU="}
        ),
        Refusal({"kind": "crc32"}, "either text or file"),
    ),
    reply="The checksum is {hex} in hexadecimal, or {decimal} in decimal.",
    pace="normal",
)
def hash_compute_checksum(
    text: Text | None = None, kind: ChecksumKind = "crc32", encoding: Encoding = "utf8", file: File | None = None
) -> ShortSum:
    """Compute a CRC, Adler or Fletcher checksum of a text, of bytes or of a file.

    Use it for protocols and file formats that require such a checksum. Returns it in hexadecimal and decimal.
    """
    content = content_of(text, encoding, file)
    if kind not in ("crc32", "adler32") and len(content) > _SLOW_BYTES:
        raise ToolError(f"{kind} supports at most {_SLOW_BYTES:,} bytes. Use crc32 or adler32, or hash_verify_file.")
    width = _CRCS[kind]["width"] if kind in _CRCS else 16 if kind == "fletcher16" else 32
    value = _checksum(content, kind)
    return {"hex": f"{value:0{width // 4}x}", "decimal": str(value), "bits": width}


def _checksum(content: bytes, kind: str) -> int:
    match kind:
        case "crc32":
            return zlib.crc32(content)
        case "adler32":
            return zlib.adler32(content)
        case "fletcher16":
            return _fletcher(content)
    return _crc(content, _CRCS[kind])


def _fletcher(content: bytes) -> int:
    low = high = 0
    for byte in content:
        low = (low + byte) % 255
        high = (high + low) % 255
    return high << 8 | low


def _crc(content: bytes, crc: _Crc) -> int:
    """Compute a CRC by Ross Williams's model, with a table of the remainders of all bytes."""
    width, reflected = crc["width"], crc["reflected"]
    table = _remainders(width, crc["polynomial"], reflected)
    value, mask, top = crc["start"], (1 << width) - 1, width - 8
    for byte in content:
        if reflected:
            value = table[(value ^ byte) & 0xFF] ^ value >> 8
        else:
            value = table[value >> top ^ byte] ^ value << 8 & mask
    return value ^ crc["final"]


@cache
def _remainders(width: int, polynomial: int, reflected: bool) -> list[int]:
    mask, top = (1 << width) - 1, 1 << width - 1
    mirrored = int(f"{polynomial:0{width}b}"[::-1], 2)
    table = []
    for byte in range(256):
        value = byte if reflected else byte << width - 8
        for _ in range(8):
            if reflected:
                value = value >> 1 ^ (mirrored if value & 1 else 0)
            else:
                value = (value << 1 ^ (polynomial if value & top else 0)) & mask
        table.append(value)
    return table
