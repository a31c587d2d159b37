"""Downloads from the web, and snapshots in web archives."""

import re
from typing import Annotated
from urllib.parse import quote, unquote, urlencode

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, OutputFile, Refusal, ToolError, save, tool
from retinue.sdk.http import MIB, Response, fetch, parse
from retinue_tools.web._pages import Address

_JSON = {"Content-Type": "application/json"}


class Snapshot(TypedDict):
    """An archived version of a page."""

    url: Annotated[str, About("URL of the snapshot")]
    time: Annotated[str, About("Time of the snapshot, UTC")]
    status: Annotated[int | None, About("HTTP status of the page")]
    digest: Annotated[str, About("Content digest, for comparing snapshots")]


class Snapshots(TypedDict):
    """Archived versions of a page."""

    snapshots: Annotated[list[Snapshot], About("Oldest first")]
    archived: Annotated[bool, About("Whether there is any snapshot")]


_CDX = (
    '[["timestamp","original","statuscode","digest"],["20020120142510","http://example.com:80/","200","HT2DYG"],'
    '["20260101000000","https://example.com/","-","ABCDEF"]]'
)


@tool(
    tags="internet archive wayback machine snapshot history old version page web archive",
    use_when=(
        "Show old versions of https://example.com.",
        "Is this page in the Internet Archive?",
        "What did the site look like in 2010?",
    ),
    examples=(
        Example(
            {"url": "example.com", "archive": "{site}"},
            {
                "archived": True,
                "snapshots": [
                    {
                        "url": "{site}/web/20020120142510/http://example.com:80/",
                        "time": "2002-01-20T14:25:10Z",
                        "status": 200,
                        "digest": "HT2DYG",
                    },
                    {"time": "2026-01-01T00:00:00Z", "status": None},
                ],
            },
            source="the documentation of the CDX server for the form of question and answer",
            site={
                "/cdx/search/cdx?url=example.com&output=json&fl=timestamp%2Coriginal%2Cstatuscode%2Cdigest"
                "&collapse=digest&limit=20": MockResponse(_CDX, 200, _JSON)
            },
        ),
        Example(
            {"url": "none.example", "archive": "{site}", "since": "2010", "until": "2011", "most": 1},
            {"archived": False, "snapshots": []},
            source="an empty answer",
            site={
                "/cdx/search/cdx?url=none.example&output=json&fl=timestamp%2Coriginal%2Cstatuscode%2Cdigest"
                "&collapse=digest&limit=1&from=2010&to=2011": MockResponse("[]", 200, _JSON)
            },
        ),
        Refusal({"url": "example.com", "since": "last year"}, "since must"),
    ),
    reply={
        "snapshots": "The archived versions, oldest first: {snapshots}",
        "": "The page is not in the Internet Archive.",
    },
    open_world=True,
    pace="long",
)
def web_find_snapshots(
    url: Annotated[
        str, About("Address of the page, with or without scheme", "example.com/a", min_length=3, max_length=2000)
    ],
    since: Annotated[
        str | None, About("First year, or day as YYYYMMDD", "2010", pattern="^[0-9]{4,8}$", max_length=8)
    ] = None,
    until: Annotated[
        str | None, About("Last year, or day as YYYYMMDD", "2012", pattern="^[0-9]{4,8}$", max_length=8)
    ] = None,
    most: Annotated[int, About("Maximum number of snapshots", minimum=1, maximum=500)] = 20,
    archive: Annotated[Address, About("Archive with a CDX server")] = "https://web.archive.org",
) -> Snapshots:
    """Find archived versions of a web page in the Internet Archive, each change once, with their addresses.

    Use it to see how a page looked or when it changed. To read a snapshot, use web_extract_article with its address.
    """
    fields = {"url": url, "output": "json", "fl": "timestamp,original,statuscode,digest", "collapse": "digest"}
    bounds = {"limit": str(most), "from": since, "to": until}
    query = urlencode({**fields, **{name: text for name, text in bounds.items() if text}}, quote_via=quote)
    rows = fetch(f"{archive.rstrip('/')}/cdx/search/cdx?{query}", timeout_s=50.0).raise_for_status().json()
    if not isinstance(rows, list):
        raise ToolError(f"{archive} is not a CDX server.")
    found = [
        row for row in rows[1:] if isinstance(row, list) and len(row) == 4 and re.fullmatch(r"\d{14}", str(row[0]))
    ]
    snapshots: list[Snapshot] = [
        {
            "url": f"{archive.rstrip('/')}/web/{time}/{original}",
            "time": f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:]}Z",
            "status": int(status) if re.fullmatch(r"[0-9]{3}", str(status)) else None,
            "digest": str(digest),
        }
        for time, original, status, digest in found
    ]
    return {"snapshots": snapshots, "archived": bool(snapshots)}


