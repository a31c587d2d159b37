"""Reading of PowerPoint files."""

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Annotated, Any

from pptx.enum.shapes import PP_PLACEHOLDER
from typing_extensions import TypedDict

from retinue.sdk import About, Alias, Example, ExampleCall, File, OutputFile, Refusal, ToolError, save, tool
from retinue_tools.documents._office_files import SlideFile, slides, word
from retinue_tools.documents._office_samples import NOT_OFFICE, docx, para, pptx, relation
from retinue_tools.documents._samples import FILE, png
from retinue_tools.documents.file_types import file_detect_type

_MOST_PICTURES = 200
_TALK = pptx(("Tea", "Green\nBlack"), ("Costs", "12 | euro"))
_PICTURED = docx(
    para("Text"),
    more={"word/media/image1.png": png(3, 2, (200, 30, 30))},
    relations=relation(9, "image", "media/image1.png"),
)


class Slide(TypedDict):
    """A slide."""

    slide: Annotated[int, About("Slide number, from 1")]
    title: Annotated[str, About("Title; empty if there is none")]
    text: Annotated[str, About("All other text, one line for each paragraph; cells of tables are separated by tabs")]
    notes: Annotated[str, About("Speaker notes")]
    layout: Annotated[str, About("Name of the layout")]
    pictures: Annotated[int, About("Number of pictures")]
    charts: Annotated[int, About("Number of charts")]
    tables: Annotated[int, About("Number of tables")]
    hidden: Annotated[bool, About("Whether the slide is hidden in the presentation")]


class Deck(TypedDict):
    """Text of a presentation."""

    slides: Annotated[list[Slide], About("Slides in order")]
    count: Annotated[int, About("Number of slides")]
    words: Annotated[int, About("Number of words on all slides, without notes")]
    title: Annotated[str, About("Title in its properties")]
    author: Annotated[str, About("Author in its properties")]
    width_mm: Annotated[float, About("Width of the slides")]
    height_mm: Annotated[float, About("Height of the slides")]
    layouts: Annotated[list[str], About("Names of the layouts for new slides")]


class SlidesMarkdown(TypedDict):
    """A presentation as Markdown."""

    markdown: Annotated[str, About("Markdown, at most 200,000 characters")]
    slides: Annotated[int, About("Number of slides")]
    file: OutputFile


class Pictures(TypedDict):
    """Pictures extracted from a document or a presentation."""

    files: Annotated[list[OutputFile], About("The distinct pictures")]
    names: Annotated[list[str], About("Their names, in the same order")]
    count: Annotated[int, About("Number of pictures")]


