"""Messages in trade and health care: X12, EDIFACT, HL7."""

import re
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_formats._values import plain

_X12 = "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260101*1253*U*00401*000000905*0*T*>~"


class Segment(TypedDict):
    """A segment of an EDI message."""

    tag: Annotated[str, About("Segment name, such as BEG or UNH")]
    elements: Annotated[list[Any], About("Elements as text; elements with several components as lists")]


class Interchange(TypedDict):
    """An EDI interchange."""

    standard: Annotated[Literal["x12", "edifact", "hl7"], About("Standard of the message")]
    separators: Annotated[dict[str, str], About("Separators declared by the message")]
    sender: Annotated[str, About("Sender")]
    receiver: Annotated[str, About("Receiver")]
    messages: Annotated[list[str], About("Types of the messages")]
    segments: Annotated[list[Segment], About("All segments in order")]


@tool(
    tags="edi x12 edifact hl7 parse segments elements purchase order 850 invoice message healthcare",
    use_when=("Split this X12 850 into segments", "Parse an EDIFACT ORDERS message", "Read this HL7 v2 ADT message"),
    examples=(
        Example(
            {"text": _X12 + "GS*PO*1*2*20260101*1253*905*X*004010~ST*850*0001~PO1*1*25*EA*36**VP>X*1~SE*3*0001~"},
            {
                "standard": "x12",
                "sender": "SENDER",
                "receiver": "RECEIVER",
                "messages": ["850"],
                "separators": {"element": "*", "component": ">", "segment": "~"},
            },
            source="the layout of the X12 ISA segment: 106 characters that declare their separators",
        ),
        Example(
            {"text": "UNA:+.? 'UNB+IATB:1+6XPPC+LHPPC+940101:0950+1'UNH+1+PAORES:93:1:IA'FTX+A?'B?+C'"},
            {
                "standard": "edifact",
                "sender": "6XPPC",
                "receiver": "LHPPC",
                "messages": ["PAORES"],
                "segments": [
                    {"tag": "UNB", "elements": [["IATB", "1"], "6XPPC", "LHPPC", ["940101", "0950"], "1"]},
                    {"tag": "UNH", "elements": ["1", ["PAORES", "93", "1", "IA"]]},
                    {"tag": "FTX", "elements": ["A'B+C"]},
                ],
            },
            source="ISO 9735, the interchange of an airline, shortened; ? releases the next character",
        ),
        Example(
            {"text": "MSH|^~\\&|LAB|HOSP|EHR|CLINIC|20260101||ADT^A01|1|P|2.5\rPID|1||12~34||DOE^JANE"},
            {"standard": "hl7", "sender": "LAB", "receiver": "EHR", "messages": ["ADT^A01"]},
            source="HL7 version 2.5, chapter 2, the segment MSH",
        ),
        Refusal({"text": "hello"}, "ISA, UNA, UNB or MSH"),
    ),
    reply="The {standard} message from {sender} to {receiver}: {segments}",
)
def edi_parse_message(
    text: Annotated[str, About("EDI message", _X12, min_length=1, max_length=900_000)],
) -> Interchange:
    """Parse an EDI message in X12, UN/EDIFACT or HL7 version 2 into segments, elements and components.

    Use it for orders, invoices and hospital messages. The separators are read from the message itself. Returns sender,
    receiver, message types and all segments.
    """
    bare = text.strip().removeprefix("\ufeff")
    if bare.startswith("ISA") and len(bare) >= 106:
        return _x12(bare)
    if bare.startswith(("UNA", "UNB")):
        return _edifact(bare)
    if bare.startswith("MSH") and len(bare) > 8:
        return _hl7(bare)
    raise ToolError(
        "The message does not begin with a complete ISA, UNA, UNB or MSH segment. Check that it is complete."
    )


def _x12(text: str) -> Interchange:
    element, component, end = text[3], text[104], text[105]
    segments = _segments(text, end, element, component, "", keep_first=True)
    isa = [str(part).strip() for part in segments[0]["elements"]]
    return {
        "standard": "x12",
        "separators": {"element": element, "component": component, "segment": end},
        "sender": isa[5] if len(isa) > 5 else "",
        "receiver": isa[7] if len(isa) > 7 else "",
        "messages": [_first(segment, 0) for segment in segments if segment["tag"] == "ST"],
        "segments": segments,
    }


def _edifact(text: str) -> Interchange:
    component, element, release, end = ":", "+", "?", "'"
    if text.startswith("UNA") and len(text) > 9:
        component, element, _, release, _, end = list(text[3:9])
        text = text[9:]
    segments = _segments(text.strip(), end, element, component, release.strip())
    head = segments[0] if segments else {"tag": "", "elements": []}
    return {
        "standard": "edifact",
        "separators": {"element": element, "component": component, "segment": end, "release": release},
        "sender": _first(head, 1),
        "receiver": _first(head, 2),
        "messages": [_first(segment, 1) for segment in segments if segment["tag"] == "UNH"],
        "segments": segments,
    }


def _hl7(text: str) -> Interchange:
    element, component, end = text[3], text[4], "\r"
    lines = re.sub(r"\r\n|\n", "\r", text)
    segments = _segments(lines, end, element, component, "")
    head = lines.split(end)[0].split(element)
    segments[0] = {"tag": "MSH", "elements": head[1:]}
    heads = [line.split(element) for line in lines.split(end) if line.startswith("MSH")]
    return {
        "standard": "hl7",
        "separators": {"element": element, "component": component, "repetition": text[5], "escape": text[6]},
        "sender": head[2] if len(head) > 2 else "",
        "receiver": head[4] if len(head) > 4 else "",
        "messages": [one[8] for one in heads if len(one) > 8],
        "segments": segments,
    }


def _segments(
    text: str, end: str, element: str, component: str, release: str, keep_first: bool = False
) -> list[Segment]:
    """Return the segments of a message; with `keep_first` the first one, which declares the separators, is not split
    into components.
    """
    segments: list[Segment] = []
    for raw in split_released(text, end, release):
        if not (bare := raw.strip("\r\n ") if end != "\r" else raw.strip("\n ")):
            continue
        tag, *parts = split_released(bare, element, release)
        whole = keep_first and not segments
        elements = [part if whole else _components(part, component, release) for part in parts]
        segments.append({"tag": plain(tag), "elements": plain(elements)})
    return segments


def _components(part: str, component: str, release: str) -> Any:
    pieces = [_release(piece, release) for piece in split_released(part, component, release)]
    return pieces if len(pieces) > 1 else pieces[0]


def split_released(text: str, mark: str, release: str) -> list[str]:
    """Split at a separator that is not preceded by the release character."""
    if not release:
        return text.split(mark)
    pieces, start, place = [], 0, 0
    while place < len(text):
        if text[place] == release:
            place += 1
        elif text[place] == mark:
            pieces.append(text[start:place])
            start = place + 1
        place += 1
    return [*pieces, text[start:]]


def _release(text: str, release: str) -> str:
    return re.sub(re.escape(release) + "(.)", r"\1", text, flags=re.DOTALL) if release else text


def _first(segment: Segment, place: int) -> str:
    """Return the first component of an element, or empty text if there is none."""
    element = segment["elements"][place] if place < len(segment["elements"]) else ""
    return str(element[0] if isinstance(element, list) else element)
