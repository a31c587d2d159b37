"""Paths of files, as text."""

import ntpath
import posixpath
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_FLAVOURS = {"posix": posixpath, "windows": ntpath}


class PathParts(TypedDict):
    """A path without detours, and its parts."""

    path: Annotated[str, About("Without . and .. and doubled separators")]
    absolute: bool
    folder: str
    name: str
    stem: Annotated[str, About("The name without its last ending")]
    ending: Annotated[str, About("The last ending with its dot, such as .gz")]
    relative: Annotated[str | None, About("The way from `start` to it; null without `start`")]


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
        Refusal({"path": "a/b", "start": "/c"}, "both absolute or both relative"),
    ),
)
def path_normalize_segments(
    path: Annotated[str, About("Path of a file or folder", "/srv/app/../data/./raw", min_length=1, max_length=4000)],
    start: Annotated[
        str | None, About("Folder from which the relative path is wanted", "/srv", min_length=1, max_length=4000)
    ] = None,
    style: Annotated[
        Literal["posix", "windows"], About("posix: / as on Linux and macOS; windows: backslashes")
    ] = "posix",
) -> PathParts:
    """Normalise the path of a file without looking at any: resolve . and .., and tell its parts.

    Use it also for the relative path from one folder to another. Symbolic links are not known here.
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
    """The way from one to the other. Neither the current folder nor a drive is known here."""
    flavour = _FLAVOURS[style]
    drives = {flavour.splitdrive(one)[0].lower() for one in (path, start)}
    if flavour.isabs(path) != flavour.isabs(start) or len(drives) != 1:
        raise ToolError("Path and start must be both absolute or both relative, and on one drive.")
    root = "\\" if style == "windows" else "/"
    ways = [flavour.splitdrive(one)[1].strip(root).split(root) for one in (path, start)]
    if ".." in (ways[0][0], ways[1][0]) and ways[0][0] != ways[1][0]:
        raise ToolError("A start that goes up by .. has no way that is known. Give both from one folder.")
    away, near = ([part for part in way if part not in ("", ".")] for way in ways)
    shared = next((n for n, (one, other) in enumerate(zip(away, near, strict=False)) if one != other), None)
    shared = min(len(away), len(near)) if shared is None else shared
    return root.join([".."] * (len(near) - shared) + away[shared:]) or "."
