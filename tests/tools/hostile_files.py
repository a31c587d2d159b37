"""Contents of files that a careful reader refuses: bombs, lies about lengths, references to what is not theirs."""

import gzip
import io
import tarfile
import warnings
import zipfile
from collections.abc import Sequence
from functools import cache
from random import Random
from zlib import compress, crc32

_LAUGHS = "".join(
    f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in zip("bcdefghij", "cdefghijz", strict=True)
)
_BILLION_LAUGHS = f'<!DOCTYPE a [<!ENTITY b "ha">{_LAUGHS}]><a>&z;</a>'
_EXTERNAL_ENTITY = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'
_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="1e9" height="1e9">'
    '<image xlink:href="file:///etc/passwd" width="10" height="10"/><use xlink:href="#u" id="u"/>'
    '<style>@import url("http://127.0.0.1:9/x.css");</style></svg>'
)
XML = (_BILLION_LAUGHS, _EXTERNAL_ENTITY, _SVG, "<a>" * 5_000 + "</a>" * 5_000, "<a b='1' b='2'>&nope;</a>")
_LONG_MEMBER = 3_000_000
_MOST_BYTES = 4_000_000


def _zip(members: Sequence[tuple[str, bytes]]) -> bytes:
    target = io.BytesIO()
    # Two members of one name are meant.
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _zip_bomb() -> bytes:
    """Some 60 KB that hold 60 MB."""
    return _zip([(f"{number}.txt", bytes(10_000_000)) for number in range(6)])


def _lying_zip() -> bytes:
    """Its directory gives the length of a member as 4 GiB less one byte, for one byte."""
    content = bytearray(_zip([("a.txt", b"a")]))
    place = content.index(b"PK\1\2") + 24
    content[place : place + 4] = b"\xff\xff\xff\xfe"
    return bytes(content)


def _traversing_tar() -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, kind, link in (
            ("../../canary/planted", tarfile.REGTYPE, ""),
            ("/etc/planted", tarfile.REGTYPE, ""),
            ("link", tarfile.SYMTYPE, "/etc/passwd"),
            ("link/planted", tarfile.REGTYPE, ""),
            ("device", tarfile.CHRTYPE, ""),
        ):
            member = tarfile.TarInfo(name)
            member.type, member.linkname = kind, link
            archive.addfile(member)
    return target.getvalue()


def _vast_png() -> bytes:
    """A picture of 60,000 by 60,000 pixels, as its head says (PNG, ISO/IEC 15948)."""
    head = b"IHDR" + (60_000).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    body = b"IDAT" + compress(bytes(1000))
    chunks = (
        (len(chunk) - 4).to_bytes(4, "big") + chunk + crc32(chunk).to_bytes(4, "big") for chunk in (head, body, b"IEND")
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _endless_pdf() -> bytes:
    """Its tree of pages is its own child, and it has no table of references."""
    return (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/Outlines 2 0 R>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 99999999/First 2 0 R/Next 2 0 R/Parent 2 0 R>>endobj\n"
        b"trailer<</Root 1 0 R/Prev 0>>\nstartxref\n0\n%%EOF"
    )


@cache
def bad_contents() -> tuple[bytes, ...]:
    """Files of many kinds, each bad in its own way."""
    office = ("[Content_Types].xml", "word/document.xml", "xl/workbook.xml", "ppt/presentation.xml", "mimetype")
    return (
        b"",
        b"\0",
        b"\xff\xfe\xfa" * 100,
        b"\xef\xbb\xbf",
        b"a" * 1_000_000,
        b'a,b\n"1,2\n3\n,,,,\n' * 50,
        b"a;a;\0\n=1+1;;;\r\r\n",
        b"[" * 100_000,
        b'{"a": NaN, "a": 1e999, "b": "\\ud800"}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b"a: &a [*a, *a]\nb: !!python/object/apply:os.system [id]\n",
        b"From: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n--b\nContent-Transfer-Encoding: base64\n\n!!!!",
        b"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:00000000T000000\nRRULE:FREQ=SECONDLY\nEND:VEVENT\nEND:VCALENDAR",
        b"SQLite format 3\0" + b"\x10\0\1\1\0\x40\x20\x20" + bytes(4_000),
        b"PAR1" + b"\xff" * 100 + b"PAR1",
        b"\x1f\x8b\x08\0",
        gzip.compress(bytes(50_000_000)),
        *(text.encode() for text in XML),
        *(_zip([(name, text.encode()) for name in office]) for text in XML),
        _zip([("../../canary/planted", b"x"), ("/etc/planted", b"x"), ("a\\..\\b", b"x"), ("a", b"1"), ("a", b"2")]),
        _zip([("a/" * 500, b""), ("con.txt", b"x" * _LONG_MEMBER)]),
        _zip_bomb(),
        _lying_zip(),
        _traversing_tar(),
        _vast_png(),
        _endless_pdf(),
    )


def spoilt(content: bytes, random: Random) -> bytes:
    """A file with something wrong in it: cut, flipped, doubled, patched, or spoilt within if it is a ZIP archive."""
    way = random.randrange(7)
    if way < 3 and content.startswith(b"PK\3\4"):
        return _spoilt_member(content, random)
    if way <= 1:
        return content[: random.randrange(len(content) + 1)]
    if way == 2:
        return (content + content)[:_MOST_BYTES]
    if way == 3:
        start = random.randrange(len(content) + 1)
        return content[:start] + content[start + random.randrange(1, 40) :]
    if way == 4:
        start = random.randrange(len(content) + 1)
        return content[:start] + random.choice((b"\xff" * 8, b"\0" * 8, b"9" * 30, b"<", b'"', b"\n")) + content[start:]
    flipped = bytearray(content)
    for _ in range(random.choice((1, 3, 20)) if flipped else 0):
        flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
    return bytes(flipped)


def _spoilt_member(content: bytes, random: Random) -> bytes:
    """The archive with one of its members spoilt or gone."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(name, archive.read(name)) for name in archive.namelist()]
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError):
        return content[:-10]
    number = random.randrange(len(members)) if members else 0
    for name, inner in members[number : number + 1]:
        members[number : number + 1] = [(name, spoilt(inner, random))] if random.random() < 0.8 else []
    return _zip(members)
