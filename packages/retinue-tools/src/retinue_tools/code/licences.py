"""Software licences: texts, detection, file headers, and compatibility (SPDX identifiers)."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Literal

from rapidfuzz import fuzz
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._licence_texts import TEXTS
from retinue_tools.code._sources import Files, SourceFile

_CERTAIN, _LEAST_WORDS = 90.0, 40
"""A licence is recognised from part of its text if it has at least this many words and no other licence contains them.

"""
_TITLES: Mapping[str, str] = {
    "Apache-2.0": r"apache license\W+version 2\.0",
    "AGPL-3.0": r"gnu affero general public license\W+version 3",
    "LGPL-3.0": r"gnu lesser general public license\W+version 3",
    "LGPL-2.1": r"gnu lesser general public license\W+version 2\.1",
    "GPL-3.0": r"gnu general public license\W+version 3",
    "GPL-2.0": r"gnu general public license\W+version 2\b",
    "MPL-2.0": r"mozilla public license,?\W+version 2\.0",
    "EPL-2.0": r"eclipse public license\W+v(?:ersion)?\W*2\.0",
    "BSL-1.0": r"boost software license\W+version 1\.0",
    "EUPL-1.2": r"european union public licen[cs]e\W+v\. ?1\.2",
    "CC0-1.0": r"cc0 1\.0 universal",
    "CC-BY-4.0": r"attribution 4\.0 international",
    "CC-BY-SA-4.0": r"attribution-sharealike 4\.0 international",
}
_KINDS: Mapping[str, tuple[str, ...]] = {
    "public domain": ("CC0-1.0", "Unlicense", "0BSD", "MIT-0"),
    "permissive": ("MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "BSL-1.0", "Zlib", "CC-BY-4.0"),
    "weak copyleft": ("LGPL-2.1", "LGPL-3.0", "MPL-2.0", "EPL-2.0", "EUPL-1.2"),
    "strong copyleft": ("GPL-2.0", "GPL-3.0", "CC-BY-SA-4.0"),
    "network copyleft": ("AGPL-3.0",),
}
_CONDITIONS: Mapping[str, list[str]] = {
    "public domain": [],
    "permissive": ["keep the copyright notice and the licence text"],
    "weak copyleft": ["keep the notices", "publish changes to the licensed files or library under the same licence"],
    "strong copyleft": ["keep the notices", "publish the source of works built on it under the same licence"],
    "network copyleft": ["keep the notices", "offer the source also to users who reach the program over a network"],
    "unknown": ["read the text: it is none of those that are known"],
}
_COMMENTS: Mapping[str, tuple[str, str]] = {
    **dict.fromkeys((".py", ".sh", ".rb", ".yml", ".yaml", ".toml", ".pl", ".r", ".tf", ".ex", ".nix"), ("# ", "")),
    **dict.fromkeys(
        (".js", ".ts", ".jsx", ".tsx", ".c", ".h", ".cpp", ".hpp", ".cc", ".java", ".go", ".rs", ".kt", ".swift", ".cs",
         ".scala", ".php", ".dart", ".proto", ".scss", ".zig"),
        ("// ", ""),
    ),
    **dict.fromkeys((".html", ".xml", ".svg", ".md", ".vue", ".svelte"), ("<!-- ", " -->")),
    **dict.fromkeys((".css",), ("/* ", " */")),
    **dict.fromkeys((".sql", ".lua", ".hs", ".elm", ".ada"), ("-- ", "")),
    **dict.fromkeys((".lisp", ".clj", ".el", ".asm", ".ini"), ("; ", "")),
}  # fmt: skip
_GPL2_REFUSES = {"Apache-2.0", "GPL-3.0", "AGPL-3.0", "LGPL-3.0"}

Spdx = Annotated[str, About("SPDX identifier of a licence", "MIT", pattern=r"^[A-Za-z0-9.+-]+$", max_length=60)]


class Recognised(TypedDict):
    """Result of detecting a licence."""

    spdx: Annotated[str, About("SPDX identifier, or NOASSERTION if none matches")]
    confidence_percent: Annotated[float, About("Similarity of the text")]
    kind: Annotated[
        str, About("public domain, permissive, weak copyleft, strong copyleft, network copyleft or unknown")
    ]
    conditions: Annotated[list[str], About("Obligations of users in short; not legal advice")]
    copyright: Annotated[list[str], About("Copyright lines of the text")]


class LicenceText(TypedDict):
    """A licence text."""

    spdx: Annotated[str, About("SPDX identifier")]
    text: Annotated[str, About("Content of the LICENSE file")]


class Headed(TypedDict):
    """Files with licence headers."""

    files: Annotated[list[SourceFile], About("Files that got a header, with their new text")]
    have: Annotated[list[str], About("Files that already have an SPDX header")]
    different: Annotated[list[str], About("Files whose header names another licence")]
    unknown: Annotated[list[str], About("Files whose comment syntax is not known")]


class Compatibility(TypedDict):
    """Compatibility of dependencies' licences with that of a project."""

    compatible: Annotated[bool, About("Whether no licence prevents distribution")]
    problems: Annotated[list[str], About("Incompatible licences with reasons")]
    review: Annotated[list[str], About("Licences with conditions to review")]
    kinds: Annotated[dict[str, str], About("Kind of each licence")]


