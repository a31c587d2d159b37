"""Values for the places of requests: valid, on the bounds, of a wrong type, and hostile."""

import copy
import zoneinfo
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, TypeAlias

from tests.tools.hostile import TEXTS

Schema: TypeAlias = Mapping[str, Any]
Place: TypeAlias = tuple[str | int, ...]

_LONE = ("\ud800", "a\udfff", "\ud83d" * 3)
_LONG = ("x" * 70_000, "é" * 2_001, "a b " * 3_000, "\U0001f600" * 501)
_DIRECTIVES = (
    "[[words:3000]]", "[[fail]]", "[[fail-after:3]]", "[[echo-history]]", "[[tool:", "[[bad-args:text_convert_case]]",
    '[[tool:text_convert_case {"text": "two words", "style": "kebab"}]]', '[[tool:note_create {"title": "a"}]]',
    '[[tool:web_extract_links {"html": "<p>Hello</p>"}]][[words:3]]', "[[tool:no_such {}]]", "[[tool:" * 300,
    "Remember that my birthday is on 5 May.", "What did I tell you?", "What is 6 times 7?",
)  # fmt: skip
"""Messages that make the sandbox's model act, and requests for the assistant."""
_WORDS = (
    "2026-02-30", "2026-11-28", "2026-11-28T06:00:00Z", "9999-12-31T23:59:59.999999+14:00", "0001-01-01", "@daily",
    "+441632960123", "sip:ada@example.com", "sips:[::1]:5061;transport=tls", "tel:+1;ext=5", "12#*ABCD",
    "ada@example.com",
    "https://example.com/hook", "https://127.0.0.1/", "https://[::1]/", "https://example.com:99999/",
    "https://a@b.invalid",
    "agents:read", "*", "agents:*", "agent.completed", "203.0.113.0/24", "2001:db8::/129", "1.2.3.4",
    "text_convert_case",
    "note_create", "live", "test", "published", "completed", "1.0.0", "haiku-poet", "leader", "parallel", "json", "csv",
    "created_at", "-1", "conv_1", "file_00000000000000000000000000", "owner@localhost", "true", "null", "100", "1e3",
)  # fmt: skip
_NUMBERS = (
    0, -1, 1, 2, 100, 101, 2**31, 2**53 + 1, 2**63 - 1, 2**63, -(2**63) - 1, 10**40, 0.5, -0.0, 1e308, 5e-324,
    float("nan"), float("inf"),
)  # fmt: skip
_DEEP = (60, 63, 64, 65, 300)
_WILD = 0.08
"""How often a value has nothing to do with its schema."""


@cache
def _zones() -> Sequence[str]:
    return sorted(zoneinfo.available_timezones())


