"""Files from the web."""

import re
from typing import Annotated
from urllib.parse import unquote

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MadeFile, Refusal, Served, save, tool
from retinue.sdk.http import MIB, Response, fetch, parse
from retinue_tools.web._pages import Address


class Download(TypedDict):
    """A file that was fetched."""

    file: MadeFile
    name: Annotated[str, About("Its name")]
    bytes: Annotated[int, About("Its size")]
    media_type: Annotated[str, About("What the server calls it")]
    url: Annotated[str, About("Address it came from in the end")]


@tool(
    tags="download file url save fetch pdf image attachment",
    use_when=(
        "Download https://example.com/report.pdf.",
        "Save the image at this address as a file.",
        "Fetch the CSV file from the web and keep it.",
    ),
    examples=(
        Example(
            {"url": "{site}/files/tea%20list.csv"},
            {"file": "tea list.csv", "name": "tea list.csv", "bytes": 8, "media_type": "text/csv"},
            source="the file itself: eight bytes",
            site={"/files/tea%20list.csv": Served("a,b\n1,2\n", 200, {"Content-Type": "text/csv; charset=utf-8"})},
        ),
        Example(
            {"url": "{site}/get", "name": "mine.txt"},
            {"file": "mine.txt", "bytes": 1},
            source="the file itself",
            site={"/get": Served("x", 200, {"Content-Disposition": 'attachment; filename="theirs.txt"'})},
        ),
        Example(
            {"url": "{site}/get"},
            {"file": "naïve.txt"},
            source="RFC 6266, section 4.3: filename* goes before filename",
            site={
                "/get": Served(
                    "x", 200, {"Content-Disposition": "attachment; filename=\"n.txt\"; filename*=UTF-8''na%C3%AFve.txt"}
                )
            },
        ),
        Refusal({"url": "{site}/none"}, "404", site={"/": Served("x")}),
    ),
    open_world=True,
    pace="long",
    credits=2,
)
def http_download_file(
    url: Address,
    name: Annotated[str | None, About("Name for the file; else the server's", "report.pdf", max_length=200)] = None,
    most_megabytes: Annotated[int, About("Refuse a larger file", minimum=1, maximum=50)] = 20,
) -> Download:
    """Download a file from a web address and keep it as a file of the platform.

    Use it to bring documents, images or tables from the web to other tools. The name is the one given, the server's
    or that in the address.
    """
    answer = fetch(url, timeout_s=55.0, max_bytes=most_megabytes * MIB).raise_for_status()
    chosen = name or _stated_name(answer) or unquote(parse(answer.url).path or "").rpartition("/")[2] or "download"
    kept = save(chosen, answer.body)
    return {
        "file": kept,
        "name": kept,
        "bytes": len(answer.body),
        "media_type": answer.media_type,
        "url": answer.url,
    }


def _stated_name(answer: Response) -> str:
    """The name that Content-Disposition gives (RFC 6266)."""
    header = answer.headers.get("content-disposition", "")
    coded = re.search(r"filename\*\s*=\s*utf-8'[^']*'([^;\s]+)", header, re.IGNORECASE)
    plain = re.search(r'filename\s*=\s*(?:"([^"]*)"|([^;\s]+))', header, re.IGNORECASE)
    return unquote(coded[1]) if coded else (plain[1] or plain[2] or "") if plain else ""