@tool(
    tags="license licence detect identify spdx mit apache gpl bsd text recognise",
    use_when=(
        "Which licence is this LICENSE file?",
        "Is this text the MIT or the BSD licence?",
        "May I use this library commercially under this licence text?",
    ),
    examples=(
        Example(
            {
                "text": "Copyright (c) 2024 Example\n\nPermission to use, copy, modify, and/or "
                "distribute this software for "
                "any purpose with or without fee is hereby granted, provided that the above copyright notice and this "
                'permission notice appear in all copies.\n\nTHE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS '
                "ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND "
                "FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL "
                "DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, "
                "WHETHER IN AN ACTION OF "
                "CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR "
                "PERFORMANCE OF THIS SOFTWARE."
            },
            {"spdx": "ISC", "kind": "permissive", "copyright": ["Copyright (c) 2024 Example"]},
            source="the SPDX License List, ISC",
        ),
        Example(
            {"text": "GNU AFFERO GENERAL PUBLIC LICENSE\n   Version 3, 19 November 2007\n"},
            {"spdx": "AGPL-3.0", "kind": "network copyleft"},
            source="the SPDX License List, AGPL-3.0",
        ),
        Example(
            {
                "text": "Permission is hereby granted, free of charge, to any person obtaining a copy of this "
                'software and associated documentation files (the "Software"), to deal in the Software '
                "without restriction, including without limitation the rights to use, copy, modify, "
                "merge, publish, distribute, sublicense, and/or sell copies of the Software, and to "
                "permit persons to whom the Software is furnished to do so, subject to the following "
                "conditions:"
            },
            {"spdx": "MIT"},
            source="the SPDX License List, MIT: its first half, which MIT-0 ends before the conditions",
        ),
        Example({"text": "All rights reserved."}, {"spdx": "NOASSERTION", "kind": "unknown"}, source="by hand"),
        Refusal({"text": ""}, "character"),
    ),
    reply="This is the licence {spdx} ({kind}); the text agrees to {confidence_percent} %.",
)
def license_detect_text(
    text: Annotated[
        str, About("Text of the licence", "Permission is hereby granted…", min_length=1, max_length=100_000)
    ],
) -> Recognised:
    """Recognise which open-source licence a text is.

    Use it on a LICENSE file. Long licences are recognised by their titles, short ones by their wording. Returns the
    SPDX identifier, the similarity, the kind of licence and its obligations in short.
    """
    spdx, confidence = _recognise(text)
    kind = _kind(spdx)
    notices = re.findall(r"^\W*(copyright (?:\(c\)|©|[0-9]).*)$", text, re.IGNORECASE | re.MULTILINE)
    return {
        "spdx": spdx,
        "confidence_percent": round(confidence, 1),
        "kind": kind,
        "conditions": list(_CONDITIONS[kind]),
        "copyright": notices[:20],
    }


