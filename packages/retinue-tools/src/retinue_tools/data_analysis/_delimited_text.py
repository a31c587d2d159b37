"""Layout of delimited text as programs export it: delimiter, header row, uneven rows, lone quotes and line ends."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

from retinue.sdk import ToolError
from retinue_tools.data_formats._delimiters import split_hint

MARKS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe"}
_NO_MARK = "\x1f"
"""Delimiter of texts with one column: a character that texts do not contain."""
_FIGURE = re.compile(r"[-+(]?[^\w\s]{0,2}\d[\d.,:/' -]*(?:[eE][-+]?\d+|%|[^\W\d]{0,3})\)?")
_TOTAL = re.compile(
    r"(grand |sub)?totals?( général)?|sum|summe|(gesamt|zwischen)(summe)?|insgesamt|[総合小]?計|总计|합계|итого",
    re.IGNORECASE,
)
_SAMPLE_CHARACTERS, _SAMPLE_ROWS, _MOST_ABOVE = 400_000, 300, 50
_FIRST_FAULTS = 5


@dataclass(frozen=True)
class Row:
    """A row: its first line from 0, the line after it, its fields, and whether its quotes were malformed."""

    line: int
    end: int
    fields: list[str]
    lone_quote: bool = False


@dataclass(frozen=True)
class Layout:
    """Where the table in a text is and how it is written."""

    mark: str
    names: list[str]
    body: str
    first_line: int
    """Number of the body's first line in the file, from 1."""
    notes: list[str]