class Values:
    """Draws values. The same `chance` draws the same values."""

    def __init__(self, chance: Random, components: Mapping[str, Schema]) -> None:
        self.chance = chance
        self._components = components
        self._semantic: Mapping[str, Callable[[], Any]] = {
            "cron": self.cron,
            "timezone": lambda: chance.choice(_zones()),
            "message": lambda: chance.choice(_DIRECTIVES),
            "task": lambda: chance.choice(_DIRECTIVES),
        }

    def text(self) -> str:
        """Return a text that breaks readers that expect well-meant text."""
        return self.chance.choice(self.chance.choice((TEXTS, TEXTS, _WORDS, _WORDS, _DIRECTIVES, _LONE, _LONG)))

    def word(self) -> str:
        """Return a word that means something to some operation."""
        return self.chance.choice(_WORDS)

    def cron(self) -> str:
        """Return a cron expression."""
        bounds = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
        return " ".join(self._cron_field(least, most) for least, most in bounds)

    def _cron_field(self, least: int, most: int) -> str:
        first, second = sorted((self.chance.randint(least, most), self.chance.randint(least, most)))
        forms = (
            "*",
            "*",
            str(first),
            f"{first}-{second}",
            f"*/{max(second, 1)}",
            f"{first},{second}",
            f"{second}-{first}",
        )
        return self.chance.choice(forms)

    def wild(self) -> Any:
        """Return any JSON value."""
        kind = self.chance.randrange(6)
        if kind == 0:
            return self.chance.choice(_NUMBERS)
        if kind == 1:
            return self.chance.choice((None, True, False, [], {}, [None], {"": {}}, "", " "))
        if kind == 2:
            return self._nest(self.chance.choice(_DEEP))
        if kind == 3:
            return [self.text()] * self.chance.choice((1, 2, 300))
        if kind == 4:
            return {self.text(): self.text() for _ in range(3)}
        return self.text()

    def _nest(self, depth: int) -> Any:
        value: Any = 1
        for level in range(depth):
            value = {"a": value} if level % 2 else [value]
        return value

    def resolve(self, schema: Schema) -> Schema:
        """Return a schema without references and choices at its top."""
        while True:
            if "$ref" in schema:
                schema = self._components[str(schema["$ref"]).rpartition("/")[2]]
            elif choices := schema.get("anyOf") or schema.get("oneOf"):
                schema = self.chance.choice(choices)
            else:
                return schema

    def of(self, schema: Schema, name: str = "", depth: int = 0) -> Any:
        """Return a value that mostly fits a schema."""
        schema = self.resolve(schema)
        if self.chance.random() < _WILD:
            return self.wild()
        if name in self._semantic and self.chance.random() < 0.6:
            return self._semantic[name]()
        return self._fitting(schema, name, depth)

    def _fitting(self, schema: Schema, name: str, depth: int) -> Any:
        if "enum" in schema or "const" in schema:
            return self.chance.choice(schema.get("enum") or [schema["const"]])
        kinds = schema.get("type", "any")
        kind = kinds if isinstance(kinds, str) else self.chance.choice(kinds)
        match kind:
            case "null" | "boolean":
                return None if kind == "null" else self.chance.random() < 0.5
            case "integer" | "number":
                bounds = [schema[bound] for bound in ("minimum", "maximum") if bound in schema]
                return self.chance.choice((*bounds, *bounds, 1, 3, 7, self.chance.choice(_NUMBERS)))
            case "string":
                return self._string(schema)
            case "array":
                return [self.of(schema.get("items", {}), name, depth + 1) for _ in range(self._length(schema))]
            case "object" if depth < 6:
                return self._object(schema, depth)
        return self.wild()

    def _string(self, schema: Schema) -> str:
        longest = min(schema.get("maxLength", 100), 200_000)
        if self.chance.random() < 0.2:
            unit = self.chance.choice(("a", "é", "0", "\U0001f600", "a b\n", "<b>"))
            length = self.chance.choice((schema.get("minLength", 0), longest, longest + 1))
            return str((unit * length)[:length])
        return self.text()[:longest] if self.chance.random() < 0.9 else self.text()

    def _length(self, schema: Schema) -> int:
        most = min(schema.get("maxItems", 3), 300)
        return int(self.chance.choice((schema.get("minItems", 0), 1, 2, most if self.chance.random() < 0.1 else 1)))

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        properties, wanted = schema.get("properties", {}), schema.get("required", ())
        made = {
            name: self.of(part, name, depth + 1)
            for name, part in properties.items()
            if name in wanted or self.chance.random() < 0.3
        }
        if not properties or self.chance.random() < 0.03:
            made[self.text()] = self.wild()
        return made

    def near(self, schema: Schema, example: Any) -> Any:
        """Return an example of a schema with one to three changes."""
        schema, value = self.resolve(schema), copy.deepcopy(example)
        if not isinstance(value, dict):
            return self.of(schema)
        for _ in range(self.chance.choice((0, 1, 1, 2, 3))):
            self._change(schema, value)
        return value

    def _change(self, schema: Schema, value: dict[str, Any]) -> None:
        """Change, add or remove one property, in the object itself or in one within it."""
        properties = self.resolve(schema).get("properties", {})
        names = [*value, *properties]
        name = self.chance.choice(names) if names else self.text()
        part = properties.get(name, {})
        if isinstance(value.get(name), dict) and self.chance.random() < 0.6:
            self._change(part, value[name])
        elif name in value and self.chance.random() < 0.1:
            del value[name]
        elif isinstance(value.get(name), str) and self.chance.random() < 0.3:
            value[name] = self._alter(value[name])
        else:
            value[name] = self.of(part, name, 1)

    def _alter(self, text: str) -> str:
        start = self.chance.randrange(len(text) + 1)
        end = start + self.chance.choice((0, 1, 3, 10))
        return self.chance.choice((text[:start] + self.text()[:300] + text[end:], text[:start] + text[end:], text * 9))
