"""File paths as text: normalisation, glob patterns, and permissions in the notations of chmod and ls."""

import ntpath
import posixpath
import re
from functools import lru_cache
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_FLAVOURS = {"posix": posixpath, "windows": ntpath}


class PathParts(TypedDict):
    """A normalised path and its parts."""

    path: Annotated[str, About("Path without . and .. segments and repeated separators")]
    absolute: bool
    folder: str
    name: str
    stem: Annotated[str, About("File name without its last extension")]
    ending: Annotated[str, About("Last extension with its dot, such as .gz")]
    relative: Annotated[str | None, About("Relative path from `start`; null without `start`")]


@tool(
    tags="path file normalize normalise resolve dots relative absolute join basename dirname extension folder parent",
    use_when=(
        "Normalise the path /srv/app/../logs/./x.log",
        "What is the relative path from /a/b/c to /a/d/e.txt?",
        "Which folder and extension has C:\\Users\\ann\\report.final.docx?",
    ),
    examples=(
        Example(
            {"path": "/srv/app/../data//./in/../raw/x.tar.gz"},
            {
                "path": "/srv/data/raw/x.tar.gz",
                "absolute": True,
                "folder": "/srv/data/raw",
                "name": "x.tar.gz",
                "stem": "x.tar",
                "ending": ".gz",
            },
            source="by hand, after POSIX.1-2017, 4.13",
        ),
        Example({"path": "/a/d/e.txt", "start": "/a/b/c"}, {"relative": "../../d/e.txt"}, source="by hand"),
        Example(
            {"path": "C:\\Users\\ann\\..\\bob\\a.txt", "style": "windows"},
            {"path": "C:\\Users\\bob\\a.txt", "folder": "C:\\Users\\bob", "name": "a.txt"},
            source="by hand",
        ),
        Refusal({"path": "a/b", "start": "/c"}, "both be absolute or both be relative"),
    ),
    reply={
        "relative": "The relative path is {relative}.",
        "": "The path is {path}.",
    },
)
def path_normalize_segments(
    path: Annotated[str, About("Path of a file or folder", "/srv/app/../data/./raw", min_length=1, max_length=4000)],
    start: Annotated[
        str | None, About("Folder from which to compute the relative path", "/srv", min_length=1, max_length=4000)
    ] = None,
    style: Annotated[
        Literal["posix", "windows"], About("posix: / as on Linux and macOS; windows: backslashes")
    ] = "posix",
) -> PathParts:
    """Normalise the path of a file without accessing the file system: resolve . and .., and list its parts.

    Use it also for the relative path from one folder to another. Symbolic links are not resolved.
    """
    flavour = _FLAVOURS[style]
    normal = flavour.normpath(path.replace("\x00", ""))
    stem, ending = flavour.splitext(flavour.basename(normal))
    return {
        "path": normal,
        "absolute": flavour.isabs(normal),
        "folder": flavour.dirname(normal),
        "name": flavour.basename(normal),
        "stem": stem,
        "ending": ending,
        "relative": None if start is None else _relative(normal, flavour.normpath(start.replace("\x00", "")), style),
    }


def _relative(path: str, start: str, style: Literal["posix", "windows"]) -> str:
    """Compute the relative path. The current folder and drive are unknown."""
    flavour = _FLAVOURS[style]
    drives = {flavour.splitdrive(one)[0].lower() for one in (path, start)}
    if flavour.isabs(path) != flavour.isabs(start) or len(drives) != 1:
        raise ToolError("Path and start must both be absolute or both be relative, and be on the same drive.")
    root = "\\" if style == "windows" else "/"
    ways = [flavour.splitdrive(one)[1].strip(root).split(root) for one in (path, start)]
    if ".." in (ways[0][0], ways[1][0]) and ways[0][0] != ways[1][0]:
        raise ToolError(
            "The path from a start that begins with .. cannot be computed. Give both relative to the same folder."
        )
    away, near = ([part for part in way if part not in ("", ".")] for way in ways)
    shared = next((n for n, (one, other) in enumerate(zip(away, near, strict=False)) if one != other), None)
    shared = min(len(away), len(near)) if shared is None else shared
    return root.join([".."] * (len(near) - shared) + away[shared:]) or "."


