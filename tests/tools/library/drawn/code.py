"""Tools for code: answers of Python itself, of the standards that are named, or read off the input."""

from retinue.sdk import Example

_CHANGES = """# Changelog

## [2.0.0] - 2025-12-24

### Removed

- Old API

### Fixed

- A leak

## [1.0.0] - 2025-01-02

### Added

- First
"""
_CLASS = "class A(object):\n    pass\n"

CALLS = [
    (
        "changelog_parse_releases",
        Example(
            {"text": _CHANGES},
            {
                "latest": "2.0.0",
                "problems": [],
                "releases": [
                    {
                        "version": "2.0.0",
                        "date": "2025-12-24",
                        "sections": {"Removed": ["Old API"], "Fixed": ["A leak"]},
                    },
                    {"version": "1.0.0", "date": "2025-01-02", "sections": {"Added": ["First"]}},
                ],
            },
            source="read off the text",
        ),
    ),
    (
        "changelog_parse_releases",
        Example(
            {"text": _CHANGES, "version": "1.0.0"},
            {"releases": [{"version": "1.0.0", "sections": {"Added": ["First"]}}]},
            source="read off the text",
        ),
    ),
    (
        "code_extract_comments",
        Example(
            {"code": "SELECT '--no' -- yes\n/* a */ FROM t", "language": "sql"},
            {"count": 2, "comments": [{"line": 1, "text": "-- yes"}, {"line": 2, "text": "/* a */"}]},
            source="the lexical rules of SQL",
        ),
    ),
    (
        "commit_check_message",
        Example(
            {"message": "fix: handle an empty list"},
            {"valid": True, "release": "patch", "parts": {"type": "fix", "scope": None, "breaking": False}},
            source="Conventional Commits 1.0.0, item 2",
        ),
    ),
    (
        "commit_check_message",
        Example(
            {"message": "fix: a\n\nBREAKING CHANGE: the old name is gone"},
            {"valid": True, "release": "major", "parts": {"type": "fix", "breaking": True}},
            source="Conventional Commits 1.0.0, item 12",
        ),
    ),
    (
        "commit_check_message",
        Example({"message": "Added stuff"}, {"valid": False}, source="Conventional Commits 1.0.0, item 1"),
    ),
    (
        "coverage_summarize_report",
        Example(
            {"report": "SF:m.c\nDA:1,0\nDA:2,7\nDA:9,0\nDA:10,0\nLF:4\nLH:1\nend_of_record\n"},
            {"format": "lcov", "percent": 25.0, "covered": 1, "lines": 4, "below": 1},
            source="lcov: LH / LF",
        ),
    ),
    (
        "python_document_api",
        Example(
            {"code": "def f(x):\n    return x\n\n\ndef _g():\n    pass\n"},
            {"documented": 0, "undocumented": ["f"]},
            source="read off the code",
        ),
    ),
    (
        "python_run_snippet",
        Example({"code": "sum(n * n for n in range(1, 11))"}, {"ok": True, "value": 385}, source="10 * 11 * 21 / 6"),
    ),
    (
        "python_run_snippet",
        Example(
            {"code": "1 / 0"}, {"ok": False, "error": {"type": "ZeroDivisionError"}}, source="the language reference"
        ),
    ),
    (
        "python_run_snippet",
        Example({"code": "repr(2 ** 100)"}, {"ok": True, "value": str(2**100)}, source="CPython"),
    ),
    (
        "python_upgrade_syntax",
        Example({"code": _CLASS}, {"code": "class A:\n    pass\n", "changed": True}, source="PEP 3115 and ruff UP004"),
    ),
    (
        "python_upgrade_syntax",
        Example({"code": "x: int | None = 1\n"}, {"code": "x: int | None = 1\n", "changed": False}, source="PEP 604"),
    ),
    (
        "sql_generate_models",
        Example(
            {"ddl": "CREATE TABLE customers (id INT PRIMARY KEY, name TEXT);", "language": "pydantic"},
            {"models": {"customers": "Customer"}},
            source="the singular of customers",
        ),
    ),
    (
        "version_compare_pair",
        Example(
            {"old": "0.4.9", "new": "0.5.0"},
            {"direction": "upgrade", "level": "minor", "breaking": True},
            source="Semantic Versioning 2.0.0, item 4",
        ),
    ),
    (
        "version_compare_pair",
        Example({"old": "1.0.0", "new": "1.0.0-rc.1"}, {"direction": "downgrade"}, source="SemVer 2.0.0, item 11"),
    ),
    (
        "version_compare_pair",
        Example({"old": "1.0.dev1", "new": "1.0a1", "scheme": "pep440"}, {"direction": "upgrade"}, source="PEP 440"),
    ),
    (
        "json_generate_types",
        Example(
            {"text": '[{"a": 1}, {"a": 2, "b": "x"}]', "language": "typescript", "name": "Row"},
            {"types": ["Row"]},
            source="one kind of object",
        ),
    ),
]