class Download(TypedDict):
    """A downloaded file."""

    file: OutputFile
    name: Annotated[str, About("Name of the file")]
    bytes: Annotated[int, About("Size in bytes")]
    media_type: Annotated[str, About("Media type stated by the server")]
    url: Annotated[str, About("Final URL")]


@tool(
    tags="download file url save fetch pdf image attachment",
    use_when=(
        "Download https://example.com/report.pdf.",
        "Save the image at this address as a file.",
        "Fetch the CSV file from the web and keep it.",
        "Download a file from a website",
    ),
    examples=(
        Example(
            {"url": "{site}/files/tea%20list.csv"},
            {"file": "tea list.csv", "name": "tea list.csv", "bytes": 8, "media_type": "text/csv"},
            source="the file itself: eight bytes",
            site={
                "/files/tea%20list.csv": MockResponse("a,b\n1,2\n", 200, {"Content-Type": "text/csv; charset=utf-8"})
            },
        ),
        Example(
            {"url": "{site}/get", "name": "mine.txt"},
            {"file": "mine.txt", "bytes": 1},
            source="the file itself",
            site={"/get": MockResponse("x", 200, {"Content-Disposition": 'attachment; filename="theirs.txt"'})},
        ),
        Example(
            {"url": "{site}/get"},
            {"file": "naïve.txt"},
            source="RFC 6266, section 4.3: filename* goes before filename",
            site={
                "/get": MockResponse(
                    "x", 200, {"Content-Disposition": "attachment; filename=\"n.txt\"; filename*=UTF-8''na%C3%AFve.txt"}
                )
            },
        ),
        Refusal({"url": "{site}/none"}, "404", site={"/": MockResponse("x")}),
    ),
    reply="I downloaded {name}, {bytes|byte}: {file}",
    open_world=True,
    pace="long",
    credits=2,
)
def http_download_file(
    url: Address,
    name: Annotated[
        str | None, About("Name for the file; default: that of the server", "report.pdf", max_length=200)
    ] = None,
    most_megabytes: Annotated[int, About("Maximum size", minimum=1, maximum=50)] = 20,
) -> Download:
    """Download a file from a web address and keep it as a file of the platform.

    Use it to pass documents, images or tables from the web to other tools. The name is the given one, the server's or
    that in the address.
    """
    answer = fetch(url, timeout_s=55.0, max_bytes=most_megabytes * MIB).raise_for_status()
    chosen = name or _stated_name(answer) or unquote(parse(answer.url).path or "").rpartition("/")[2] or "download"
    saved = save(chosen, answer.body)
    return {
        "file": saved,
        "name": saved,
        "bytes": len(answer.body),
        "media_type": answer.media_type,
        "url": answer.url,
    }


def _stated_name(answer: Response) -> str:
    """Return the file name in Content-Disposition (RFC 6266)."""
    header = answer.headers.get("content-disposition", "")
    coded = re.search(r"filename\*\s*=\s*utf-8'[^']*'([^;\s]+)", header, re.IGNORECASE)
    plain = re.search(r'filename\s*=\s*(?:"([^"]*)"|([^;\s]+))', header, re.IGNORECASE)
    return unquote(coded[1]) if coded else (plain[1] or plain[2] or "") if plain else ""