_LONGEST = 1000


class GlobMatches(TypedDict):
    """Paths that match a pattern."""

    matching: list[str]
    rejected: list[str]
    count: int


@tool(
    tags="glob pattern match files paths wildcard star ** question mark filter filenames extension brace",
    use_when=(
        "Which of these files match *.py: a.py, b.txt, src/c.py?",
        "Does src/**/*.ts match src/app/main.ts?",
        "Which names does report-202?-*.{csv,xlsx} select from report-2024-a.csv, report-24.csv, report-2023-b.xlsx?",
    ),
    examples=(
        Example(
            {"pattern": "*.py", "paths": ["a.py", "b.txt", "src/c.py"]},
            {"matching": ["a.py"], "rejected": ["b.txt", "src/c.py"], "count": 1},
            source="POSIX.1-2024, 2.14: a star does not match a slash",
        ),
        Example(
            {"pattern": "src/**/*.{ts,tsx}", "paths": ["src/main.ts", "src/app/x.tsx", "lib/y.ts"]},
            {"matching": ["src/main.ts", "src/app/x.tsx"]},
            source="bash with globstar",
        ),
        Example({"pattern": "img[0-9].png", "paths": ["img1.png", "imgx.png"]}, {"matching": ["img1.png"]}, "POSIX"),
        Refusal({"pattern": "a[", "paths": ["a"]}, "bracket"),
    ),
    reply={
        "matching": "{args.pattern} matches {matching}.",
        "matching, count, matching": "{args.pattern} matches {count|path}: {matching}",
        "": "{args.pattern} matches none of the paths.",
    },
)
def glob_match_paths(
    pattern: Annotated[
        str, About("Glob pattern with *, **, ?, [a-z] and {a,b}", "src/**/*.py", min_length=1, max_length=_LONGEST)
    ],
    paths: Annotated[
        list[str], About("File names or paths with /", ["src/a.py", "b.txt"], min_items=1, max_items=10_000)
    ],
) -> GlobMatches:
    """Find which file names or paths a glob pattern matches, without accessing the file system.

    Use it for build files, CI and ignore lists. A single star matches within one folder, two stars match any depth.
    """
    expression = re.compile(_expression(pattern), re.DOTALL)
    matching = [path for path in paths if expression.fullmatch(path.removeprefix("./"))]
    return {"matching": matching, "rejected": [path for path in paths if path not in matching], "count": len(matching)}


_TOKEN = re.compile(
    r"\*\*/|\*\*|\*|\?|\[(?P<set>[!^]?\]?[^\]]*)\]|\{(?P<choice>[^{}]*)\}|(?P<plain>[^*?\[{]|\{)", re.DOTALL
)
_WILD = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@lru_cache(64)
def _expression(pattern: str) -> str:
    """Convert the glob pattern to a regular expression."""
    text, place = "", 0
    while place < len(pattern):
        match = _TOKEN.match(pattern, place)
        if match is None:
            raise ToolError("The pattern has a bracket [ that is not closed.")
        text += _translate(match)
        place = match.end()
    return text


def _translate(match: re.Match[str]) -> str:
    if match["choice"] is not None:
        return "(?:" + "|".join(_expression(one) for one in match["choice"].split(",")) + ")"
    if match["set"] is not None:
        inner = match["set"].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return _WILD.get(match[0]) or re.escape(match[0])


_LETTERS = re.compile(r"[-dlbcps]?((?:[r-][w-][xsS-]){2}[r-][w-][xtT-])[.+@]?")
_CLAUSE = re.compile(r"([ugoa]*)([-+=])([rwxXst]*)")
_SHIFTS = {"u": 6, "g": 3, "o": 0}
_SPECIAL = {"setuid": 0o4000, "setgid": 0o2000, "sticky": 0o1000}
_BITS = {"r": 4, "w": 2, "x": 1}
_VERBS = {"r": "read", "w": "write", "x": "execute"}


