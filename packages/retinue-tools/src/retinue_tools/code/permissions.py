"""Permissions of files as chmod(1), ls(1) and umask(2) write them."""

import re
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_LETTERS = re.compile(r"[-dlbcps]?((?:[r-][w-][xsS-]){2}[r-][w-][xtT-])[.+@]?")
_CLAUSE = re.compile(r"([ugoa]*)([-+=])([rwxXst]*)")
_SHIFTS = {"u": 6, "g": 3, "o": 0}
_SPECIAL = {"setuid": 0o4000, "setgid": 0o2000, "sticky": 0o1000}
_BITS = {"r": 4, "w": 2, "x": 1}
_VERBS = {"r": "read", "w": "write", "x": "execute"}


class Permissions(TypedDict):
    """Permissions in all notations."""

    octal: Annotated[str, About("Octal digits, four where there is a special bit")]
    letters: Annotated[str, About("Nine letters, as rwxr-xr-x")]
    symbolic: Annotated[str, About("As chmod takes them, as u=rwx,g=rx,o=rx")]
    owner: Annotated[str, About("What the owner may do")]
    group: Annotated[str, About("What the group may do")]
    others: Annotated[str, About("What all others may do")]
    special: Annotated[list[str], About("Of setuid, setgid and sticky those that are set")]


class Mode(TypedDict):
    """What a mode, a change of it, or a umask comes to."""

    permissions: NotRequired[Annotated[Permissions, About("The mode, after the change if there is one")]]
    after_umask: NotRequired[Annotated[Permissions, About("What the umask leaves of the mode")]]
    new_file: NotRequired[Annotated[Permissions, About("What the umask leaves a new file, of 666")]]
    new_folder: NotRequired[Annotated[Permissions, About("What the umask leaves a new folder, of 777")]]


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
        Refusal({"mode": "788"}, "digits 0 to 7"),
        Refusal({}, "a mode or a umask"),
    ),
)
def permission_convert_notation(
    mode: Annotated[
        str | None, About("Permissions: 755, 0644, 4755, rwxr-xr-x, -rw-r--r-- or u=rw,g=r", "755", max_length=60)
    ] = None,
    change: Annotated[str | None, About("What chmod is to change of them", "u+x,go-w", max_length=100)] = None,
    umask: Annotated[str | None, About("A umask in octal", "022", pattern="^(0o)?[0-7]{1,4}$", max_length=6)] = None,
) -> Mode:
    """Convert file permissions between octal digits and rwx letters, change them as chmod does, or apply a umask.

    Use it for chmod, ls and umask. Returns the octal digits, the letters, and in words what owner, group and others may
    do; for a umask without a mode, those of new files and folders.
    """
    if mode is None and umask is None:
        raise ToolError("Give a mode or a umask, as 755 or 022.")
    mask = int(umask.removeprefix("0o"), 8) & 0o777 if umask else 0
    if mode is None:
        return {"new_file": _describe(0o666 & ~mask), "new_folder": _describe(0o777 & ~mask)}
    bits = _change(_bits(mode.strip()), change or "", folder=mode.strip().startswith("d"))
    if umask is not None:
        return {"after_umask": _describe(bits & ~mask), "permissions": _describe(bits)}
    return {"permissions": _describe(bits)}


def _bits(mode: str) -> int:
    """The bits of a mode in any notation."""
    if re.fullmatch("(0o)?[0-7]{1,5}", mode) and int(mode.removeprefix("0o"), 8) <= 0o7777:
        return int(mode.removeprefix("0o"), 8)
    if found := _LETTERS.fullmatch(mode):
        return sum(_class_bits(found[1][3 * place : 3 * place + 3], place) for place in range(3))
    if re.match("[ugoa]*[=+]", mode):
        return _change(0, mode, folder=False)
    raise ToolError(f"{mode!r} is no mode. Write three or four digits 0 to 7, as 755, or nine letters, as rwxr-xr-x.")


def _class_bits(letters: str, place: int) -> int:
    """The bits of one of the three groups of letters; s, t, S and T in the last place tell special bits."""
    plain = 4 * (letters[0] == "r") + 2 * (letters[1] == "w") + (letters[2] in "xst")
    return plain << (6 - 3 * place) | (letters[2] in "sStT") * 0o4000 >> place


def _change(bits: int, change: str, *, folder: bool) -> int:
    """The bits after a change in the notation of chmod(1). Without u, g, o or a, all three are meant."""
    for clause in filter(None, re.split(r"[,\s]+", change.removeprefix("chmod").strip())):
        found = _CLAUSE.fullmatch(clause)
        if not found:
            raise ToolError(f"{clause!r} is no change. Write who, + - or =, and letters of rwxXst, as u+x or go-w.")
        classes = "ugo" if not found[1] or "a" in found[1] else found[1]
        meant, whole = _interpret(classes, found[3], bits, folder), _interpret(classes, "rwxs", bits, folder)
        bits = {"+": bits | meant, "-": bits & ~meant, "=": bits & ~whole | meant}[found[2]]
    return bits


def _interpret(classes: str, letters: str, bits: int, folder: bool) -> int:
    """The bits that letters mean for classes. X is x for folders and for what somebody may execute already."""
    plain = "x" if "X" in letters and (folder or bits & 0o111) else ""
    each = sum(_BITS[letter] for letter in set(letters + plain) & _BITS.keys())
    special = 0o4000 * ("s" in letters and "u" in classes) | 0o2000 * ("s" in letters and "g" in classes)
    return sum(each << _SHIFTS[one] for one in set(classes)) | special | 0o1000 * ("t" in letters)


def _describe(bits: int) -> Permissions:
    """Bits in all notations."""
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
    """Three letters with - for what is lacking; the mark stands in the place of x, large where there is no x."""
    last = (mark if "x" in letters else mark.upper()) if mark else "x" if "x" in letters else "-"
    return "".join(letter if letter in letters else "-" for letter in "rw") + last
