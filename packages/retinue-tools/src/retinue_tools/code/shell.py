"""Explain shell commands without running them (POSIX shell, common programs)."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_OPERATORS: Mapping[str, str] = {
    "|": "sends its output to the next command",
    "||": "runs the next command if it fails",
    "&&": "runs the next command if it succeeds",
    ";": "then the next command",
    "&": "runs in the background",
    "|&": "sends output and errors to the next command",
}
_REDIRECTIONS: Mapping[str, str] = {
    ">": "writes output to {}, replacing it",
    ">>": "appends output to {}",
    "<": "reads input from {}",
    "2>": "writes errors to {}",
    "&>": "writes output and errors to {}",
    ">&": "sends a stream to {}",
    "<<<": "reads the text {} as input",
}
_PROGRAMS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "rm": ("removes files", {"r": "with folders", "R": "with folders", "f": "without asking", "i": "asks each time"}),
    "cp": ("copies files", {"r": "with folders", "R": "with folders", "a": "keeps all attributes", "p": "keeps times"}),
    "mv": ("moves or renames files", {"f": "without asking", "n": "never overwrites", "i": "asks before overwriting"}),
    "ls": ("lists files", {"l": "in detail", "a": "hidden ones too", "h": "sizes readable", "t": "newest first",
                           "R": "folders below too", "S": "largest first", "r": "in reverse"}),
    "mkdir": ("makes folders", {"p": "with those above, no error if there"}),
    "find": ("searches files", {}),
    "grep": ("searches text for a pattern", {"r": "in folders below", "R": "in folders below", "i": "ignores case",
             "v": "lines that do not match", "n": "with line numbers", "l": "names of files only", "c": "counts",
             "E": "extended expressions", "o": "the match only", "w": "whole words", "q": "prints nothing"}),
    "sed": ("edits a stream of text", {"i": "changes the files in place", "n": "prints only what is asked",
            "e": "takes a script", "E": "extended expressions"}),
    "awk": ("processes text by fields", {"F": "separates fields by what follows", "v": "sets a variable"}),
    "tar": ("packs or unpacks archives", {"x": "unpacks", "c": "packs", "z": "with gzip", "j": "with bzip2",
            "J": "with xz", "v": "lists names", "f": "in the file that follows", "t": "lists the content",
            "C": "in the folder that follows"}),
    "curl": ("fetches a URL", {"o": "to a file", "O": "to a file of the same name", "L": "follows redirects",
             "s": "silently", "S": "shows errors", "f": "fails on HTTP errors", "X": "with a method",
             "H": "with a header", "d": "sends data", "k": "does not check certificates", "I": "headers only"}),
    "chmod": ("changes permissions", {"R": "in folders below too"}),
    "chown": ("changes the owner", {"R": "in folders below too"}),
    "ps": ("lists processes", {"e": "all", "f": "in full"}),
    "kill": ("sends a signal to processes", {"9": "ends them at once"}),
    "xargs": ("runs a command with the input as "
        "arguments", {"0": "input separated by zero bytes", "n": "so many at once",
              "I": "puts each in place of what follows", "P": "so many in parallel", "r": "not for empty input"}),
    "sort": ("sorts lines", {"n": "by number", "r": "in reverse", "u": "without repeats", "k": "by a field",
             "h": "by sizes such as 2K"}),
    "uniq": ("drops repeated neighbours", {"c": "counts them", "d": "repeated ones only"}),
    "head": ("prints the beginning", {"n": "so many lines", "c": "so many bytes"}),
    "tail": ("prints the end", {"n": "so many lines", "f": "goes on as the file grows"}),
    "wc": ("counts", {"l": "lines", "w": "words", "c": "bytes"}),
    "du": ("measures disk use", {"s": "sums only", "h": "readable", "a": "files too"}),
    "df": ("shows free disk space", {"h": "readable"}),
    "ssh": ("logs in to another machine", {"i": "with a key", "p": "at a port", "L": "forwards a port",
            "N": "no command"}),
    "dd": ("copies bytes between files or devices", {}),
    "git": ("works with a Git repository", {}), "docker": ("works with containers", {}), "sudo": ("runs as root", {}),
    "echo": ("prints its arguments", {"n": "no line end", "e": "reads escapes"}),
    "cat": ("prints files", {"n": "with line numbers"}),
    "cd": ("changes the folder", {}), "export": ("sets environment variables", {}),
}  # fmt: skip
_DANGERS = (
    (r"\brm\s+(-\w*\s+)*-?\w*[rR]\w*f?\w*\s+(-\S+\s+)*(/|~|\$HOME|/\*)(\s|$)", "removes a whole system or home folder"),
    (r"\bdd\b.*\bof=/dev/(sd|nvme|disk|hd)", "overwrites a disk"),
    (r"\bmkfs(\.\w+)?\b", "makes a new file system: all on the disk is lost"),
    (r">\s*/dev/(sd|nvme|disk|hd)", "overwrites a disk"),
    (r":\(\)\s*\{.*:\s*\|\s*:.*\}", "is a fork bomb: it fills the machine with processes"),
    (r"\b(curl|wget)\b[^|;]*\|\s*(sudo\s+)?(ba|z|da)?sh\b", "runs a script from the network unseen"),
    (r"\bchmod\s+(-\w+\s+)*0?777\b", "lets everybody write"),
    (r"\bgit\s+push\b.*(--force\b|-f\b)(?!-with-lease)", "overwrites history that others may have"),
    (r"\bgit\s+(reset\s+--hard|clean\s+-\w*f)", "discards changes that are not committed"),
    (r"\bcurl\b.*\s(-k|--insecure)\b", "does not check who answers"),
    (r"\beval\b", "runs text as a command"),
)


class Piece(TypedDict):
    """A simple command."""

    program: Annotated[str, About("Program")]
    does: Annotated[str, About("Purpose of the program, if known")]
    settings: Annotated[list[str], About("Flags, with their meaning if known")]
    arguments: Annotated[list[str], About("Other arguments")]
    redirections: Annotated[list[str], About("Redirections")]
    then: Annotated[str, About("Meaning of the operator after it")]


class Explained(TypedDict):
    """A command line explained."""

    commands: Annotated[list[Piece], About("Simple commands in order")]
    dangers: Annotated[list[str], About("Dangers")]
    hints: Annotated[list[str], About("Likely quoting and other mistakes")]


@tool(
    tags="shell command explain bash linux terminal flags pipe dangerous quoting shellcheck",
    use_when=(
        "What does tar -xzvf backup.tar.gz do?",
        "Is this shell command dangerous?",
        "Explain this pipeline step by step",
        "Is my bash line quoted correctly?",
    ),
    examples=(
        Example(
            {"command": "grep -rn 'a b' src/ 2>/dev/null | sort -u > out.txt && rm -rf /"},
            {
                "dangers": ["removes a whole system or home folder"],
                "commands": [
                    {
                        "program": "grep",
                        "does": "searches text for a pattern",
                        "settings": ["-r: in folders below", "-n: with line numbers"],
                        "arguments": ["a b", "src/"],
                        "redirections": ["writes errors to /dev/null"],
                        "then": "sends its output to the next command",
                    },
                    {
                        "program": "sort",
                        "settings": ["-u: without repeats"],
                        "redirections": ["writes output to out.txt, replacing it"],
                        "then": "runs the next command if it succeeds",
                    },
                    {"program": "rm", "settings": ["-r: with folders", "-f: without asking"], "arguments": ["/"]},
                ],
            },
            source="POSIX.1-2024, Shell and Utilities",
        ),
        Example(
            {"command": "for f in $(ls); do rm $f; done"},
            {"hints": ["Quote $f: \"$f\". Without quotes it is split at spaces and expanded.",
                       "Loop over a pattern such as ./* and not over ls: names with spaces break."]},
            source="POSIX.1-2024, 2.6.5 Field Splitting",
        ),
        Refusal({"command": "echo 'abc"}, "quotation"),
    ),
    reply={
        "dangers": "Careful, this command is dangerous: {dangers}",
        "commands": "The command does this: {commands}",
        "": "There is no command to explain.",
    },
)  # fmt: skip
def shell_explain_command(
    command: Annotated[str, About("Command line", "tar -xzf a.tar.gz", min_length=1, max_length=10_000)],
) -> Explained:
    """Explain a shell command line without running it, and warn of dangers and quoting mistakes.

    Use it before a command from elsewhere is run. Returns each simple command with its flags, arguments, redirections
    and operator, dangers, and likely mistakes. Loops and functions are only checked for dangers.
    """
    lexer = shlex.shlex(command, posix=False, punctuation_chars="|&;<>")
    lexer.commenters = "#"
    try:
        words = list(lexer)
    except ValueError as error:
        raise ToolError(f"The command cannot be parsed: {str(error).lower()}. Close every quote.") from error
    return {
        "commands": [_piece(part, operator) for part, operator in _split(words)],
        "dangers": [danger for pattern, danger in _DANGERS if re.search(pattern, command)],
        "hints": list(dict.fromkeys(_hints(command))),
    }


def _split(words: list[str]) -> Iterator[tuple[list[str], str]]:
    part: list[str] = []
    for word in words:
        if word in _OPERATORS:
            if part:
                yield part, word
            part = []
        else:
            part.append(word)
    if part:
        yield part, ""


def _piece(words: list[str], operator: str) -> Piece:
    plain, redirections = _redirect(words)
    plain = [_bare(word) for word in plain]
    while len(plain) > 1 and (re.match(r"\w+=", plain[0]) or plain[0] == "sudo"):
        plain.pop(0)
    program = plain[0] if plain else ""
    does, known = _PROGRAMS.get(program.rpartition("/")[2], ("", {}))
    return {
        "program": program,
        "does": does,
        "settings": [
            setting for word in plain[1:] if re.match(r"-\w|--\w", word) for setting in _settings(word, known)
        ],
        "arguments": [word for word in plain[1:] if not re.match(r"-\w|--\w", word)],
        "redirections": redirections,
        "then": _OPERATORS.get(operator, ""),
    }


def _redirect(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the words without redirections, and a description of the redirections."""
    plain: list[str] = []
    descriptions = []
    pending = ""
    for word in words:
        if re.fullmatch(r"[<>&]+", word):
            stream = plain.pop() if plain and plain[-1] == "2" else ""
            pending = stream + word if stream + word in _REDIRECTIONS else word
        elif pending:
            descriptions.append(_REDIRECTIONS.get(pending, "redirects to {}").format(_bare(word)))
            pending = ""
        else:
            plain.append(word)
    return plain, descriptions


