"""A tool as the platform sees it: an entry of the compiled catalogue."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from retinue.language.translation import gettext_noop

Tier = Literal["free", "starter", "pro", "enterprise"]

CATEGORIES: Mapping[str, str] = {
    "text": gettext_noop("Text"),
    "data_formats": gettext_noop("Data formats"),
    "data_analysis": gettext_noop("Data analysis"),
    "math": gettext_noop("Mathematics"),
    "statistics": gettext_noop("Statistics"),
    "graphs": gettext_noop("Graphs"),
    "science": gettext_noop("Science"),
    "finance": gettext_noop("Finance"),
    "datetime": gettext_noop("Date and time"),
    "geo": gettext_noop("Geography"),
    "identifiers": gettext_noop("Identifiers"),
    "documents": gettext_noop("Documents"),
    "media": gettext_noop("Media"),
    "web": gettext_noop("Web"),
    "security": gettext_noop("Security"),
    "code": gettext_noop("Code"),
    "workspace": gettext_noop("Workspace"),
}
"""The names of the categories, which are messages of the user interface."""

_LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True)
class Tool:
    """One catalogue entry. Only worker processes import the function from `module`; if it runs `inside`, the server
    imports it on the first call, because such a tool works with data of the platform.

    `credits` is the price of one call; `timeout_s` limits its run in seconds (imports not counted); `memory_mb` is
    what a call may add to the address space of its worker, in MiB. `read_only`, `destructive`, `idempotent` and
    `open_world` have the meaning of the Model Context Protocol's tool annotations. An example holds `args` and either
    `result` (the expected part of the result) and `source` (where that value is from), or `refusal` (part of the
    message with which the tool refuses those arguments); `retinue.tools.authoring.declare.Example` lists the other
    fields. `needs` are programs of the machine that the tool requires; `retinue.sandbox.system_requirements` says
    which packages contain
    them. `destroys_when` narrows `destructive` to calls with certain arguments: see `destroys`. `precedents` are
    example requests, each with the arguments it implies as JSON. `reply` has the sentences that word a result, each
    under its condition (`retinue.language.reply_templates`). `source` is the text of a module that is not a file
    of a package. A tool that is `superseded_by` another can still be called by its name; lists and searches omit it.
    It has a function of its own unless it is an alias: `alias_of` then names the function, `renames` maps arguments to
    the function's, and `constants` are arguments that the function gets in every call. If there are `alternatives`, the
    arguments match one of these schemas as well: they say which arguments of an imported tool belong together.
    """

    name: str
    description: str
    category: str
    tier: Tier
    credits: int
    input_schema: Mapping[str, Any]
    result_schema: Mapping[str, Any]
    tags: Sequence[str]
    use_when: Sequence[str]
    examples: Sequence[Mapping[str, Any]]
    module: str
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    timeout_s: float
    memory_mb: int
    inside: bool = False
    needs: Sequence[str] = field(default_factory=list)
    precedents: Sequence[tuple[str, str]] = field(default_factory=list)
    destroys_when: Mapping[str, Sequence[object]] = field(default_factory=dict)
    reply: Mapping[str, str] = field(default_factory=dict)
    source: str = ""
    superseded_by: str | None = None
    alias_of: str | None = None
    renames: Mapping[str, str] = field(default_factory=dict)
    constants: Mapping[str, object] = field(default_factory=dict)
    alternatives: Sequence[Mapping[str, object]] = field(default_factory=list)

    @property
    def title(self) -> str:
        """What the tool does, in the first sentence of its description."""
        sentence = self.description.partition(". ")[0].partition("\n")[0].rstrip(".")
        return sentence if len(sentence) <= _LONGEST_TITLE else f"{sentence[: _LONGEST_TITLE - 1].rstrip()}\u2026"

    @property
    def function(self) -> str:
        """The name of the function in `module`."""
        return self.alias_of or self.name

    def function_arguments(self, args: Mapping[str, object]) -> dict[str, object]:
        """Return the arguments of the function for a call with these arguments."""
        return {**{self.renames.get(name, name): value for name, value in args.items()}, **self.constants}

    @property
    def output_schema(self) -> Mapping[str, object]:
        """The schema of the result, under the name that clients know."""
        return self.result_schema

    @property
    def score(self) -> float | None:
        """Relevance to a search: unknown to the tool itself."""
        return None

    @property
    def effects(self) -> Mapping[str, bool]:
        """The effects of a call. A tool that only computes reads nothing: its input is in its arguments."""
        return {
            "reads": self.inside or self.open_world or names_files(self.input_schema),
            "changes": not self.read_only,
            "destroys": self.destructive,
            "goes_out": self.open_world,
        }

    def destroys(self, args: Mapping[str, object]) -> bool:
        """Return whether a call may delete or overwrite existing data.

        With `destroys_when`, this holds if an argument has one of the values listed for it; an empty list stands for
        any value that the caller gives. An omitted argument has its default.
        """
        if not self.destroys_when:
            return self.destructive
        return any(self._holds(args, name, values) for name, values in self.destroys_when.items())

    def _holds(self, args: Mapping[str, object], name: str, values: Sequence[object]) -> bool:
        value = args.get(name)
        if not values:
            return value is not None
        return (self.input_schema["properties"][name].get("default") if value is None else value) in values


def properties_of(schema: Mapping[str, object]) -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of an object's properties."""
    properties = schema.get("properties")
    return properties if isinstance(properties, Mapping) else {}


def names_files(schema: Mapping[str, Any]) -> bool:
    """Return whether an argument names a file of the account."""
    if schema.get("format") == "file-id":
        return True
    parts = [*properties_of(schema).values(), *schema.get("anyOf", ()), schema.get("items")]
    return any(names_files(part) for part in parts if isinstance(part, Mapping))