@tool(
    tags="license licence generate text mit bsd isc zlib unlicense create file",
    use_when=(
        "Write an MIT licence for 2026 with my name",
        "Create a BSD 3-clause LICENSE file",
        "I need the text of the ISC licence",
    ),
    examples=(
        Example(
            {"spdx": "MIT", "holder": "The Authors", "year": 2026},
            {"spdx": "MIT"},
            source="the SPDX License List",
        ),
        Example({"spdx": "Unlicense"}, {"spdx": "Unlicense"}, source="the SPDX License List"),
        Refusal({"spdx": "MIT"}, "holder"),
    ),
    reply="The {spdx} licence: {text}",
)
def license_generate_text(
    spdx: Annotated[
        Literal["MIT", "MIT-0", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Zlib", "Unlicense"],
        About("SPDX identifier of the licence"),
    ],
    holder: Annotated[str, About("Copyright holder", "The Project Authors", max_length=200)] = "",
    year: Annotated[int, About("Year of the copyright", 2026, minimum=1970, maximum=2200)] | None = None,
) -> LicenceText:
    """Write the LICENSE file of a project with holder and year filled in.

    Use it for a new project. Only short permissive licences and public-domain dedications are available. Returns the
    text.
    """
    template = TEXTS[spdx]
    if "{holder}" in template and not (holder and year):
        raise ToolError(f"The licence {spdx} names a holder and a year. Give both.")
    return {"spdx": spdx, "text": template.replace("{holder}", holder).replace("{year}", str(year))}


@tool(
    tags="license header spdx copyright reuse source files insert check",
    use_when=(
        "Add an SPDX licence header to these source files",
        "Which of my files lack a licence header?",
        "Do these files say they are Apache-2.0?",
    ),
    examples=(
        Example(
            {
                "files": [
                    {"path": "a.py", "text": "#!/usr/bin/env python3\nx = 1\n"},
                    {"path": "b.css", "text": "a {}\n"},
                    {"path": "c.js", "text": "// SPDX-License-Identifier: MIT\n"},
                    {"path": "d.bin", "text": ""},
                ],
                "spdx": "Apache-2.0",
                "holder": "2026 The Authors",
            },
            {
                "files": [
                    {
                        "path": "a.py",
                        "text": "#!/usr/bin/env python3\n# SPDX-FileCopyrightText: 2026 The Authors\n"
                        "# SPDX-License-Identifier: Apache-2.0\n\nx = 1\n",
                    },
                    {
                        "path": "b.css",
                        "text": "/* SPDX-FileCopyrightText: 2026 The Authors */\n"
                        "/* SPDX-License-Identifier: Apache-2.0 */\n\na {}\n",
                    },
                ],
                "have": ["c.js"],
                "different": ["c.js"],
                "unknown": ["d.bin"],
            },
            source="REUSE specification 3.3",
        ),
        Example(
            {"files": [{"path": "a.go", "text": "package a\n"}], "spdx": "MIT"},
            {"files": [{"path": "a.go", "text": "// SPDX-License-Identifier: MIT\n\npackage a\n"}]},
            source="SPDX specification 2.3, annex E",
        ),
        Refusal({"files": [], "spdx": "MIT"}, "item"),
    ),
    reply={
        "files, have": "I added a header; {have} had one already: {files}",
        "files": "The files with their new header: {files}",
        "have": "All files have a header already.",
        "": "No file got a header.",
    },
)
def license_insert_headers(
    files: Files,
    spdx: Spdx,
    holder: Annotated[str, About("Year and holder of the copyright", "2026 The Authors", max_length=200)] = "",
) -> Headed:
    """Insert SPDX licence headers at the top of source files that have none.

    Use it to mark the licence of each file, or to find files without one. The comment follows the file's extension; a
    shebang or XML declaration stays first. Returns the changed files and those that have a header already.
    """
    changed: list[SourceFile] = []
    have, different, unknown = [], [], []
    for file in files:
        header = re.search(
            r"SPDX-License-Identifier:\s*([\w.+() -]+?)\s*(?:\*/|-->|$)", file["text"][:5000], re.MULTILINE
        )
        marks = _COMMENTS.get(PurePosixPath(file["path"]).suffix.lower())
        if header:
            have.append(file["path"])
            different += [file["path"]] if header[1] != spdx else []
        elif marks is None:
            unknown.append(file["path"])
        else:
            changed.append({"path": file["path"], "text": _add_heading(file["text"], marks, spdx, holder)})
    return {"files": changed, "have": have, "different": different, "unknown": unknown}


@tool(
    tags="license compatibility dependencies gpl copyleft audit open source compliance",
    use_when=(
        "Can I use a GPL-3.0 library in my MIT project?",
        "Are the licences of my dependencies compatible with Apache-2.0?",
        "Which dependency licences are a problem for closed-source software?",
    ),
    examples=(
        Example(
            {"project": "MIT", "dependencies": ["Apache-2.0", "GPL-3.0", "MPL-2.0"]},
            {
                "compatible": False,
                "review": ["MPL-2.0: publish changes to the licensed files or library under the same licence"],
                "kinds": {"Apache-2.0": "permissive", "GPL-3.0": "strong copyleft", "MPL-2.0": "weak copyleft"},
            },
            source="GNU project, licence compatibility",
        ),
        Example(
            {"project": "GPL-2.0", "dependencies": ["Apache-2.0"]},
            {"compatible": False},
            source="GNU project, list of licences: Apache 2.0 is not compatible with GPL version 2",
        ),
        Example(
            {"project": "GPL-3.0-or-later", "dependencies": ["GPL-3.0-only", "MIT"]},
            {"compatible": True, "problems": []},
            source="GNU project, list of licences",
        ),
        Refusal({"project": "MIT AND X", "dependencies": ["MIT"]}, "project"),
    ),
    reply={
        "compatible, review": "Yes, the licences are compatible, but review this: {review}",
        "compatible": "Yes, the licences are compatible.",
        "problems": "No, the licences are not compatible: {problems}",
        "": "No, the licences are not compatible.",
    },
)
def license_check_compatibility(
    project: Annotated[
        str, About("SPDX identifier of the project, or proprietary", "MIT", pattern=r"^[A-Za-z0-9.+-]+$", max_length=60)
    ],
    dependencies: Annotated[
        list[str], About("SPDX identifiers of the dependencies", ["Apache-2.0"], min_items=1, max_items=1000)
    ],
) -> Compatibility:
    """Check whether dependencies under these licences can be distributed with a project under another.

    Use it for a first check: it knows the common licences and treats linking as a combined work. Returns incompatible
    licences, conditions to review, and the kind of each licence. It is not legal advice.
    """
    own = _base(project)
    problems, review = [], []
    names = list(dict.fromkeys(dependencies))
    for name in names:
        kind = _kind(_base(name))
        reason = _objection(own, _base(name), kind)
        if reason:
            problems.append(f"{name}: {reason}")
        elif kind == "weak copyleft":
            review.append(f"{name}: {_CONDITIONS[kind][1]}")
        elif kind == "unknown":
            review.append(f"{name}: the licence is not known here")
    return {
        "compatible": not problems,
        "problems": problems,
        "review": review,
        "kinds": {name: _kind(_base(name)) for name in names},
    }


def _recognise(text: str) -> tuple[str, float]:
    """Return the licence whose title is at the top, or else the one with the most similar wording."""
    if match := re.search(r"SPDX-License-Identifier:\s*([\w.+-]+)", text):
        return match[1], 100.0
    words = _words(text)
    top = text[:2000].lower()
    for spdx, title in _TITLES.items():
        if re.search(title, top):
            return spdx, 99.0
    scores = {spdx: fuzz.ratio(words, _words(template)) for spdx, template in TEXTS.items()}
    best = max(scores, key=lambda spdx: scores[spdx])
    if scores[best] >= _CERTAIN:
        return best, scores[best]
    if len(words.split()) >= _LEAST_WORDS:
        parts = {spdx: fuzz.partial_ratio(words, _words(template)) for spdx, template in TEXTS.items()}
        likeliest, second = sorted(parts, key=lambda spdx: -parts[spdx])[:2]
        if parts[likeliest] >= _CERTAIN and parts[likeliest] - parts[second] >= 1:
            return likeliest, scores[likeliest]
    return "NOASSERTION", scores[best]


def _words(text: str) -> str:
    """Return the wording without titles, copyright lines, punctuation and case."""
    lines = [
        line
        for line in text.splitlines()
        if not re.match(r"\W*(copyright\b|.{0,40}licen[cs]e\W*$)", line, re.IGNORECASE)
    ]
    return " ".join(re.findall(r"[a-z0-9]+", " ".join(lines).lower()))[:6000]


def _base(spdx: str) -> str:
    return re.sub(r"(-only|-or-later|\+)$", "", spdx)


def _kind(spdx: str) -> str:
    return next((kind for kind, names in _KINDS.items() if _base(spdx) in names), "unknown")


def _objection(own: str, other: str, kind: str) -> str:
    """Return why a dependency must not be part of a work under the project's licence, or nothing if it may."""
    if own == "GPL-2.0" and other in _GPL2_REFUSES:
        return "its terms cannot be met together with those of GPL-2.0"
    if kind in ("strong copyleft", "network copyleft"):
        same_family = (
            own == other or (own == "AGPL-3.0" and other == "GPL-3.0") or (own == "GPL-3.0" and other == "AGPL-3.0")
        )
        return "" if same_family else f"works built on it must be under {other}, and the project is under {own}"
    return ""


def _add_heading(text: str, marks: tuple[str, str], spdx: str, holder: str) -> str:
    lines = [f"SPDX-FileCopyrightText: {holder}"] * bool(holder) + [f"SPDX-License-Identifier: {spdx}"]
    header = "".join(f"{marks[0]}{line}{marks[1]}\n" for line in lines)
    first = re.match(r"(#!|<\?xml|<\?php|<!DOCTYPE)[^\n]*\n", text, re.IGNORECASE)
    start = first.end() if first else 0
    return text[:start] + header + ("\n" + text[start:] if text[start:] else "")
