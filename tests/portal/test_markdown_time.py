"""Markdown of models is drawn in time proportional to its length, whatever it consists of."""

import json
import subprocess
from pathlib import Path

import pytest

from retinue.portal import static_files
from tests.support.sampling import EXHAUSTIVE

_SCRIPT = Path(__file__).with_name("markdown_time.mjs")
_STATIC = Path(static_files.__file__).with_name("static")
_PATTERNS = [
    ("", "[", ""),
    ("", "![", ""),
    ("", "[a](", ""),
    ("", "[a](b(", ""),
    ("", "*a ", ""),
    ("", "**a ", ""),
    ("", "__", "x"),
    ("", "`a ``b ", ""),
    ("", "`", "x"),
    ("# a", " ", "b"),
    ("# ", "#", "b"),
    ("# ", "# ", "b"),
    ("a|b\n", " ", "x"),
    ("a|b\n-", " ", "x"),
    ("a|b\n", "-|", "x"),
    ("", "- ", "x"),
    ("-", " ", "\u2028"),
    ("", "> ", ""),
    ("", "http://", ""),
    ("http://a", ".", ""),
    ("", "http://a(", ""),
    ("", "http://a(b)", ""),
    ("", "~~a ", ""),
    ("", "$a ", ""),
    ("", "$", "x"),
    ("", "$$", "x"),
    ("", "$$\n", "x"),
    ("", "\\(a ", ""),
    ("", "\\[\n", ""),
    ("$$\n", "a\n", ""),
    ("- [", " ", "x"),
    ("", "a\n", ""),
    ("", "- a\n", ""),
    ("```\n", "a\n", ""),
]
"""What a text begins with, what it repeats, and what it ends with."""


@EXHAUSTIVE
@pytest.mark.needs_program("node")
def test_no_text_takes_more_than_proportional_time(tmp_path: Path) -> None:
    # Node reads modules from files with this suffix or below a package that says so.
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for name in ("markdown.js", "dom.js", "highlight.js", "math.js", "translation.js"):
        (tmp_path / name).write_text((_STATIC / name).read_text())
    slow = _PATTERNS
    for _ in range(3):  # A busy machine inflates even CPU times, but not each time of the same text.
        command = ["node", str(_SCRIPT), str(tmp_path / "markdown.js")]
        ended = subprocess.run(command, input=json.dumps(slow), capture_output=True, text=True, check=True)
        slow = [pattern for pattern, factor in zip(slow, json.loads(ended.stdout), strict=True) if factor > 9]
    assert slow == []