def _bare(word: str) -> str:
    try:
        return "".join(shlex.split(word)) if re.search(r"[\"'\\]", word) else word
    except ValueError:
        return word


def _settings(word: str, known: Mapping[str, str]) -> Iterator[str]:
    letters = word[1:]
    if word.startswith("--") or not known or not all(letter in known for letter in letters):
        first = letters[:1]
        yield f"-{first}: {known[first]} ({letters[1:]})" if first in known and not word.startswith("--") else word
        return
    yield from (f"-{letter}: {known[letter]}" for letter in letters)


def _hints(command: str) -> Iterator[str]:
    unquoted = re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"", " ", command)
    for name in re.findall(r"(?<![\w=])\$\{?([A-Za-z_]\w*)\}?", unquoted):
        yield f'Quote ${name}: "${name}". Without quotes it is split at spaces and expanded.'
    if re.search(r"\bfor\s+\w+\s+in\s+(\$\(ls|`ls)", command):
        yield "Loop over a pattern such as ./* and not over ls: names with spaces break."
    if "`" in unquoted:
        yield "Write $(command) for `command`: it nests and reads better."
    if re.search(r"\bcat\s+\S+\s*\|\s*grep\b", command):
        yield "grep reads files itself: cat is not needed."
    if re.search(r"\[\s+\$\w+\s*=", unquoted):
        yield 'An empty variable breaks the test: write [ "$name" = value ].'
    if re.search(r"\bcd\s+[^;&|]+;", command):
        yield "Write cd folder && command: after a failed cd the next command runs in the wrong folder."
