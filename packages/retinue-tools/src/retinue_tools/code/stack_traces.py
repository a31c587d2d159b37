"""Parse stack traces of many languages: exception, location, and frames of the project."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_MOST_FRAMES = 500

Trace = Annotated[
    str,
    About(
        "Stack trace; surrounding log lines are allowed",
        'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    1 / 0\n'
        "ZeroDivisionError: division by zero\n",
        min_length=1,
        max_length=300_000,
    ),
]
Language = Literal["auto", "python", "java", "javascript", "go", "rust", "csharp", "ruby", "php"]

_FRAMES: Mapping[str, str] = {
    "python": r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>.+))?$(?:\n\s{4,}(?P<code>\S.*))?',
    "java": r"^\s*at (?P<function>[\w.$<>/@]+)\((?P<file>[^:()\n]+)(?::(?P<line>\d+))?\)",
    "javascript": r"^\s*at (?:async )?(?:(?P<function>[^\n(]+?) "
    r"\()?(?P<file>(?:[\w+.-]+:)?[^\s()]+?):(?P<line>\d+):(?P<column>\d+)\)?$",
    "go": r"^(?P<function>[\w./*()\-{}\[\]·]+)\(.*\)\n\t(?P<file>\S+):(?P<line>\d+)",
    "rust": r"^\s*\d+: (?:0x[0-9a-f]+ - )?(?P<function>\S.*)(?:\n\s+at "
    r"(?P<file>\S+?):(?P<line>\d+)(?::(?P<column>\d+))?)?",
    "csharp": r"^\s*at (?P<function>[^\n(]+\([^)\n]*\))(?: in (?P<file>[^\n]+?):line (?P<line>\d+))?",
    "ruby": r"^\s*(?:from )?(?P<file>[^\s:]+\.rb):(?P<line>\d+):in [`'](?P<function>[^'\n]+)'",
    "php": r"^#\d+ (?P<file>[^\n(]+)\((?P<line>\d+)\): (?P<function>[^\n(]+)\(",
}
_ERRORS: Mapping[str, str] = {
    "python": r"^(?P<type>[A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Iteration|"
    r"Group)?)(?:: (?P<message>.*))?$",
    "java": r"^(?:Exception in thread \"[^\"]*\" |Caused by: )?(?P<type>(?:[\w$]+\.)+[\w$]+)(?:: (?P<message>.*))?$",
    "javascript": r"^(?:Uncaught )?(?P<type>[A-Za-z_$][\w$]*(?:Error|Exception)[\w$]*)(?: "
    r"\[\w+\])?(?:: (?P<message>.*))?$",
    "go": r"^(?P<type>panic|fatal error): (?P<message>.*)$",
    "rust": r"^thread '[^']*'(?: \(\d+\))? (?P<type>panicked) at (?:'(?P<quoted>[^']*)', "
    r")?(?P<place>[^\n]*?):?$(?:\n(?P<message>.+))?",
    "csharp": r"^(?:Unhandled exception\. )?(?P<type>(?:\w+\.)+\w*Exception)(?:: (?P<message>.*))?$",
    "ruby": r"^\S+\.rb:\d+:in [`'][^'\n]+': (?P<message>.*) \((?P<type>[\w:]+)\)",
    "php": r"^(?:PHP )?Fatal error:\s+Uncaught (?P<type>[\w\\]+)(?:: (?P<message>.*?))?(?: in \S+:\d+)?$",
}
_FOREIGN: Mapping[str, str] = {
    "python": r"site-packages|dist-packages|/lib/python|<frozen|<string>",
    "java": r"^(?:java|javax|jdk|sun|kotlin|scala|org\.springframework|org\.apache|org\.hibernate)\.",
    "javascript": r"node_modules|^node:|internal/",
    "go": r"/usr/local/go/|/go/pkg/mod/|/libexec/src/",
    "rust": r"/rustc/|\.cargo/registry|^(?:core|std|alloc|rust_begin_unwind|tokio)\b",
    "csharp": r"^(?:System|Microsoft)\.",
    "ruby": r"/gems/|/lib/ruby/",
    "php": r"/vendor/",
}
_TOPMOST_FIRST = frozenset(_FRAMES) - {"python"}
_MARKS = (
    ("python", r"^Traceback \(most recent call last\)"),
    ("go", r"^goroutine \d+ \["),
    ("rust", r"^thread '.*' .*panicked at|stack backtrace:"),
    ("ruby", r"\.rb:\d+:in "),
    ("php", r"^#\d+ .+\(\d+\): |PHP Fatal"),
    ("csharp", r":line \d+$|^\s*at System\.|^Unhandled exception\. System\."),
    ("java", r"^\s*at [\w.$<>/@]+\([\w$]+\.(?:java|kt|scala)|^\s*at [\w.$<>]+\(Native Method\)"),
    ("javascript", r"^\s*at .*:\d+:\d+\)?$"),
)


class Frame(TypedDict):
    """A call on the stack."""

    function: Annotated[str, About("Function or method")]
    file: NotRequired[Annotated[str, About("File of the code")]]
    line: NotRequired[Annotated[int, About("Line, from 1")]]
    code: NotRequired[Annotated[str, About("Line of code, if the trace shows it")]]
    own: Annotated[bool, About("Whether the code belongs to the project and not to a library")]


class Fault(TypedDict):
    """An exception in the trace."""

    type: Annotated[str, About("Class of the exception")]
    message: Annotated[str, About("Message of the exception")]


class ParsedTrace(TypedDict):
    """A parsed stack trace."""

    language: Annotated[str, About("Language of the program")]
    error: Annotated[Fault, About("Exception that ended the program")]
    root_cause: Annotated[Fault, About("First exception of the chain, which caused the others")]
    frames: Annotated[list[Frame], About("Frames of the trace, place of failure first")]
    culprit: Annotated[Frame | None, About("Frame of the project's own code nearest to the failure")]
    repeated: Annotated[
        int, About("Number of occurrences of the most frequent frame; a large number means infinite recursion")
    ]


class Explained(TypedDict):
    """Explanation of a Python traceback."""

    type: Annotated[str, About("Class of the exception")]
    message: Annotated[str, About("Message of the exception")]
    meaning: Annotated[str, About("Meaning of the exception")]
    hints: Annotated[list[str], About("Things to check, most likely first")]
    file: Annotated[str | None, About("Project file nearest to the failure")]
    line: Annotated[int | None, About("Line in that file")]
    function: Annotated[str | None, About("Function of the failing line")]
    code: Annotated[str | None, About("Failing line of code")]
    chain: Annotated[list[Fault], About("All exceptions of the traceback, first raised first")]


@tool(
    tags="stack trace traceback crash exception panic java javascript go rust csharp ruby php parse",
    use_when=(
        "Where does this Java stack trace come from in my code?",
        "Parse this Node.js error stack",
        "What is the root cause of this exception?",
        "In which of my files did this Go panic happen?",
    ),
    examples=(
        Example(
            {
                "trace": "java.lang.RuntimeException: outer\n\tat com.shop.Main.run(Main.java:20)\n"
                "Caused by: java.lang.NullPointerException: inner\n\tat "
                "java.util.Objects.requireNonNull(Objects.java:233)\n"
                "\tat com.shop.Cart.add(Cart.java:7)\n\t... 1 more\n"
            },
            {
                "language": "java",
                "error": {"type": "java.lang.RuntimeException", "message": "outer"},
                "root_cause": {"type": "java.lang.NullPointerException", "message": "inner"},
                "culprit": {"function": "com.shop.Cart.add", "file": "Cart.java", "line": 7, "own": True},
            },
            source="documentation of java.lang.Throwable.printStackTrace",
        ),
        Example(
            {
                "trace": "TypeError: x is not a function\n    at run (/app/src/a.js:3:5)\n"
                "    at Object.<anonymous> (/app/node_modules/lib/i.js:10:1)\n    at node:internal/main:1:2\n"
            },
            {
                "language": "javascript",
                "error": {"type": "TypeError", "message": "x is not a function"},
                "culprit": {"function": "run", "file": "/app/src/a.js", "line": 3, "own": True},
            },
            source="V8's stack trace format",
        ),
        Example(
            {
                "trace": "panic: runtime error: index out of range [5] with length 3\n\ngoroutine 1 [running]:\n"
                "main.pick(...)\n\t/app/main.go:9\nmain.main()\n\t/app/main.go:5 +0x1d\n",
                "language": "go",
            },
            {
                "error": {"type": "panic"},
                "frames": [{"function": "main.pick", "line": 9}, {"function": "main.main", "line": 5}],
            },
            source="format of Go's runtime",
        ),
        Example(
            {
                "trace": "thread 'main' panicked at src/main.rs:4:10:\ncalled `Option::unwrap()` on a `None` value\n"
                "stack backtrace:\n   0: core::panicking::panic\n             at /rustc/1/core/src/panicking.rs:146:5\n"
                "   1: app::main\n             at ./src/main.rs:4:10\n"
            },
            {
                "language": "rust",
                "error": {"message": "called `Option::unwrap()` on a `None` value"},
                "culprit": {"function": "app::main", "file": "./src/main.rs", "line": 4},
            },
            source="format of Rust's standard library",
        ),
        Refusal({"trace": "everything is fine"}, "There is no known stack trace format in this text"),
    ),
    reply={
        "culprit": "{error.type} ({error.message}), in line {culprit.line} of {culprit.file}, in {culprit.function}.",
        "frames": "The {language} program ended with {error.type}: {frames}",
        "": "The {language} program ended with {error.type}.",
    },
)
def stacktrace_parse_frames(
    trace: Trace, language: Annotated[Language, About("Language of the program, or auto")] = "auto"
) -> ParsedTrace:
    """Parse a stack trace of Python, Java, JavaScript, Go, Rust, C#, Ruby or PHP.

    Use it to locate an error: library calls are distinguished from the project's own by their paths. Returns the
    exception, the root cause of a chain, all frames, and the nearest frame in the project's code.
    """
    text = trace.replace("\r\n", "\n")
    found = _language(text) if language == "auto" else language
    frames = list(_frames(text, found))
    if not frames:
        raise ToolError(
            "There is no stack trace in this text. Paste all of it, including the lines with `at` or `File`."
        )
    chain = _chain(text, found)
    outermost_first = found in ("java", "csharp")
    last, first = (chain[0], chain[-1]) if outermost_first else (chain[-1], chain[0])
    ordered = frames if found in _TOPMOST_FIRST else frames[::-1]
    deepest = _deepest(text, found) if outermost_first else ordered
    names = [frame["function"] for frame in frames]
    return {
        "language": found,
        "error": last,
        "root_cause": first,
        "frames": ordered[:_MOST_FRAMES],
        "culprit": next((frame for frame in [*deepest, *ordered] if frame["own"]), None),
        "repeated": max(map(names.count, set(names))),
    }


@tool(
    tags="python traceback explain exception error debug hint fix meaning",
    use_when=(
        "What does this Python traceback mean and how do I fix it?",
        "Explain this KeyError",
        "Why do I get 'NoneType' object is not subscriptable?",
    ),
    examples=(
        Example(
            {
                "trace": 'Traceback (most recent call last):\n  File "/app/shop.py", line 12, in '
                "<module>\n    total(cart)\n"
                '  File "/app/shop.py", line 7, in total\n    return cart["sum"]\nKeyError: \'sum\'\n'
            },
            {
                "type": "KeyError",
                "message": "'sum'",
                "file": "/app/shop.py",
                "line": 7,
                "function": "total",
                "code": 'return cart["sum"]',
            },
            source="documentation of the module traceback",
        ),
        Example(
            {
                "trace": 'Traceback (most recent call last):\n  File "a.py", line 2, in f\n    x()\nValueError: bad\n\n'
                "The above exception was the direct cause of the following exception:\n\n"
                'Traceback (most recent call last):\n  File "a.py", line 4, in <module>\n    f()\nRuntimeError: worse\n'
            },
            {
                "type": "RuntimeError",
                "chain": [{"type": "ValueError", "message": "bad"}, {"type": "RuntimeError", "message": "worse"}],
            },
            source="PEP 3134",
        ),
        Refusal({"trace": "KeyError: 'x'"}, "no Python error with its stack"),
    ),
    reply={
        "hints, line": "{type} in line {line} of {file}: {meaning} Check this: {hints}",
        "hints": "{type}: {meaning} Check this: {hints}",
        "": "{type}: {meaning}",
    },
)
def python_explain_traceback(trace: Trace) -> Explained:
    """Explain a Python traceback: what the exception means, where it happened, and what to check.

    Use it when a Python program fails. Returns the failing line in the project's own code, the chain of exceptions, and
    hints based on the type and message.
    """
    text = trace.replace("\r\n", "\n")
    frames = list(_frames(text, "python"))[::-1]
    if not frames:
        raise ToolError(
            "There is no Python error with its stack in this text. Paste all of it, beginning with its first line."
        )
    chain = _chain(text, "python")
    name = chain[-1]["type"].rpartition(".")[2]
    culprit = next((frame for frame in frames if frame["own"]), frames[0])
    return {
        "type": chain[-1]["type"],
        "message": chain[-1]["message"],
        "meaning": _MEANINGS.get(name, "An exception that the program or one of its libraries defines."),
        "hints": _hints(name, chain[-1]["message"]),
        "file": culprit.get("file"),
        "line": culprit.get("line"),
        "function": culprit["function"],
        "code": culprit.get("code"),
        "chain": chain,
    }


def _language(text: str) -> str:
    for language, mark in _MARKS:
        if re.search(mark, text, re.MULTILINE):
            return language
    raise ToolError("There is no known stack trace format in this text. Specify its language.")


def _frames(text: str, language: str) -> Iterator[Frame]:
    for found in re.finditer(_FRAMES[language], text, re.MULTILINE):
        parts = found.groupdict()
        frame: Frame = {"function": (parts["function"] or "<anonymous>").strip(), "own": True}
        if parts.get("file"):
            frame["file"] = parts["file"]
        if parts.get("line"):
            frame["line"] = int(parts["line"])
        if parts.get("code") and not set(parts["code"]) <= set("^~ "):
            frame["code"] = parts["code"].strip()
        by_name = language in ("java", "csharp")
        places = (
            [frame["function"]] if by_name else [frame.get("file", ""), *([frame["function"]] * (language == "rust"))]
        )
        frame["own"] = not any(re.search(_FOREIGN[language], place) for place in places)
        yield frame


def _deepest(text: str, language: str) -> list[Frame]:
    """Return the frames of the last cause."""
    return list(_frames(re.split(r"^Caused by: | ---> ", text, flags=re.MULTILINE)[-1], language))


def _chain(text: str, language: str) -> list[Fault]:
    faults: list[Fault] = []
    for found in re.finditer(_ERRORS[language], _after_first_frame(text, language), re.MULTILINE):
        parts = found.groupdict()
        message = parts.get("message") or parts.get("quoted") or ""
        faults.append({"type": parts["type"], "message": message.strip()})
    return faults or [{"type": "unknown", "message": ""}]


def _after_first_frame(text: str, language: str) -> str:
    """Find the exception after the first frame: Python names it after the frames, and a single word on a line before
    them is not one.
    """
    if language != "python":
        return text
    blocks = re.split(r"^(?:\s*\| )?Traceback \(most recent call last\):$", text, flags=re.MULTILINE)
    conclusions = [_conclusion(block) for block in blocks if re.search(_FRAMES["python"], block, re.MULTILINE)]
    return "\n".join(conclusions)


def _conclusion(block: str) -> str:
    """Return the first line after the frames that is not indented."""
    frames = list(re.finditer(_FRAMES["python"], block, re.MULTILINE))
    lines = block[frames[-1].start() :].split("\n")[1:]
    return next((line for line in lines if line and not line.startswith((" ", "\t"))), "")


_MEANINGS: Mapping[str, str] = {
    "AssertionError": "An assert statement found its condition false.",
    "AttributeError": "The object has no attribute or method of that name.",
    "FileNotFoundError": "There is no file or folder at that path.",
    "ImportError": "A module was found, but not the name that is imported from it, or it could not be loaded.",
    "IndentationError": "The lines of a block do not begin at the same column.",
    "IndexError": "A position lies outside the sequence.",
    "JSONDecodeError": "The text is not valid JSON.",
    "KeyError": "The dictionary has no such key.",
    "MemoryError": "There was not enough memory.",
    "ModuleNotFoundError": "No module of that name can be imported.",
    "NameError": "The name was not defined when it was used.",
    "NotImplementedError": "The method is there for subclasses to write, and this one has not.",
    "OSError": "The operating system refused an operation.",
    "PermissionError": "The operating system does not allow the operation.",
    "RecursionError": "Calls are nested too deeply, mostly because a recursion has no end.",
    "RuntimeError": "An operation failed in a way that has no exception of its own.",
    "StopIteration": "An iterator had no more items.",
    "SyntaxError": "The code does not follow the grammar of Python.",
    "TimeoutError": "Something took too long.",
    "TypeError": "An operation or function got a value of the wrong type, or the wrong number of arguments.",
    "UnboundLocalError": "A local variable was read before it was assigned.",
    "UnicodeDecodeError": "Bytes are not valid in the encoding that they were read with.",
    "UnicodeEncodeError": "The encoding cannot write one of the characters.",
    "ValueError": "A value has the right type, and cannot be used for what it says.",
    "ZeroDivisionError": "Something was divided by zero.",
}
_HINTS = (
    (r"^ModuleNotFoundError", "Install the package in the environment that runs the program; its name may differ."),
    (r"^ModuleNotFoundError|^ImportError", "Look for a file of yours with the same name as the module."),
    (r"partially initialized module", "Two modules import each other: move one import into the "
        "function that needs it."),
    (r"'NoneType' object", "A call before returned None: find it and handle that case."),
    (r"^AttributeError.*has no attribute", "Check the spelling and the type of the object, for "
        "example by printing type(x)."),
    (r"positional argument|unexpected keyword|required .*argument", "Compare the call with the function's signature."),
    (r"not subscriptable", "The value in front of [ ] is not a list, dict or other container."),
    (r"not callable", "The name in front of ( ) is no function: a variable may hide it."),
    (r"not iterable", "The value that is looped over or unpacked is not a sequence."),
    (r"unsupported operand|can only concatenate", "Convert one side, as with int(x), float(x) or str(x)."),
    (r"not JSON serializable", "Convert the value to a plain type first, or give json.dumps a default function."),
    (r"^KeyError", "Use d.get(key), or check `key in d`, and print the keys that are there."),
    (r"^IndexError", "Compare the position with len(): the last item is at len() - 1."),
    (r"^NameError", "Check spelling, a missing import, or an assignment that comes later."),
    (r"^UnboundLocalError", "Assign before reading, or declare the name global or nonlocal."),
    (r"^FileNotFoundError", "Print the current folder and the full path: relative paths start where "
        "the program started."),
    (r"invalid literal for int|could not convert string to float", "Strip and check the text before it is converted."),
    (r"too many values to unpack|not enough values to "
        r"unpack", "The number of names differs from the number of values."),
    (r"^UnicodeDecodeError", 'Open the file with its real encoding, as in open(path, encoding="cp1252").'),
    (r"^RecursionError", "Check that the recursion has a base case, and that each call comes nearer to it."),
    (r"^ZeroDivisionError", "Check the divisor before dividing, an empty list for example."),
    (r"^JSONDecodeError.*Expecting value", "The text is empty or is HTML: print its beginning."),
    (r"truth value of (an array|a Series|a DataFrame)", "Use .any(), .all() or & and | instead of and, or."),
    (r"attached to a different loop|no running event loop|event loop is "
        r"closed", "Create and use the object in one asyncio.run()."),
    (r"was never awaited", "Put await before the call."),
    (r"dictionary changed size during iteration", "Loop over list(d) when the loop changes the dictionary."),
)  # fmt: skip


def _hints(name: str, message: str) -> list[str]:
    message_line = f"{name}: {message}"
    return [hint for pattern, hint in _HINTS if re.search(pattern, message_line)]
