"""One module reads request bodies and one class streams responses, so that their limits hold everywhere."""

import re

from tests.docs.blocks import ROOT

SOURCES = ROOT / "src/retinue"
READER, SENDER = "core/http/request_body.py", "core/http/streaming.py"
READS = re.compile(
    r"\.stream\(\)|\.body\(\)|\brequest\.(form|json)\(|(?<![.\w])receive\(\)(?! ->)"
    r"|from fastapi import .*\b(Body|File|Form|UploadFile)\b"
)
STREAMS = re.compile(r"\b(StreamingResponse|FileResponse)\b|\"more_body\":")


def places(pattern: re.Pattern[str]) -> set[str]:
    """Return the modules of the server in which a pattern occurs."""
    return {
        str(file.relative_to(SOURCES)) for file in SOURCES.rglob("*.py") if pattern.search(file.read_text())
    }  # fmt: skip


def test_one_module_reads_request_bodies() -> None:
    assert places(READS) == {READER, SENDER}  # The sender waits for the client's disconnect.


def test_one_module_streams_responses() -> None:
    assert places(STREAMS) == {SENDER}


def test_other_readers_and_senders_are_noticed() -> None:
    for careless in ("await request.body()", "async for x in request.stream():", "await receive()"):
        assert READS.search(careless)
    assert READS.search("from fastapi import APIRouter, UploadFile")
    assert STREAMS.search("return StreamingResponse(lines)")
    assert not READS.search("await process.receive()")