class Permissions(TypedDict):
    """Permissions in all notations."""

    octal: Annotated[str, About("Octal digits, four if there is a special bit")]
    letters: Annotated[str, About("Nine letters, such as rwxr-xr-x")]
    symbolic: Annotated[str, About("In the notation of chmod, such as u=rwx,g=rx,o=rx")]
    owner: Annotated[str, About("Permissions of the owner")]
    group: Annotated[str, About("Permissions of the group")]
    others: Annotated[str, About("Permissions of all others")]
    special: Annotated[list[str], About("Special bits that are set: setuid, setgid, sticky")]


class Mode(TypedDict):
    """Result of a mode, a change of it, or a umask."""

    permissions: NotRequired[Annotated[Permissions, About("Mode, after the change if there is one")]]
    after_umask: NotRequired[Annotated[Permissions, About("Mode after applying the umask")]]
    new_file: NotRequired[Annotated[Permissions, About("Mode of a new file under the umask, from 666")]]
    new_folder: NotRequired[Annotated[Permissions, About("Mode of a new folder under the umask, from 777")]]


@tool(
    tags="chmod file permissions octal rwx mode umask setuid setgid sticky unix linux ls",
    use_when=(
        "What does chmod 755 mean in rwx letters?",
        "Turn -rw-r--r-- into an octal permission number",
        "Which file permissions do you get with umask 027?",
        "What mode is 644 after chmod u+x?",
        "What does the setuid mode 4755 allow?",
    ),
    examples=(
        Example(
            {"mode": "4755"},
            {
                "permissions": {
                    "octal": "4755",
                    "letters": "rwsr-xr-x",
                    "symbolic": "u=rwxs,g=rx,o=rx",
                    "owner": "read, write, execute",
                    "group": "read, execute",
                    "others": "read, execute",
                    "special": ["setuid"],
                }
            },
            source="ls -l /usr/bin/passwd, whose mode is 4755; chmod(1)",
        ),
        Example({"mode": "-rw-r--r--"}, {"permissions": {"octal": "644"}}, source="chmod(1)"),
        Example(
            {"mode": "drwxrwxrwt"}, {"permissions": {"octal": "1777", "special": ["sticky"]}}, source="ls -ld /tmp"
        ),
        Example({"mode": "0644", "change": "u+x,go-r"}, {"permissions": {"letters": "rwx------"}}, source="chmod(1)"),
        Example(
            {"umask": "022"},
            {"new_file": {"letters": "rw-r--r--"}, "new_folder": {"letters": "rwxr-xr-x"}},
            source="umask(2): 0666 & ~022 = 0644",
        ),
        Example({"mode": "666", "umask": "027"}, {"after_umask": {"octal": "640"}}, source="666 and not 027, by hand"),
        Refusal({"mode": "788"}, "digits from 0 to 7"),
        Refusal({}, "a mode or a umask"),
    ),
    reply={
        "new_file": (
            "With this umask a new file gets {new_file.octal} ({new_file.letters}) "
            "and a new folder {new_folder.octal} ({new_folder.letters})."
        ),
        "permissions.owner, permissions.group, permissions.others": (
            "The permissions are "
            "{permissions.octal}, "
            "or "
            "{permissions.letters}: "
            "the owner has "
            "{permissions.owner}; "
            "the group has "
            "{permissions.group}; "
            "others have "
            "{permissions.others}."
        ),
        "": "The permissions are {permissions.octal}, or {permissions.letters}.",
    },
)
def permission_convert_notation(
    mode: Annotated[
        str | None, About("Permissions: 755, 0644, 4755, rwxr-xr-x, -rw-r--r-- or u=rw,g=r", "755", max_length=60)
    ] = None,
    change: Annotated[str | None, About("Change to make, in the notation of chmod", "u+x,go-w", max_length=100)] = None,
    umask: Annotated[str | None, About("Umask in octal", "022", pattern="^(0o)?[0-7]{1,4}$", max_length=6)] = None,
) -> Mode:
    """Convert file permissions between octal digits and rwx letters, change them as chmod does, or apply a umask.

    Use it for chmod, ls and umask. Returns the octal digits, the letters, and the permissions of owner, group and
    others in words; for a umask without a mode, those of new files and folders.
    """
    if mode is None and umask is None:
        raise ToolError("Give a mode or a umask, such as 755 or 022.")
    mask = int(umask.removeprefix("0o"), 8) & 0o777 if umask else 0
    if mode is None:
        return {"new_file": _describe(0o666 & ~mask), "new_folder": _describe(0o777 & ~mask)}
    bits = _change(_bits(mode.strip()), change or "", folder=mode.strip().startswith("d"))
    if umask is not None:
        return {"after_umask": _describe(bits & ~mask), "permissions": _describe(bits)}
    return {"permissions": _describe(bits)}


