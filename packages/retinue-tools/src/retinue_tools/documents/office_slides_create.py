"""Creation of PowerPoint files."""

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_blocks import Block, Span, markdown_blocks
from retinue_tools.documents._office_files import refusing_damage, save_document
from retinue_tools.documents._office_runs import xml_text
from retinue_tools.documents._office_slides_build import add_slide, add_table, blank, body_of, fill_body, set_notes

_MOST_SLIDES = 300

_TABLE_TOP = 1_600_000
_COVERS, _TEXTS, TITLE_LAYOUTS = ("Title Slide",), ("Title and Content",), ("Title Only", "Title and Content")

Point = Annotated[str, About("A point; each level below is indented by two spaces", "First point", max_length=2000)]


class Outlined(TypedDict):
    """A slide of an outline."""

    title: Annotated[str, About("Title of the slide", "Why tea?", min_length=1, max_length=300)]
    points: NotRequired[Annotated[list[Point], About("Points of the slide", ["Cheap", "  Also in bulk"], max_items=40)]]
    notes: NotRequired[Annotated[str, About("Speaker notes", "Pause here.", max_length=20_000)]]


class MadeSlides(TypedDict):
    """A created presentation."""

    file: OutputFile
    slides: Annotated[int, About("Number of slides")]


@tool(
    tags="pptx powerpoint create slides presentation outline deck bullets",
    use_when=(
        "Make a presentation with five slides about tea",
        "Turn this outline into PowerPoint slides",
        "Create a deck with speaker notes",
        "Make slides for my talk",
        "Make a PowerPoint",
    ),
    examples=(
        Example(
            {
                "title": "Tea",
                "subtitle": "A plan",
                "slides": [{"title": "Why?", "points": ["Cheap", "  in bulk"], "notes": "Pause."}, {"title": "End"}],
            },
            {"file": "slides.pptx", "slides": 3},
            source="by hand",
            then=(
                ExampleCall(
                    "pptx_convert_to_markdown",
                    {"file": "{made}"},
                    {
                        "markdown": "## Tea\n\n- A plan\n\n---\n\n## Why?\n\n- Cheap\n    - in bulk\n\n> Pause.\n\n"
                        "---\n\n## End\n"
                    },
                ),
                ExampleCall(
                    "pptx_extract_text", {"file": "{made}"}, {"title": "Tea", "width_mm": 338.7, "height_mm": 190.5}
                ),
            ),
        ),
        Example({"slides": [{"title": "Only"}]}, {"slides": 1}, source="by hand"),
        Refusal({"slides": []}, "at least 1 item"),
    ),
    reply="The presentation with {slides|slide}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def pptx_create_slides(
    slides: Annotated[
        list[Outlined],
        About(
            "Slides in order", [{"title": "Why tea?", "points": ["Cheap", "Warm"]}], min_items=1, max_items=_MOST_SLIDES
        ),
    ],
    title: Annotated[str, About("Title of a title slide; no title slide if empty", "Tea", max_length=300)] = "",
    subtitle: Annotated[str, About("Subtitle of the title slide", "A plan", max_length=300)] = "",
) -> MadeSlides:
    """Create a PowerPoint presentation (16:9) from titles, points in levels and speaker notes.

    Use it to turn an outline into slides. Returns the file; pptx_add_chart_slide and pptx_add_table_slide add more.
    """
    with refusing_damage("pptx"):
        deck = _deck(title, subtitle)
        for content in slides:
            slide = add_slide(deck, _TEXTS, xml_text(content["title"]))
            fill_body(slide, [_point(text) for text in content.get("points", []) if text.strip()])
            drop_empty_placeholder(slide)
            if content.get("notes", "").strip():
                set_notes(slide, xml_text(content["notes"]))
        return {"file": save_document(deck, "slides.pptx"), "slides": len(deck.slides)}