def layout_of(text: str) -> Layout:
    """Find the delimiter and the header of a table. Raises `ToolError` if there is none."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    hint, rest = split_hint(text)
    start = len(text) - len(rest)
    lines = _sample(text[start : start + _SAMPLE_CHARACTERS])
    if hint is None:
        for rewrite in (_unframe, _align):
            if (rewritten := rewrite(text, lines)) is not None:
                text, lines = rewritten, _sample(rewritten[:_SAMPLE_CHARACTERS])
                break
    mark = hint or _delimiter(lines)
    rows = list(read_rows(lines, mark))
    place = header_place([row.fields for row in rows])
    if place is None:
        raise ToolError("The file is empty. A table needs at least a header.")
    header, shift = rows[place], 1 if hint else 0
    above = range(1 + shift, header.line + shift + 1) if any(any(row.fields) for row in rows[:place]) else ()
    end = start + sum(len(line) + 1 for line in lines[: header.end])
    return Layout(mark, header.fields, _without_blank_end(text, end, mark), header.end + shift + 1, skip_note(above))


def skip_note(above: Sequence[int]) -> list[str]:
    """Return a note about lines above the header, if there are any."""
    if not above:
        return []
    if len(above) == 1:
        return [f"Line {above[0]} is above the header and was skipped."]
    return [f"Lines {above[0]} to {above[-1]} are above the header and were skipped."]


def _sample(text: str) -> list[str]:
    return text.split("\n")[:_SAMPLE_ROWS]


def even_rows(layout: Layout) -> tuple[list[list[str]], list[str]]:
    """Return the rows of a body, each with a field for each column, and notes about repairs. Raises `ToolError`."""
    width = len(layout.names)
    rows, short, quotes, long = [], [], [], []
    for row in read_rows(layout.body.split("\n"), layout.mark):
        fields, line = row.fields, row.line + layout.first_line
        if row.lone_quote:
            quotes.append(line)
        if not any(fields) and width > 1:
            continue
        if any(field.strip() for field in fields[width:]):
            long.append((line, len(fields)))
        if len(fields) < width:
            short.append(line)
        rows.append([*fields[:width], *[""] * (width - len(fields))])
    if long:
        raise ToolError(_too_long(long, layout))
    return rows, _repair_notes(short, quotes)


def _repair_notes(short: Sequence[int], quotes: Sequence[int]) -> list[str]:
    notes = []
    if short:
        notes.append(f"{_lines(short)} fewer fields than the header; the missing fields are empty.")
    if quotes:
        notes.append(f"{_lines(quotes)} a quote that is not closed or not doubled; it was kept as a character.")
    return notes


def as_csv(rows: Iterable[Sequence[str]]) -> str:
    """Write rows with commas and doubled quotes (RFC 4180)."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def header_place(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the position of the header: the first full row if it consists of labels, else the first that is not
    blank; None if all are.
    """
    widths = [_filled_width(row) for row in rows[:_SAMPLE_ROWS]]
    first = next((place for place, width in enumerate(widths) if width), None)
    if first is None:
        return None
    counts = Counter(width for width in widths if width > 1)
    for full in sorted(counts, key=lambda width: (counts[width] * width, width), reverse=True):
        place = next((place for place, width in enumerate(widths[:_MOST_ABOVE]) if width >= full), first)
        if place == first:
            return first
        if _are_labels(rows[place]):
            gap = any(not width for width in widths[first:place])
            complete = len(rows[first]) == full == widths[first] + 1 > 2
            return first if complete and not gap and _are_labels(rows[first][: widths[first]]) else place
    return first


def total_note(first_cell: str | None) -> list[str]:
    """Return a note if the last row of a table begins like a row of totals."""
    if first_cell is None or not _TOTAL.fullmatch(first_cell.strip().rstrip(":")):
        return []
    return [f"The last row seems to be a total ({first_cell.strip()}). It is counted like any other row."]


def read_rows(lines: Sequence[str], mark: str) -> Iterator[Row]:
    """Split lines into rows. Line breaks within quotes belong to a field; malformed quotes are ordinary characters."""
    place = 0
    while place < len(lines):
        line = lines[place]
        fields = line.split(mark) if '"' not in line else _strict(line, mark)
        end = place + 1
        if fields is None and line.count('"') % 2:
            joined, end = _to_closing_quote(lines, place)
            fields = _strict(joined, mark) if joined else None
        if fields is None:
            yield Row(place, place + 1, _lenient(line, mark), lone_quote=True)
            place += 1
            continue
        yield Row(place, end, fields)
        place = end


def _to_closing_quote(lines: Sequence[str], place: int) -> tuple[str, int]:
    """Join lines up to that with the closing quote; an empty text if there is none within a hundred lines."""
    odd = True
    for end, line in enumerate(islice(lines, place + 1, place + 101), place + 2):
        odd ^= line.count('"') % 2 == 1
        if not odd:
            return "\n".join(lines[place:end]), end
    return "", place + 1


def _strict(record: str, mark: str) -> list[str] | None:
    """Return the fields of a record with proper quotes, else None."""
    try:
        rows = list(csv.reader([record], delimiter=mark, strict=True, skipinitialspace=f'{mark} "' in record))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else [""]


@cache
def _field(mark: str) -> re.Pattern[str]:
    """A field, whose closing quote is followed by the delimiter or the end."""
    end = f"(?={re.escape(mark)}|$)"
    return re.compile(rf'[ ]*"((?>[^"]|""|"(?!{end}))*+)"{end}|([^{re.escape(mark)}]*)')


def _lenient(line: str, mark: str) -> list[str]:
    fields, place = [], 0
    while place <= len(line):
        found = _field(mark).match(line, place)
        if found is None:
            break
        quoted, plain = found.groups()
        fields.append(plain if quoted is None else quoted.replace('""', '"'))
        place = found.end() + 1
    return fields


def _delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that splits most lines evenly, preferably from the first line on.

    Commas within numbers count only if no other delimiter fits, and commas before spaces only if the header has one.
    """
    scores = {mark: _evenness(read_rows(lines, mark)) for mark in MARKS}
    unlike = []
    if max(scores[";"], scores["\t"], scores["|"]) > 0:
        unlike.append(r"(?<=\d),(?=\d)")
    if "," not in next((line for line in lines if line.strip()), ""):
        unlike.append(r", ")
    if unlike:
        plain = [re.sub("|".join(unlike), ".", line) for line in lines]
        scores[","] = _evenness(read_rows(plain, ","))
    best = max(scores, key=lambda mark: scores[mark])
    return best if scores[best] else _NO_MARK


