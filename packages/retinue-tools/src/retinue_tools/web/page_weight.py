"""What pages weigh."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, ToolError, ToolUnavailable, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import Address, Page, fetched_page


class Resource(TypedDict):
    """Something that a page loads."""

    url: Annotated[str, About("Its address")]
    kind: Annotated[str, About("script, style, image, font, media or frame")]
    bytes: Annotated[int, About("Bytes on the wire")]
    status: Annotated[int, About("Status; 0 where it could not be fetched")]


class Weight(TypedDict):
    """What a page weighs."""

    total_bytes: Annotated[int, About("Bytes on the wire, page and resources")]
    page_bytes: Annotated[int, About("Those of the page itself")]
    by_kind: Annotated[dict[str, int], About("Bytes of each kind of resource")]
    requests: Annotated[int, About("Requests in all")]
    resources: Annotated[list[Resource], About("Heaviest first")]
    not_measured: Annotated[int, About("Resources beyond the number that was wished for")]


_LOADED = (
    ("script", "//script[@src]/@src"),
    ("style", "//link[contains(concat(' ',@rel,' '),' stylesheet ')]/@href"),
    ("image", "//img/@src|//link[contains(@rel,'icon')]/@href|//video/@poster"),
    ("font", "//link[@rel='preload'][@as='font']/@href"),
    ("media", "//video/@src|//audio/@src|//source/@src"),
    ("frame", "//iframe/@src"),
)


@tool(
    tags="page weight size bytes performance requests scripts images load speed",
    use_when=(
        "How heavy is https://example.com?",
        "Which resources make this page slow?",
        "How many bytes of JavaScript does the page load?",
    ),
    examples=(
        Example(
            {"url": "{site}/"},
            {
                "page_bytes": 77,
                "total_bytes": 177,
                "requests": 4,
                "by_kind": {"script": 60, "image": 40},
                "resources": [
                    {"url": "{site}/a.js", "kind": "script", "bytes": 60, "status": 200},
                    {"url": "{site}/b.png", "kind": "image", "bytes": 40, "status": 200},
                    {"url": "{site}/c.png", "kind": "image", "bytes": 0, "status": 404},
                ],
                "not_measured": 0,
            },
            source="the bytes that the stand-in serves: 77 + 60 + 40, and an error",
            site={
                "/": Served("<script src=/a.js></script><img src=b.png><img src='/c.png'><img src='b.png'>"),
                "/a.js": Served("x" * 60),
                "/b.png": Served("y" * 40),
                "/c.png": Served("", 404),
            },
        ),
        Example(
            {"url": "{site}/", "most": 1},
            {"requests": 2, "not_measured": 1},
            source="one of two resources is wished for",
            site={"/": Served("<img src=a><img src=b>"), "/a": Served("x")},
        ),
        Refusal({"url": "{site}/x"}, "404", site={"/": Served("x")}),
    ),
    open_world=True,
    pace="long",
    tier="starter",
    credits=5,
    idempotent=False,
    memory_mb=2048,
)
def web_measure_page_weight(
    url: Address,
    most: Annotated[int, About("Resources to fetch at most", minimum=1, maximum=100)] = 40,
) -> Weight:
    """Measure what a web page weighs: fetches it with the scripts, styles, images and fonts that its HTML names.

    Use it to find what makes a page heavy. What scripts and styles load in turn is not counted.
    """
    page = fetched_page(url)
    wanted = dict(_resources(page))
    chosen = list(wanted.items())[:most]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(_measure, chosen))
    page_bytes = page.answer.transferred if page.answer else 0
    kinds = dict.fromkeys(item["kind"] for item in found)
    return {
        "total_bytes": page_bytes + sum(item["bytes"] for item in found),
        "page_bytes": page_bytes,
        "by_kind": {kind: sum(item["bytes"] for item in found if item["kind"] == kind) for kind in kinds},
        "requests": 1 + len(found),
        "resources": sorted(found, key=lambda item: -item["bytes"]),
        "not_measured": len(wanted) - len(chosen),
    }


def _resources(page: Page) -> Iterator[tuple[str, str]]:
    for kind, path in _LOADED:
        for target in page.root.xpath(path):
            place = page.link(str(target))
            if place.startswith(("http://", "https://")):
                yield place, kind


def _measure(wanted: tuple[str, str]) -> Resource:
    url, kind = wanted
    try:
        answer = fetch(url, timeout_s=6.0, max_bytes=16 * 2**20, whole=False)
    except (ToolError, ToolUnavailable):
        return {"url": url, "kind": kind, "bytes": 0, "status": 0}
    return {"url": url, "kind": kind, "bytes": answer.transferred, "status": answer.status}
