"""Recordings of what a browser sent and got (HAR)."""

import json
from collections import Counter
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

import orjson
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


class Slow(TypedDict):
    """A request of a recording."""

    url: Annotated[str, About("Its address")]
    method: Annotated[str, About("Its method")]
    status: Annotated[int, About("Status of the answer")]
    time_ms: Annotated[float, About("How long it took")]
    bytes: Annotated[int, About("Bytes of the answer")]


class Recording(TypedDict):
    """A summary of a HAR file."""

    requests: Annotated[int, About("Requests in all")]
    bytes: Annotated[int, About("Bytes of all answers")]
    time_ms: Annotated[float, About("Time of all requests together")]
    statuses: Annotated[dict[str, int], About("How many answers of each status")]
    hosts: Annotated[dict[str, int], About("How many requests to each host, most first, at most 100")]
    media_types: Annotated[dict[str, int], About("Bytes of each media type")]
    slowest: Annotated[list[Slow], About("The ten slowest requests")]
    largest: Annotated[list[Slow], About("The ten largest answers")]
    failed: Annotated[list[Slow], About("Answers with a status of 400 or more, or none, at most 100")]


_HAR = json.dumps(
    {
        "log": {
            "version": "1.2",
            "entries": [
                {
                    "time": 30.5,
                    "request": {"method": "GET", "url": "https://example.com/"},
                    "response": {
                        "status": 200,
                        "content": {"size": 900, "mimeType": "text/html; charset=utf-8"},
                        "bodySize": 400,
                    },
                },
                {
                    "time": 10,
                    "request": {"method": "POST", "url": "https://api.example.com/x"},
                    "response": {"status": 500, "content": {"size": 20, "mimeType": ""}, "bodySize": -1},
                },
            ],
        }
    }
)


@tool(
    tags="har http archive file summarize requests slow performance browser network recording",
    use_when=(
        "Summarise this HAR file.",
        "Which requests of the recording were slow or failed?",
        "How many bytes did the page load according to the HAR?",
    ),
    examples=(
        Example(
            {"text": _HAR},
            {
                "requests": 2,
                "bytes": 420,
                "time_ms": 40.5,
                "statuses": {"200": 1, "500": 1},
                "hosts": {"example.com": 1, "api.example.com": 1},
                "media_types": {"text/html": 400, "unknown": 20},
                "failed": [
                    {"url": "https://api.example.com/x", "method": "POST", "status": 500, "time_ms": 10.0, "bytes": 20}
                ],
            },
            source="HAR 1.2: bodySize is -1 where it is not known, and then the size of the content counts",
        ),
        Example(
            {"file": _FILE},
            {"requests": 0},
            source="a file without entries",
            files={_FILE: "eyJsb2ciOnsiZW50cmllcyI6W119fQ=="},
        ),
        Refusal({"text": "{}"}, "no HAR file"),
    ),
    memory_mb=1024,
)
def har_summarize_file(
    text: Annotated[
        str | None, About("Text of the file, where file is not given", '{"log": {}}', max_length=2_000_000)
    ] = None,
    file: File | None = None,
) -> Recording:
    """Summarise a HAR file, as browsers record it: requests, bytes, hosts, and the slow, large and failed ones.

    Use it to find out why a page is slow or what went wrong.
    """
    if (text is None) == (file is None):
        raise ToolError("Give either text or file: the text of the recording, or the file.")
    entries = [_record(entry) for entry in _entries(text if file is None else Path(file).read_bytes())]
    requests = [request for request, _ in entries]
    kinds: Counter[str] = Counter()
    for request, kind in entries:
        kinds[kind] += request["bytes"]
    hosts = Counter(_host(request["url"]) for request in requests)
    return {
        "requests": len(requests),
        "bytes": sum(request["bytes"] for request in requests),
        "time_ms": round(sum(request["time_ms"] for request in requests), 3),
        "statuses": dict(Counter(str(request["status"]) for request in requests)),
        "hosts": dict(hosts.most_common(100)),
        "media_types": dict(kinds.most_common(100)),
        "slowest": sorted(requests, key=lambda request: -request["time_ms"])[:10],
        "largest": sorted(requests, key=lambda request: -request["bytes"])[:10],
        "failed": [request for request in requests if not 100 <= request["status"] < 400][:100],
    }


def _entries(content: str | bytes | None) -> list[dict[str, Any]]:
    try:
        log = orjson.loads(content or "")
        entries = log["log"]["entries"]
    except (ValueError, KeyError, TypeError) as error:
        raise ToolError("That is no HAR file: it is no JSON with log and entries.") from error
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _record(entry: dict[str, Any]) -> tuple[Slow, str]:
    request, response = (_object(entry.get(name)) for name in ("request", "response"))
    content = _object(response.get("content"))
    size = _number(response.get("bodySize"))
    kind = str(content.get("mimeType") or "").partition(";")[0].strip() or "unknown"
    return {
        "url": str(request.get("url", ""))[:2000],
        "method": str(request.get("method", ""))[:20],
        "status": int(_number(response.get("status"))),
        "time_ms": max(_number(entry.get("time")), 0.0),
        "bytes": int(size if size > 0 else max(_number(content.get("size")), 0)),
    }, kind[:100]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and abs(value) < 1e15 else 0.0


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