def _evenness(rows: Iterable[Row]) -> float:
    filled = [row for row in rows if any(field.strip() for field in row.fields)]
    counts = Counter(len(row.fields) for row in filled if len(row.fields) > 1 and not row.lone_quote)
    if not counts:
        return 0.0
    width = max(counts, key=lambda width: (counts[width] * width, width))
    share = counts[width] / len(filled)
    return float(
        share * (width - 1) ** 0.5 * (1.5 if len(filled[0].fields) == width and not filled[0].lone_quote else 1)
    )


def _filled_width(row: Sequence[str]) -> int:
    """Return the number of fields without the empty ones at the end."""
    return next((place for place in range(len(row), 0, -1) if row[place - 1].strip()), 0)


def _are_labels(row: Sequence[str]) -> bool:
    """Check whether fields are distinct words, as in a header."""
    names = [field.strip().casefold() for field in row if field.strip()]
    return len(set(names)) == len(names) and not any(_FIGURE.fullmatch(name) for name in names)


def _without_blank_end(text: str, start: int, mark: str) -> str:
    """Return the text from `start` without lines at its end that have only delimiters."""
    end = len(text)
    while end > start:
        break_ = text.rfind("\n", start, end)
        last = text[break_ + 1 if break_ >= 0 else start : end]
        if last.strip(mark + ' "'):
            break
        end = break_ if break_ >= 0 else start
    return text[start:end] + "\n" if end > start else ""


def _unframe(text: str, lines: Sequence[str]) -> str | None:
    """Return a table in a frame of pipes and dashes without the frame, or None if the text is not one."""
    framed = [line.strip() for line in lines if line.strip() and not _is_rule(line)]
    if len(framed) < 2 or not all(line[0] == line[-1] == "|" and len(line) > 1 for line in framed[-2:]):
        return None
    return "\n".join("" if _is_rule(line) else _inside(line) for line in text.split("\n"))


def _inside(line: str) -> str:
    line = line.strip()
    if len(line) < 2 or not line[0] == line[-1] == "|":
        return line
    return "|".join(cell.strip() for cell in line[1:-1].split("|"))


def _is_rule(line: str) -> bool:
    return not line.strip("-=+_|: ") and ("---" in line or "===" in line or "___" in line)


def _align(text: str, lines: Sequence[str]) -> str | None:
    """Return a report with columns aligned by spaces as delimited text, or None if the text is not one."""
    filled = [line for line in lines if line.strip() and not _is_rule(line)]
    pieces = [len(re.split(r" {2,}", line.strip())) for line in filled]
    width, count = Counter(pieces).most_common(1)[0] if pieces else (1, 0)
    if width < 2 or count < 2 or count < 0.7 * len(pieces) or re.search(r"[,;\t|]", filled[pieces.index(width)]):
        return None
    rows = ["" if _is_rule(line) else line for line in text.split("\n")]
    top = rows.index(filled[pieces.index(width)])
    starts = _column_starts(rows[top:])
    if len(starts) < 2:
        return None
    spans = list(zip(starts, [*starts[1:], None], strict=True))
    cells = ([line[start:end].strip() for start, end in spans] if line.strip() else [] for line in rows[top:])
    return "\n".join(rows[:top]) + "\n" * bool(top) + as_csv(cells)


def _column_starts(lines: Sequence[str]) -> list[int]:
    """Return the positions after two or more columns of spaces in all lines."""
    used = [False] * max(map(len, lines))
    for line in lines:
        for found in re.finditer(r"\S+", line):
            used[found.start() : found.end()] = [True] * (found.end() - found.start())
    return [place for place, filled in enumerate(used) if filled and not any(used[max(place - 2, 0) : place])]


def _lines(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers[:_FIRST_FAULTS]))
    rest = f" and {len(numbers) - _FIRST_FAULTS} more" if len(numbers) > _FIRST_FAULTS else ""
    return f"Line {listed} has" if len(numbers) == 1 else f"Lines {listed}{rest} have"


def _too_long(long: Sequence[tuple[int, int]], layout: Layout) -> str:
    line, count = long[0]
    others = f" The same is wrong in {len(long) - 1} other lines." if len(long) > 1 else ""
    return (
        f"Line {line} has {count} fields, but the header has {len(layout.names)} "
        f"(delimiter: {MARKS.get(layout.mark, layout.mark)}).{others} Put values that contain the delimiter in double "
        "quotes, or remove the extra fields, and send the file again."
    )
