"""Markdown of models is drawn in time proportional to its length, whatever it consists of."""

import json
import subprocess
from pathlib import Path

import pytest

from retinue.portal import static_files

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
    ("", "a\n", ""),
    ("", "- a\n", ""),
    ("```\n", "a\n", ""),
]
"""What a text begins with, what it repeats, and what it ends with."""


@pytest.mark.needs_program("node")
def test_no_text_takes_more_than_proportional_time(tmp_path: Path) -> None:
    # Node reads modules from files with this suffix or below a package that says so.
    (tmp_path / "package.json").write_text('{"type": "module"}')
    for name in ("markdown.js", "dom.js"):
        (tmp_path / name).write_text((_STATIC / name).read_text())
    ended = subprocess.run(
        ["node", _SCRIPT, tmp_path / "markdown.js"],
        input=json.dumps(_PATTERNS),
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    slow = {"".join(pattern): factor for pattern, factor in zip(_PATTERNS, json.loads(ended.stdout), strict=True)}
    assert {text: factor for text, factor in slow.items() if factor > 9} == {}