def _bits(mode: str) -> int:
    """Return the bits of a mode in any notation."""
    if re.fullmatch("(0o)?[0-7]{1,5}", mode) and int(mode.removeprefix("0o"), 8) <= 0o7777:
        return int(mode.removeprefix("0o"), 8)
    if found := _LETTERS.fullmatch(mode):
        return sum(_class_bits(found[1][3 * place : 3 * place + 3], place) for place in range(3))
    if re.match("[ugoa]*[=+]", mode):
        return _change(0, mode, folder=False)
    raise ToolError(
        f"{mode!r} is not a mode. Write three or four digits from 0 to 7, such as 755, or nine letters, such as "
        "rwxr-xr-x."
    )


def _class_bits(letters: str, place: int) -> int:
    """Return the bits of one of the three groups of letters; s, t, S and T in the last place set special bits."""
    plain = 4 * (letters[0] == "r") + 2 * (letters[1] == "w") + (letters[2] in "xst")
    return plain << (6 - 3 * place) | (letters[2] in "sStT") * 0o4000 >> place


def _change(bits: int, change: str, *, folder: bool) -> int:
    """Apply a change in the notation of chmod(1) to the bits. Without u, g, o or a, it applies to all three."""
    for clause in filter(None, re.split(r"[,\s]+", change.removeprefix("chmod").strip())):
        found = _CLAUSE.fullmatch(clause)
        if not found:
            raise ToolError(
                f"{clause!r} is not a change. Write classes, + - or =, and letters of rwxXst, such as u+x or go-w."
            )
        classes = "ugo" if not found[1] or "a" in found[1] else found[1]
        named_bits, whole = _interpret(classes, found[3], bits, folder), _interpret(classes, "rwxs", bits, folder)
        bits = {"+": bits | named_bits, "-": bits & ~named_bits, "=": bits & ~whole | named_bits}[found[2]]
    return bits


def _interpret(classes: str, letters: str, bits: int, folder: bool) -> int:
    """Return the bits that letters stand for. X means x for folders and for files that are already executable by any
    class.
    """
    plain = "x" if "X" in letters and (folder or bits & 0o111) else ""
    each = sum(_BITS[letter] for letter in set(letters + plain) & _BITS.keys())
    special = 0o4000 * ("s" in letters and "u" in classes) | 0o2000 * ("s" in letters and "g" in classes)
    return sum(each << _SHIFTS[one] for one in set(classes)) | special | 0o1000 * ("t" in letters)


def _describe(bits: int) -> Permissions:
    """Format bits in all notations."""
    plain = [_grant(bits, one) for one in "ugo"]
    special = [name for name, bit in _SPECIAL.items() if bits & bit]
    marks = ["s" * ("setuid" in special), "s" * ("setgid" in special), "t" * ("sticky" in special)]
    symbolic = zip("ugo", plain, marks, strict=True)
    owner, group, others = (", ".join(_VERBS[letter] for letter in letters) or "nothing" for letters in plain)
    return {
        "octal": f"{bits:04o}" if special else f"{bits:03o}",
        "letters": "".join(_in_place(letters, mark) for letters, mark in zip(plain, marks, strict=True)),
        "symbolic": ",".join(f"{one}={letters}{mark}" for one, letters, mark in symbolic),
        "owner": owner,
        "group": group,
        "others": others,
        "special": special,
    }


def _grant(bits: int, one: str) -> str:
    return "".join(letter for letter, bit in _BITS.items() if bits >> _SHIFTS[one] & bit)


def _in_place(letters: str, mark: str) -> str:
    """Return three letters with - for missing permissions; the mark replaces x, as a capital if x is not set."""
    last = (mark if "x" in letters else mark.upper()) if mark else "x" if "x" in letters else "-"
    return "".join(letter if letter in letters else "-" for letter in "rw") + last
