"""The interface of an assistant for small models, which gives tool calls to models without native ones.

An installed package provides it: an entry point of the group `retinue.assistants` names a module with the functions of
`AssistantPackage`. The server imports nothing else of such a package. `retinue-assistant` ships with the server.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar, cast

from retinue.core.runtime.executors import run_on_compute_thread
from retinue.models.base import Message, Model, Usage

if TYPE_CHECKING:
    from retinue.models.encoder import Encoded

P = ParamSpec("P")
T = TypeVar("T")

ASSISTANTS = "retinue.assistants"
"""The entry-point group."""

NOT_INSTALLED = (
    "The included model is not installed: the operator should install the package retinue-assistant and start the "
    "server again, or configure another model."
)


async def compute(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a function of an assistant that computes for more than a few milliseconds, on a thread of the server."""
    return await run_on_compute_thread(function, *args, **kwargs)


class JsonModel(Model, Protocol):
    """A model that can also constrain its output to a JSON Schema."""

    async def generate(
        self, messages: Sequence[Message], schema: Mapping[str, object], max_tokens: int
    ) -> tuple[dict[str, object], Usage]:
        """Ask the model for a JSON object that matches `schema`. Returns {} if the model stopped before its end."""
        ...


class RequestHints(Protocol):
    """What the assistant's own heads read from one request. The server only passes it on."""

    def of(self, tool: str, renames: Mapping[str, str]) -> object:
        """Return what the request says of the arguments of `tool`, for `Candidate.hints`.

        `renames` maps names that the heads have learned to the arguments' names of today.
        """
        ...


class AssistantPackage(Protocol):
    """The module that an entry point names."""

    def wrap(self, base: JsonModel, *, rewrites: bool = True) -> Model:
        """Return a model that calls tools as if `base` had native tool calling.

        `rewrites` says that `base` is large enough to complete and split messages: 1.5 billion parameters.
        """
        ...

    def read_hints(self, request: "Encoded") -> RequestHints:
        """Read an encoded request. Takes tens of milliseconds: call it in a compute thread."""
        ...

    def permission_requests(self) -> Sequence[str]:
        """Return the beginnings of the replies that ask for a tool, in all languages. The tool's name ends them."""
        ...


@cache
def installed_assistant() -> AssistantPackage | None:
    """Import the installed assistant, the first by name; None without one. Takes a moment when first called."""
    points = sorted(entry_points(group=ASSISTANTS), key=lambda point: point.name)
    return cast(AssistantPackage, points[0].load()) if points else None
