"""Archives of the web."""

import re
from typing import Annotated
from urllib.parse import quote, urlencode

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, ToolError, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import Address

_JSON = {"Content-Type": "application/json"}


class Snapshot(TypedDict):
    """An archived version of a page."""

    url: Annotated[str, About("Address of the version")]
    time: Annotated[str, About("When it was taken, UTC")]
    status: Annotated[int | None, About("Status that the page had")]
    digest: Annotated[str, About("Tells whether two versions are the same")]


class Snapshots(TypedDict):
    """Archived versions of a page."""

    snapshots: Annotated[list[Snapshot], About("Oldest first")]
    archived: Annotated[bool, About("Whether there is any")]


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
                "&collapse=digest&limit=20": Served(_CDX, 200, _JSON)
            },
        ),
        Example(
            {"url": "none.example", "archive": "{site}", "since": "2010", "until": "2011", "most": 1},
            {"archived": False, "snapshots": []},
            source="an empty answer",
            site={
                "/cdx/search/cdx?url=none.example&output=json&fl=timestamp%2Coriginal%2Cstatuscode%2Cdigest"
                "&collapse=digest&limit=1&from=2010&to=2011": Served("[]", 200, _JSON)
            },
        ),
        Refusal({"url": "example.com", "since": "last year"}, "since must"),
    ),
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
    most: Annotated[int, About("Versions to return at most", minimum=1, maximum=500)] = 20,
    archive: Annotated[Address, About("Archive with a CDX server")] = "https://web.archive.org",
) -> Snapshots:
    """Find archived versions of a web page in the Internet Archive, each change once, with their addresses.

    Use it to see how a page looked or when it changed. To read a version, extract the article at its address.
    """
    fields = {"url": url, "output": "json", "fl": "timestamp,original,statuscode,digest", "collapse": "digest"}
    bounds = {"limit": str(most), "from": since, "to": until}
    query = urlencode({**fields, **{name: text for name, text in bounds.items() if text}}, quote_via=quote)
    rows = fetch(f"{archive.rstrip('/')}/cdx/search/cdx?{query}", timeout_s=50.0).raise_for_status().json()
    if not isinstance(rows, list):
        raise ToolError(f"{archive} does not answer as a CDX server.")
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