@tool(
    tags="pptx powerpoint slides text extract read notes titles presentation",
    use_when=(
        "What is on the slides of this presentation?",
        "Read the speaker notes of talk.pptx",
        "How many slides and words has the deck?",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "slides": [
                    {"slide": 1, "title": "Tea", "text": "Green\nBlack", "notes": "", "layout": "Title and Content"},
                    {"slide": 2, "title": "Costs", "text": "12 | euro", "pictures": 0, "hidden": False},
                ],
                "count": 2,
                "words": 7,
                "width_mm": 338.7,
                "height_mm": 190.5,
            },
            source="the slides that the presentation was written with; 12,192,000 EMU are 338.67 mm",
            files={FILE: _TALK},
        ),
        Refusal({"file": FILE}, "is not a valid PowerPoint file (.pptx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "slides": "The presentation has {count|slide}: {slides}",
        "": "There are no slides in the presentation.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def pptx_extract_text(file: SlideFile) -> Deck:
    """Extract the text of a PowerPoint presentation, slide by slide, with titles, tables and speaker notes.

    Use it to read or summarise a .pptx file, or to inspect it before changing it. Also returns the layout and the
    numbers of pictures, charts and tables of each slide.
    """
    with slides(file) as deck:
        found = [_slide(number, slide) for number, slide in enumerate(deck.slides, 1)]
        core = deck.core_properties
        return {
            "slides": found,
            "count": len(found),
            "words": sum(len(f"{slide['title']} {slide['text']}".split()) for slide in found),
            "title": str(core.title),
            "author": str(core.author),
            "width_mm": round((deck.slide_width or 0) / 36_000, 1),
            "height_mm": round((deck.slide_height or 0) / 36_000, 1),
            "layouts": [str(layout.name) for layout in deck.slide_layouts],
        }


@tool(
    tags="pptx powerpoint markdown convert export slides outline md",
    use_when=(
        "Convert this presentation to Markdown",
        "Turn talk.pptx into notes for the wiki",
        "Give me the slides as a Markdown outline",
    ),
    examples=(
        Example(
            {"file": FILE},
            {
                "markdown": "## Tea\n\n- Green\n- Black\n\n---\n\n## Costs\n\n- 12 | euro\n",
                "slides": 2,
                "file": "slides.md",
            },
            source="CommonMark, by hand",
            files={FILE: _TALK},
        ),
        Example(
            {"file": FILE, "notes": False},
            {"slides": 1, "markdown": "## A\\_B\n\n- x\n"},
            source="CommonMark, section 2.4: the underscore is escaped",
            files={FILE: pptx(("A_B", "x"))},
        ),
        Refusal({"file": FILE}, "is not a valid PowerPoint file (.pptx)", files={FILE: NOT_OFFICE}),
    ),
    reply={
        "markdown": "The {slides|slide} in Markdown: {markdown}",
        "": "The slides in Markdown: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def pptx_convert_to_markdown(
    file: SlideFile, notes: Annotated[bool, About("Whether to include speaker notes as quotes")] = True
) -> SlidesMarkdown:
    """Convert a PowerPoint presentation to Markdown: titles as headings, text as nested lists, tables as tables.

    Use it to convert slides for a document or a prompt. Returns the Markdown and a file with all of it; pictures and
    charts are omitted.
    """
    with slides(file) as deck:
        parts = [_markdown(number, slide, notes=notes) for number, slide in enumerate(deck.slides, 1)]
    markdown = "\n\n---\n\n".join(parts) + "\n"
    return {"markdown": markdown[:200_000], "slides": len(parts), "file": save("slides.md", markdown.encode())}


@tool(
    tags="docx word pptx powerpoint office images pictures extract photos logos media slides",
    use_when=(
        "Get the pictures out of this Word document",
        "Extract all images of brochure.docx",
        "Save the logo in the .docx as a file",
        "Get the pictures out of this presentation",
        "Extract all images of talk.pptx",
        "Save the logo on the slides as a file",
    ),
    examples=(
        Example(
            {"file": FILE},
            {"files": ["image1.png"], "names": ["image1.png"], "count": 1},
            source="the one picture that the presentation was written with",
            files={FILE: pptx(("Tea", "Green"), picture=True)},
        ),
        Example(
            {"file": FILE},
            {"files": ["image1.png"], "names": ["image1.png"], "count": 1},
            source="the one picture that the document was written with",
            files={FILE: _PICTURED},
            then=(ExampleCall("file_detect_type", {"file": "{made}"}, {"media_type": "image/png"}),),
        ),
        Refusal({"file": FILE}, "no pictures", files={FILE: _TALK}),
        Refusal({"file": FILE}, "no pictures", files={FILE: docx(para("Text"))}),
    ),
    reply={
        "files": "I found {count|picture}: {files}",
        "": "There are no pictures in the document.",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
    aliases=(Alias("docx_extract_images"), Alias("pptx_extract_images")),
)
def office_extract_images(
    file: Annotated[File, About("ID of the Word or PowerPoint file (.docx, .pptx)", FILE)],
) -> Pictures:
    """Extract the pictures of a Word document or a PowerPoint presentation as files in their original formats.

    Use it to reuse photos, logos or figures, including those of layouts. Returns each stored picture, at most 200.
    """
    opened = slides if file_detect_type(file)["extension"] == "pptx" else word
    with opened(file) as document:
        found = {
            PurePosixPath(str(part.partname)).name: bytes(part.blob)
            for part in document.part.package.iter_parts()
            if str(part.content_type).startswith("image/")
        }
    if not found:
        raise ToolError("The file contains no pictures.")
    names = sorted(found)[:_MOST_PICTURES]
    return {"files": [save(name, found[name]) for name in names], "names": names, "count": len(found)}


def shapes_of(holder: Any) -> Iterator[Any]:
    """Yield all shapes of a slide or group, including those within groups."""
    for shape in holder.shapes:
        if hasattr(shape, "shapes"):
            yield from shapes_of(shape)
        else:
            yield shape


def title_of(slide: Any) -> Any:
    """Return the title shape of a slide, or None."""
    titles = (PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE)
    for shape in slide.placeholders:
        if shape.placeholder_format.type in titles:
            return shape
    return None


def is_frame(shape: Any) -> bool:
    """Return whether a shape is a slide's number, date or footer, which repeat on every slide."""
    frames = (PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER)
    return bool(shape.is_placeholder) and shape.placeholder_format.type in frames


def _content(slide: Any) -> list[Any]:
    """Yield the shapes other than the title, in stored order from top to bottom."""
    title = title_of(slide)
    return [
        shape
        for shape in shapes_of(slide)
        if not (title is not None and shape.shape_id == title.shape_id) and not is_frame(shape)
    ]


def _slide(number: int, slide: Any) -> Slide:
    title, content = title_of(slide), _content(slide)
    return {
        "slide": number,
        "title": "" if title is None else " ".join(str(title.text_frame.text).split()),
        "text": "\n".join(line for shape in content for line in _lines(shape)),
        "notes": _notes(slide),
        "layout": str(slide.slide_layout.name),
        "pictures": sum(hasattr(shape, "image") for shape in content),
        "charts": sum(bool(shape.has_chart) for shape in content),
        "tables": sum(bool(shape.has_table) for shape in content),
        "hidden": slide._element.get("show") == "0",
    }


def _lines(shape: Any) -> list[str]:
    if shape.has_table:
        return ["\t".join(" ".join(str(cell.text).split()) for cell in row.cells) for row in shape.table.rows]
    if not shape.has_text_frame:
        return []
    texts = (str(paragraph.text).replace("\v", " ").strip() for paragraph in shape.text_frame.paragraphs)
    return [text for text in texts if text]


def _notes(slide: Any) -> str:
    frame = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    return "" if frame is None else str(frame.text).strip()


def _markdown(number: int, slide: Any, *, notes: bool) -> str:
    title = title_of(slide)
    heading = " ".join(str(title.text_frame.text).split()) if title is not None else ""
    parts = [f"## {_escape(heading) or f'Slide {number}'}"]
    for shape in _content(slide):
        if shape.has_table:
            rows = [
                [_escape(" ".join(str(cell.text).split())).replace("|", "\\|") for cell in row.cells]
                for row in shape.table.rows
            ]
            lines = [f"| {' | '.join(row)} |" for row in rows]
            parts.append("\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]))
        elif shape.has_text_frame:
            paragraphs = [
                (found.level, str(found.text).replace("\v", " ").strip()) for found in shape.text_frame.paragraphs
            ]
            parts.append("\n".join(f"{'    ' * level}- {_escape(text)}" for level, text in paragraphs if text))
    if notes and _notes(slide):
        parts.append("> " + _notes(slide).replace("\n", "\n> "))
    return "\n\n".join(part for part in parts if part)


def _escape(text: str) -> str:
    for mark in "\\`*_[]<":
        text = text.replace(mark, f"\\{mark}")
    return text
