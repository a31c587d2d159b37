"""Catalogue entries that tests make up."""

from pathlib import Path
from typing import Any

from retinue.tools.authoring.tool import Tool

HERE = Path(__file__).parent


def make_tool(name: str, **fields: Any) -> Tool:
    """A catalogue entry of a nasty tool, or of any tool for tests."""
    defaults = {
        "description": f"A tool for tests named {name}.",
        "category": "text",
        "tier": "free",
        "credits": 1,
        "input_schema": {"type": "object", "properties": {}},
        "result_schema": {"type": "object"},
        "tags": [],
        "use_when": [],
        "examples": [],
        "module": "nasty_tools",
        "read_only": True,
        "destructive": False,
        "idempotent": True,
        "open_world": False,
        "timeout_s": 10.0,
        "memory_mb": 256,
        "needs": [],
    }
    return Tool(name=name, **{**defaults, **fields})
