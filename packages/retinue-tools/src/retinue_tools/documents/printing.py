"""Printing: pages of a print range, and number of sheets."""

import re
from math import ceil
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_PART = re.compile(r"(\d{1,6})?\s?([-\u2013])?\s?(\d{1,6})?")
_BETWEEN = re.compile(r"\s*(?:[,;]|\band\b)\s*")
_MOST_PAGES = 100_000
_BOOKLET_SHEET = 4
"""Pages of a folded sheet."""

Count = Annotated[int, About("Number of pages", 36, minimum=1, maximum=_MOST_PAGES)]
Price = Annotated[float | None, About("Price per page", 0.06, minimum=0, maximum=1e6)]


class PageChoice(TypedDict):
    """Pages of a print range."""

    count: Annotated[int, About("Number of distinct pages")]
    pages: Annotated[list[int], About("Page numbers in order, at most 1000")]
    cost: Annotated[float | None, About("Cost, if a price per page is given")]


class Paper(TypedDict):
    """Sheets of a print job."""

    sheets: Annotated[int, About("Sheets of paper for all copies")]
    sheets_per_copy: int
    pages: Annotated[int, About("Pages of one copy")]
    blank_sides: Annotated[int, About("Empty pages in one copy")]


@tool(
    tags="print range pages count printer selection expand 1-5 sheets cost per page dialog",
    use_when=(
        "How many pages are 3-7, 12 and 15-21?",
        "I print pages 2-5 and 9-12 at 8 cents a page. What does it cost?",
        "Which pages does the print range 1,3-5,8- mean in a document of 10 pages?",
    ),
    examples=(
        Example({"ranges": "3-7, 12, 15-21, 30-", "last_page": 36}, {"count": 20}, source="by hand: 5 + 1 + 7 + 7"),
        Example(
            {"ranges": "1-3, 2, 5", "page_price": 0.1},
            {"count": 4, "pages": [1, 2, 3, 5], "cost": 0.4},
            source="by hand",
        ),
        Refusal({"ranges": "30-"}, "last_page"),
        Refusal({"ranges": "7-3"}, "descending"),
        Refusal({"ranges": "40", "last_page": 36}, "36"),
    ),
    reply={
        "cost": "That is {count|page}, which cost {cost}.",
        "": "That is {count|page}.",
    },
)
def print_count_pages(
    ranges: Annotated[
        str,
        About("Pages and page ranges, in the notation of print dialogs", "3-7, 12, 30-", min_length=1, max_length=2000),
    ],
    last_page: Annotated[
        int | None, About("Pages of the document, for a range with an open end", 36, minimum=1, maximum=_MOST_PAGES)
    ] = None,
    page_price: Price = None,
) -> PageChoice:
    """Count the pages of a print range such as 3-7, 12, 30-.

    Use it for print jobs and their cost. A page that is listed twice counts once. Returns the pages.
    """
    chosen: set[int] = set()
    for part in filter(None, _BETWEEN.split(ranges.strip())):
        chosen.update(_pages(part, last_page))
    pages = sorted(chosen)
    cost = None if page_price is None else round(len(pages) * page_price, 6)
    return {"count": len(pages), "pages": pages[:1000], "cost": cost}


def _pages(part: str, last_page: int | None) -> range:
    """Return the pages of a number or a range; an open end is the last page."""
    found = _PART.fullmatch(part.strip())
    if not found or not (found[1] or found[3]):
        raise ToolError(f"{part[:40]} is neither a page nor a range. Write them as 3-7, 12, 30-.")
    first = int(found[1] or 1)
    last = int(found[3]) if found[3] else (last_page if found[2] else first)
    if last is None:
        raise ToolError("A range has an open end. Give last_page.")
    if last < first:
        raise ToolError(f"{part} is descending. Write the lower page first.")
    if first < 1 or last > (last_page or _MOST_PAGES):
        raise ToolError(f"Pages must be between 1 and {last_page or _MOST_PAGES}.")
    return range(first, last + 1)


@tool(
    tags="print sheets of paper double-sided duplex booklet pages copies handout n-up words per page ream",
    use_when=(
        "How many sheets of paper do 14 copies of 187 pages take, double-sided and two pages a side?",
        "A booklet of 73 pages, four to a folded sheet: how many sheets?",
        "48,000 words at 320 words a page, printed on both sides: how many sheets?",
        "How much paper does it take?",
    ),
    examples=(
        Example(
            {"pages": 187, "copies": 14, "pages_per_side": 2, "double_sided": True},
            {"sheets": 658, "sheets_per_copy": 47},
            source="by hand: 187 / 4 is 46.75, so 47 sheets; 14 * 47",
        ),
        Example({"pages": 73, "booklet": True}, {"sheets": 19, "blank_sides": 3}, source="by hand: 19 * 4 = 76"),
        Example(
            {"words": 48_300, "words_per_page": 320, "double_sided": True},
            {"pages": 151, "sheets": 76},
            source="by hand: 150.94 pages, so 151",
        ),
        Refusal({"words": 48_300}, "words_per_page"),
    ),
    reply="It takes {sheets|sheet} of paper, {sheets_per_copy} per copy.",
)
def print_count_sheets(
    pages: Annotated[int | None, About("Pages of one copy", 187, minimum=1, maximum=_MOST_PAGES)] = None,
    words: Annotated[
        int | None, About("Words of the text, if the number of pages is not known", 48_300, minimum=1, maximum=10**9)
    ] = None,
    words_per_page: Annotated[int | None, About("Words per page", 320, minimum=1, maximum=100_000)] = None,
    copies: Annotated[int, About("Number of copies, each on separate sheets", minimum=1, maximum=1_000_000)] = 1,
    pages_per_side: Annotated[int, About("Pages per side of the paper", minimum=1, maximum=64)] = 1,
    double_sided: Annotated[bool, About("Whether both sides of the paper are printed")] = False,
    booklet: Annotated[bool, About("Whether sheets are folded and stapled: four pages per sheet")] = False,
) -> Paper:
    """Count the sheets of paper that a print takes: one or both sides, several pages per side, copies, booklets.

    Use it for print jobs, handouts and magazines. Each copy begins on a new sheet. Returns sheets and empty pages.
    """
    needed = pages or _pages_of(words, words_per_page)
    room = _BOOKLET_SHEET if booklet else pages_per_side * (2 if double_sided else 1)
    sheets = ceil(needed / room)
    return {
        "sheets": sheets * copies,
        "sheets_per_copy": sheets,
        "pages": needed,
        "blank_sides": sheets * room - needed,
    }


def _pages_of(words: int | None, words_per_page: int | None) -> int:
    if not words or not words_per_page:
        raise ToolError("Give pages, or words and words_per_page.")
    return ceil(words / words_per_page)