@tool(
    tags="pptx powerpoint create markdown convert slides presentation md",
    use_when=(
        "Turn this Markdown into PowerPoint slides",
        "Make slides from my notes, one for each heading",
        "Convert README.md to a presentation",
    ),
    examples=(
        Example(
            {"markdown": "# Tea\n\nA plan\n\n## Costs\n\n- Pot\n    - *12* euro\n\n| A | B |\n| - | - |\n| 1 | 2 |\n"},
            {"file": "slides.pptx", "slides": 3},
            source="a title, a slide for the heading, and one for its table",
            then=(
                ExampleCall(
                    "pptx_convert_to_markdown",
                    {"file": "{made}"},
                    {
                        "markdown": "## Tea\n\n- A plan\n\n---\n\n## Costs\n\n- Pot\n    - 12 euro\n\n---\n\n"
                        "## Costs\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n"
                    },
                ),
            ),
        ),
        Example(
            {"markdown": "One\n\n---\n\n- Two", "most_points": 3},
            {"slides": 2},
            source="a rule begins a new slide",
        ),
        Refusal({"markdown": " "}, "no text"),
    ),
    reply="The presentation with {slides|slide}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def pptx_create_from_markdown(
    markdown: Annotated[
        str, About("Markdown (CommonMark and tables)", "# Tea\n\n## Costs\n\n- Pot", max_length=200_000)
    ],
    most_points: Annotated[int, About("Maximum number of points per slide", minimum=3, maximum=20)] = 8,
) -> MadeSlides:
    """Create a PowerPoint presentation from Markdown: a slide for each heading or rule, with its points or table.

    Use it to present a text. A first heading of level 1 becomes the title slide; long lists continue on further slides.
    """
    blocks = markdown_blocks(markdown)
    if not blocks:
        raise ToolError("The Markdown has no text. Send at least one heading.")
    parts = _parts(blocks, most_points)
    if len(parts) > _MOST_SLIDES:
        raise ToolError(f"That makes more than {_MOST_SLIDES} slides. Use fewer headings, or raise most_points.")
    with refusing_damage("pptx"):
        deck = blank()
        for number, (heading, content) in enumerate(parts):
            cover = number == 0 and heading.level == 1 and all(block.kind == "paragraph" for block in content)
            table = content[0] if content and content[0].kind == "table" else None
            slide = add_slide(deck, _COVERS if cover else TITLE_LAYOUTS if table else _TEXTS, heading.text)
            if table:
                add_table(slide, table.rows, _TABLE_TOP)
            else:
                fill_body(slide, content)
            drop_empty_placeholder(slide)
        return {"file": save_document(deck, "slides.pptx"), "slides": len(deck.slides)}


def _deck(title: str, subtitle: str) -> Any:
    """Create a presentation, with a title slide if there is a title."""
    deck = blank()
    deck.core_properties.title = xml_text(title)[:255]
    deck.core_properties.author = ""
    if title.strip():
        slide = add_slide(deck, _COVERS, xml_text(title))
        fill_body(slide, [Block("paragraph", (Span(xml_text(subtitle)),))] if subtitle.strip() else [])
        drop_empty_placeholder(slide)
    return deck


def _point(text: str) -> Block:
    indent = len(text) - len(text.lstrip(" "))
    return Block("bullet", (Span(xml_text(text.strip())),), indent // 2 + 1)


def drop_empty_placeholder(slide: Any) -> None:
    """Remove an empty text placeholder, which would show its prompt."""
    body = body_of(slide)
    if body is not None and not str(body.text_frame.text).strip():
        body._element.getparent().remove(body._element)


def _parts(blocks: Sequence[Block], most_points: int) -> list[tuple[Block, list[Block]]]:
    """Yield headings with the content of their slides. Tables get separate slides."""
    parts: list[tuple[Block, list[Block]]] = []
    heading = Block("heading", (), 2)
    for block in blocks:
        if block.kind in ("heading", "rule"):
            heading = block if block.kind == "heading" else Block("heading", (), 2)
            parts.append((heading, []))
            continue
        last = parts[-1][1] if parts else None
        full = last is None or len(last) >= most_points or (bool(last) and "table" in (block.kind, last[0].kind))
        if full:
            parts.append((heading, []))
        parts[-1][1].append(block)
    return parts
