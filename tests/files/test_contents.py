"""Reading content: ranges, conditional requests and headers."""

import re
from typing import Any
from urllib.parse import unquote

import pytest
import requests
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.datastructures import Headers

from retinue.core.errors import RangeNotSatisfiable
from retinue.files.file_metadata import attachment
from retinue.files.ranges import is_known, part_of
from tests.files.support import upload
from tests.support.client import Client, refuse

CONTENT = bytes(range(256)) * 3000
TAG = '"abc"'


def read(client: Client, record: Any, **headers: str) -> requests.Response:
    """Request the content of a file."""
    return client.get(f"/files/{record['id']}/content", headers={k.replace("_", "-"): v for k, v in headers.items()})


def test_content_comes_as_data_that_runs_nowhere(client: Client) -> None:
    response = read(client, upload(client, b"<script>alert(1)</script>", "a.html", "text/html"))
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"].startswith("sandbox;")
    assert response.headers["Content-Disposition"] == 'attachment; filename="a.html"'
    assert response.headers["Accept-Ranges"] == "bytes"
    assert response.headers["Cache-Control"] == "private, no-cache"
    assert response.headers["Content-Length"] == "25"


def test_a_large_file_comes_whole_and_in_parts(client: Client) -> None:
    record = upload(client, CONTENT)
    assert read(client, record).content == CONTENT
    for text, part in {
        "bytes=0-0": CONTENT[:1],
        "bytes=300000-": CONTENT[300_000:],
        "bytes=1000-600000": CONTENT[1000:600_001],
        "bytes=-7": CONTENT[-7:],
        "bytes=-9999999": CONTENT,
        "bytes=767999-9999999": CONTENT[-1:],
        "Bytes=5-9": CONTENT[5:10],
    }.items():
        response = read(client, record, Range=text)
        assert response.status_code == 206
        assert response.content == part
        first = CONTENT.index(part)
        told = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", response.headers["Content-Range"])
        assert told
        assert int(told[2]) - int(told[1]) + 1 == len(part)
        assert int(told[1]) % 256 == first % 256
        assert int(told[3]) == len(CONTENT)


@pytest.mark.parametrize("text", ["bytes=768000-", "bytes=99999999999999999999999-", "bytes=-0", "bytes=768000-768001"])
def test_a_range_past_the_end_is_refused_with_the_size(client: Client, text: str) -> None:
    response = read(client, upload(client, CONTENT), Range=text)
    refuse(response, 416, "768,000")
    assert response.headers["Content-Range"] == "bytes */768000"


@pytest.mark.parametrize(
    "text", ["bytes=5-4", "bytes=", "bytes=-", "bytes=a-b", "lines=1-2", "bytes=1-2,4-5", "5-9", "x" * 999]
)
def test_other_ranges_are_answered_with_the_whole(client: Client, text: str) -> None:
    response = read(client, upload(client, b"0123456789"), Range=text)
    assert (response.status_code, response.content) == (200, b"0123456789")
    assert "Content-Range" not in response.headers


def test_a_range_of_an_empty_file(client: Client) -> None:
    record = upload(client, b"")
    refuse(read(client, record, Range="bytes=0-"), 416, "0 bytes")
    assert read(client, record, Range="bytes=-5").status_code == 200
    assert read(client, record).content == b""


def test_a_client_that_has_it_is_told_so(client: Client) -> None:
    record = upload(client, b"0123456789")
    tag = f'"{record["sha256"]}"'
    assert read(client, record).headers["ETag"] == tag
    for known in (tag, f"W/{tag}", "*", f'"other", {tag}', f'"a,b",W/"x", {tag}'):
        response = read(client, record, If_None_Match=known)
        assert (response.status_code, response.content) == (304, b"")
        assert response.headers["ETag"] == tag
    assert read(client, record, If_None_Match='"other"').status_code == 200
    assert read(client, record, If_None_Match=tag, Range="bytes=0-1").status_code == 304


def test_a_range_of_another_version_is_answered_with_the_whole(client: Client) -> None:
    record = upload(client, b"0123456789")
    tag = f'"{record["sha256"]}"'
    assert read(client, record, Range="bytes=2-3", If_Range=tag).content == b"23"
    for other in ('"other"', f"W/{tag}", "Sat, 21 Nov 2026 08:00:00 GMT"):
        response = read(client, record, Range="bytes=2-3", If_Range=other)
        assert (response.status_code, len(response.content)) == (200, 10)
        assert read(client, record, Range="bytes=99-", If_Range=other).status_code == 200


@settings(max_examples=500)
@given(content=st.binary(max_size=50), first=st.none() | st.integers(0, 60), last=st.none() | st.integers(0, 60))
def test_a_range_is_a_slice(content: bytes, first: int | None, last: int | None) -> None:
    text = f"bytes={'' if first is None else first}-{'' if last is None else last}"
    headers = Headers({"range": text})
    if last == 0 if first is None else first >= len(content) and (last is None or last >= first):
        with pytest.raises(RangeNotSatisfiable) as refusal:
            part_of(headers, TAG, len(content))
        assert refusal.value.headers == {"Content-Range": f"bytes */{len(content)}"}
        return
    part = part_of(headers, TAG, len(content))
    got = content[part.start : part.end]
    if not part.partial:
        assert got == content
        assert not content or (first is None and last is None) or (first or 0) > (last or 0)
    elif first is None:
        assert last
        assert got == content[-last:]
    else:
        assert got == content[first : None if last is None else last + 1]
        assert got


@settings(max_examples=300)
@given(text=st.text(alphabet=st.characters(max_codepoint=255), max_size=40))
def test_any_header_is_read(text: str) -> None:
    headers = Headers(raw=[(b"range", text.encode("latin-1")), (b"if-none-match", text.encode("latin-1"))])
    assert part_of(headers, TAG, 10).end <= 10
    assert is_known(headers, TAG) == (text.strip() == "*" or TAG in text)


@settings(max_examples=300)
@given(name=st.text(alphabet=st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=60))
def test_any_name_can_be_read_from_the_disposition(name: str) -> None:
    header = attachment(name)
    assert header.isascii()
    found = re.fullmatch(
        r"attachment; filename=\"([^\"\\%]*)\"(?:; filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*))?", header
    )
    assert found
    assert (unquote(found[2]) if found[2] is not None else found[1]) == name
