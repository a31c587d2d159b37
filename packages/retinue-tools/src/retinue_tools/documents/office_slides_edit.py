"""Changes of PowerPoint files: texts, placeholders, notes, and the order of slides."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pptx.oxml.ns import qn
from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, OutputFile, Refusal, ToolError, tool
from retinue_tools.documents._office_files import SlideFile, save_document, slides
from retinue_tools.documents._office_runs import (
    PLACEHOLDER,
    constant,
    filling,
    placeholders,
    replace_in_runs,
    row_values,
    text_pattern,
    xml_text,
)
from retinue_tools.documents._office_samples import pptx
from retinue_tools.documents._office_slides_build import set_notes
from retinue_tools.documents._samples import FILE
from retinue_tools.documents.office_slides_read import shapes_of

_TALK = pptx(("Tea", "Green\nBlack tea"), ("Costs {{year}}", "For {{ Client }}"))


class Replacement(TypedDict):
    """A text and its replacement."""

    find: Annotated[str, About("Text to replace", "2025", min_length=1, max_length=1000)]
    replace: Annotated[str, About("Replacement text", "2026", max_length=5000)]


class Note(TypedDict):
    """Notes of a slide."""

    slide: Annotated[int, About("Number of the slide, from 1", 1, minimum=1, maximum=10_000)]
    notes: Annotated[str, About("Text of the notes; empty removes them", "Pause here.", max_length=20_000)]


class Replaced(TypedDict):
    """A presentation with replaced texts."""

    file: OutputFile
    replaced: Annotated[int, About("Number of replacements")]
    counts: Annotated[list[int], About("Number of replacements for each text")]


class Filled(TypedDict):
    """A presentation with filled placeholders."""

    file: OutputFile
    filled: Annotated[int, About("Number of filled placeholders")]
    placeholders: Annotated[list[str], About("Placeholders of the template")]
    unused_fields: Annotated[list[str], About("Fields that the template does not use")]


class Noted(TypedDict):
    """A presentation with changed notes."""

    file: OutputFile
    slides: Annotated[list[int], About("Slides whose notes were set")]


class Arranged(TypedDict):
    """A presentation with rearranged slides."""

    file: OutputFile
    slides: Annotated[int, About("Number of slides")]
    removed: Annotated[list[int], About("Removed slides, by their old numbers")]


@tool(
    tags="pptx powerpoint find replace text substitute slides keep format",
    use_when=(
        "Replace 2025 with 2026 on all slides",
        "Change the client's name in the presentation",
        "Find and replace text in talk.pptx",
    ),
    examples=(
        Example(
            {"file": FILE, "replacements": [{"find": "tea", "replace": "juice"}]},
            {"file": "slides.pptx", "replaced": 2, "counts": [2]},
            source="by hand",
            files={FILE: _TALK},
            then=(ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [
                {"title": "juice", "text": "Green\nBlack juice"}, {"title": "Costs {{year}}"}]}),),
        ),
        Example(
            {"file": FILE, "replacements": [{"find": "Tea", "replace": "Mate"}], "match_case": True},
            {"replaced": 1},
            source="by hand",
            files={FILE: _TALK},
        ),
        Refusal({"file": FILE, "replacements": [{"find": "gin", "replace": ""}]}, "none of these", files={FILE: _TALK}),
    ),
    reply={
        "replaced": "I replaced {replaced|place}: {file}",
        "": "There was nothing to replace: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)  # fmt: skip
def pptx_replace_text(
    file: SlideFile,
    replacements: Annotated[
        list[Replacement], About("Texts to replace", [{"find": "2025", "replace": "2026"}], min_items=1, max_items=100)
    ],
    match_case: Annotated[bool, About("Whether to match case")] = False,
    whole_words: Annotated[bool, About("Whether to match whole words only")] = False,
) -> Replaced:
    """Replace texts on the slides, in the tables and in the notes of a PowerPoint presentation and keep the format.

    Use it for names, dates and terms. Returns the new file and the number of replacements for each text.
    """
    patterns = [text_pattern(item["find"], match_case=match_case, whole_words=whole_words) for item in replacements]
    texts = [xml_text(item["replace"]) for item in replacements]
    with slides(file) as deck:
        counts = [0] * len(patterns)
        for paragraph in _paragraphs(deck):
            for number, (pattern, text) in enumerate(zip(patterns, texts, strict=True)):
                counts[number] += replace_in_runs(paragraph.runs, pattern, constant(text))
        if not any(counts):
            raise ToolError("The presentation contains none of these texts. Check their spelling, or match_case.")
        return {"file": save_document(deck, "slides.pptx"), "replaced": sum(counts), "counts": counts}


@tool(
    tags="pptx powerpoint template fill placeholders values fields personalise",
    use_when=(
        "Fill the {{client}} placeholders of my slide template",
        "Personalise this presentation for a customer",
        "Put the figures into the marked places of report.pptx",
    ),
    examples=(
        Example(
            {"file": FILE, "values": {"year": 2026, "client": "Ada", "town": "Bonn"}},
            {
                "file": "slides.pptx",
                "filled": 2,
                "placeholders": ["Client", "year"],
                "unused_fields": ["town"],
            },
            source="by hand",
            files={FILE: _TALK},
            then=(ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [
                {"title": "Tea"}, {"title": "Costs 2026", "text": "For Ada"}]}),),
        ),
        Example(
            {"file": FILE, "values": {"year": "2026"}, "missing": "keep"},
            {"filled": 1},
            source="by hand",
            files={FILE: _TALK},
        ),
        Refusal({"file": FILE, "values": {"year": "2026"}}, "no field Client", files={FILE: _TALK}),
    ),
    reply={
        "unused_fields": "I filled {filled|placeholder}; {unused_fields} was not needed: {file}",
        "": "I filled {filled|placeholder}: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)  # fmt: skip
def pptx_fill_template(
    file: SlideFile,
    values: Annotated[
        dict[str, Annotated[str | float | bool | None, About("Value", "Ada", max_length=5000)]],
        About("Values by placeholder name", {"client": "Ada", "year": 2026}),
    ],
    missing: Annotated[
        Literal["refuse", "blank", "keep"], About("Handling of placeholders without a value")
    ] = "refuse",
) -> Filled:
    """Fill the placeholders {{field}} on the slides, in tables and in notes of a PowerPoint template.

    Use it for recurring reports and offers. Case is ignored; the format is kept. Returns the file.
    """
    with slides(file) as deck:
        names = placeholders("".join(str(run.text) for run in paragraph.runs) for paragraph in _paragraphs(deck))
        if not names:
            raise ToolError("The template has no placeholders. Write them as {{client}} at the position of a value.")
        texts = row_values(values, names, 1, missing)
        fields = {name: text for name, text in texts.items() if text is not None}
        count = sum(replace_in_runs(found.runs, _find_known(fields), filling(texts)) for found in _paragraphs(deck))
        used = {name.casefold() for name in names}
        return {
            "file": save_document(deck, "slides.pptx"),
            "filled": count,
            "placeholders": names,
            "unused_fields": sorted(name for name in values if name.strip().casefold() not in used),
        }


@tool(
    tags="pptx powerpoint speaker notes add set write presenter",
    use_when=(
        "Write speaker notes for each slide",
        "Add notes to slide 3 of talk.pptx",
        "Remove the notes before I send the presentation",
    ),
    examples=(
        Example(
            {"file": FILE, "notes": [{"slide": 2, "notes": "Pause."}]},
            {"file": "slides.pptx", "slides": [2]},
            source="by hand",
            files={FILE: _TALK},
            then=(
                ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [{"notes": ""}, {"notes": "Pause."}]}),
            ),
        ),
        Refusal({"file": FILE, "notes": [{"slide": 3, "notes": "x"}]}, "has 2 slides", files={FILE: _TALK}),
    ),
    reply={
        "slides.1": "The presentation with new notes on the slides {slides}: {file}",
        "": "The presentation with its new notes: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)
def pptx_set_notes(
    file: SlideFile,
    notes: Annotated[
        list[Note], About("Notes by slide", [{"slide": 1, "notes": "Pause here."}], min_items=1, max_items=500)
    ],
) -> Noted:
    """Write the speaker notes of slides in a PowerPoint presentation, replacing existing ones.

    Use it to add a script for the presenter, or to remove notes with empty texts. Returns the new file.
    """
    with slides(file) as deck:
        found = list(deck.slides)
        for note in notes:
            set_notes(found[_index(note["slide"], len(found))], xml_text(note["notes"]))
        return {"file": save_document(deck, "slides.pptx"), "slides": sorted({note["slide"] for note in notes})}


@tool(
    tags="pptx powerpoint slides reorder delete remove order keep select extract",
    use_when=(
        "Delete slides 4 to 6 from this presentation",
        "Move the last slide to the front",
        "Keep only slides 1, 3 and 5 of talk.pptx",
    ),
    examples=(
        Example(
            {"file": FILE, "order": [2, 1]},
            {"file": "slides.pptx", "slides": 2, "removed": []},
            source="by hand",
            files={FILE: _TALK},
            then=(
                ExampleCall(
                    "pptx_extract_text", {"file": "{made}"}, {"slides": [{"title": "Costs {{year}}"}, {"title": "Tea"}]}
                ),
            ),
        ),
        Example(
            {"file": FILE, "order": [1], "others": "hide"},
            {"slides": 2, "removed": []},
            source="by hand",
            files={FILE: _TALK},
            then=(
                ExampleCall("pptx_extract_text", {"file": "{made}"}, {"slides": [{"hidden": False}, {"hidden": True}]}),
            ),
        ),
        Example({"file": FILE, "order": [2]}, {"slides": 1, "removed": [1]}, source="by hand", files={FILE: _TALK}),
        Refusal({"file": FILE, "order": [1, 1]}, "twice", files={FILE: _TALK}),
    ),
    reply={
        "removed": "The presentation now has {slides|slide}, without the old {removed}: {file}",
        "": "The presentation with {slides|slide} in the new order: {file}",
    },
    tier="starter",
    pace="normal",
    memory_mb=1024,
)  # fmt: skip
def pptx_arrange_slides(
    file: SlideFile,
    order: Annotated[
        list[Annotated[int, About("Number of a slide", 1, minimum=1, maximum=10_000)]],
        About("Slide numbers in the new order", [1, 3, 2], min_items=1, max_items=1000),
    ],
    others: Annotated[Literal["remove", "hide", "append"], About("Handling of slides that are not listed")] = "remove",
) -> Arranged:
    """Reorder the slides of a PowerPoint presentation, and remove or hide slides that are not listed.

    Use it to shorten or rearrange a deck. Returns the new file and the removed slides.
    """
    with slides(file) as deck:
        listing = deck.slides._sldIdLst
        entries = list(listing)
        chosen = [_index(number, len(entries)) for number in order]
        if len(set(chosen)) < len(chosen):
            raise ToolError("A slide is listed twice. List each once.")
        rest = [index for index in range(len(entries)) if index not in set(chosen)]
        for index in rest if others == "hide" else ():
            deck.slides[index]._element.set("show", "0")
        arranged = chosen if others == "remove" else chosen + rest
        for entry in entries:
            listing.remove(entry)
        for index in arranged:
            listing.append(entries[index])
        for index in rest if others == "remove" else ():
            deck.part.drop_rel(entries[index].get(qn("r:id")))
        return {
            "file": save_document(deck, "slides.pptx"),
            "slides": len(arranged),
            "removed": [index + 1 for index in rest] if others == "remove" else [],
        }


def _paragraphs(deck: Any) -> Iterator[Any]:
    """Return all paragraphs on slides, in tables and in notes."""
    for slide in deck.slides:
        for shape in shapes_of(slide):
            if shape.has_table:
                frames = [cell.text_frame for row in shape.table.rows for cell in row.cells]
            else:
                frames = [shape.text_frame] if shape.has_text_frame else []
            for frame in frames:
                yield from frame.paragraphs
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            yield from slide.notes_slide.notes_text_frame.paragraphs


def _find_known(fields: dict[str, str]) -> re.Pattern[str]:
    """Return a pattern for the placeholders with a value."""
    names = "|".join(map(re.escape, fields)) or "(?!)"
    return re.compile(PLACEHOLDER.pattern.replace("[^{}]{1,100}?", names), re.IGNORECASE)


def _index(number: int, count: int) -> int:
    if number > count:
        raise ToolError(f"There is no slide {number}: the presentation has {count} slides.")
    return number - 1
