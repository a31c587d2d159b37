"""Render the pages of the tool catalogue: all categories, one category, one tool, and search results."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import Environment

from retinue.core.errors import NotFound
from retinue.reference import programs
from retinue.reference.rows import Json, Row, Schemas
from retinue.reference.samples import tool_call
from retinue.reference.view import Code, requests_in_languages
from retinue.tools.authoring.tool import CATEGORIES, Tool
from retinue.tools.catalogue.catalogue import Catalogue

_MOST_FOUND = 40
_MOST_EXAMPLES = 3
"""Number of tools on the card of a category."""
_CACHED_PAGES = 128
_READABLE = 1000
"""Maximum number of characters of arguments that are easy to read."""
_SITE = "https://example.com"


@dataclass(frozen=True, slots=True)
class Sample:
    """A call that is known to work, with the part of its result that is known."""

    args: str
    requests: list[Code]
    result: str
    source: str
    needs_file: bool


class CataloguePages:
    """Renders pages and caches the most recently used ones. Rendering takes milliseconds: run it in a thread."""

    def __init__(self, catalogue: Catalogue, environment: Environment, shared: Json) -> None:
        """`shared` holds the variables of all templates."""
        self._catalogue = catalogue
        self._environment = environment
        self._shared = {**shared, "categories": catalogue.categories()}
        self.index = lru_cache(1)(self._index)
        self.category = lru_cache(len(CATEGORIES))(self._category)
        self.tool = lru_cache(_CACHED_PAGES)(self._tool)
        self.found = lru_cache(_CACHED_PAGES)(self._search_page)

    def _index(self) -> bytes:
        cards = [
            (slug, name, count, self._catalogue.find(None, slug, None, 0, _MOST_EXAMPLES)[1])
            for slug, name, count in self._catalogue.categories()
        ]
        return self._render("tools.html", cards=cards, search="", total=len(self._catalogue))

    def _search_page(self, search: str) -> bytes:
        """Render search results, best first."""
        total, tools = self._catalogue.find(search, None, None, 0, _MOST_FOUND)
        return self._render("tools_found.html", search=search, total=total, tools=tools)

    def _category(self, slug: str) -> bytes:
        """Render all tools of a category. Raises `NotFound`."""
        if slug not in CATEGORIES:
            raise NotFound(f"There is no category {slug[:60]}. The categories are {', '.join(CATEGORIES)}.")
        _, tools = self._catalogue.find(None, slug, None, 0, len(self._catalogue))
        return self._render("tools_category.html", slug=slug, name=CATEGORIES[slug], tools=tools, search="")

    def _tool(self, category: str, name: str, address: str) -> bytes:
        """Render one tool. Raises `NotFound`."""
        tool = self._catalogue.get(name)
        if tool.category != category:
            raise NotFound(f"The tool {name} is not in this category: see /docs/tools/{tool.category}/{name}.")
        return self._render(
            "tool.html",
            tool=tool,
            slug=category,
            category=CATEGORIES[category],
            arguments=_rows(tool.input_schema),
            fields=_rows(tool.result_schema),
            sample=_sample(tool, address),
            effects=_effects(tool),
            search="",
        )

    def _render(self, template: str, **values: object) -> bytes:
        return self._environment.get_template(template).render(**self._shared, **values).encode()


def _rows(schema: Json) -> list[Row]:
    return list(Schemas({}).rows(schema))


def _effects(tool: Tool) -> list[str]:
    """Describe the side effects of a call."""
    return [
        "Changes nothing" if tool.read_only else "Deletes or overwrites" if tool.destructive else "Changes records",
        "Same call, same effect" if tool.idempotent else "Each call has an effect or result of its own",
        "Connects to the network" if tool.open_world else "Stays within the server",
        *([f"Requires {' and '.join(tool.needs)} on the server"] if tool.needs else []),
    ]


def _sample(tool: Tool, address: str) -> Sample:
    example = min((each for each in tool.examples if "result" in each), key=_trouble)
    marks = {"{site}": _SITE, **{f"{{{name}}}": "192.0.2.53:53" for name in example.get("servers", {})}}
    args = _fill(example["args"], marks)
    return Sample(
        args=json.dumps(args, indent=2, ensure_ascii=False),
        requests=requests_in_languages(
            tool_call(address, tool.name, args),
            programs.python_tool_call(address, tool.name, args),
            programs.javascript_tool_call(address, tool.name, args),
        ),
        result=json.dumps(_fill(example["result"], marks), indent=2, ensure_ascii=False),
        source=example["source"],
        needs_file=bool(example["files"]),
    )


def _trouble(example: Json) -> tuple[int, int]:
    """Rank an example by the number of things a reader must prepare, then by its excess length."""
    prepared: Sequence[str] = ("servers", "site", "before", "files")
    return sum(bool(example.get(part)) for part in prepared), max(0, len(json.dumps(example["args"])) - _READABLE)


def _fill(value: Any, marks: Mapping[str, str]) -> Any:
    """Replace marks in the texts of a value."""
    text = json.dumps(value)
    for mark, meaning in marks.items():
        text = text.replace(mark, meaning)
    return json.loads(text)
