"""The models that callers may name."""

from collections.abc import Sequence
from typing import Any, Protocol

from retinue.core.errors import Unavailable
from retinue.models.base import Model


class ModelTable(Protocol):
    """What the operator configured."""

    @property
    def test(self) -> Model:
        """The sandbox's deterministic model."""
        ...

    def names(self) -> Sequence[str]:
        """The names accepted, the default first."""
        ...

    def get(self, name: str) -> Model | None:
        """The model of that name."""
        ...

    def status(self) -> dict[str, Any]:
        """What is ready and what is not."""
        ...


class Models:
    """Names to models; the sandbox's callers always get the test model."""

    def __init__(self, table: ModelTable) -> None:
        self._table = table

    def names(self) -> Sequence[str]:
        """The names accepted, the default first."""
        return self._table.names()

    def get(self, name: str, sandbox: bool) -> Model:
        """The model of that name, or `Unavailable`."""
        model = self._table.test if sandbox else self._table.get(name)
        if model is None:
            raise Unavailable(f"The model {name!r} is no longer configured.")
        return model
