"""The usage of many cancelled runs is recorded with a few statements."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from retinue.core.runtime.clock import now
from retinue.runs.cancel_accounting import count_cancelled


class Cancelled(NamedTuple):
    """The columns of a cancelled run that accounting reads."""

    agent_id: int | None
    options: dict[str, Any]
    key_id: int | None = None
    tokens_used: int = 3
    model: str = "alfred-default"
    person: str | None = None
    account_id: int = 1
    started_at: Any = now()
    usage: dict[str, int] | None = {"input_tokens": 2, "output_tokens": 1}  # noqa: RUF012 - no test changes it
    cost_usd: str | None = "0.1"


@dataclass
class Written:
    """A transaction that collects the values of its statements."""

    values: list[dict[str, Any]] = field(default_factory=list)

    async def run(self, _statement: Any, **values: Any) -> int:
        """Collect the values."""
        self.values.append(values)
        return 1


async def test_runs_with_the_same_spenders_are_recorded_together() -> None:
    runs = [Cancelled(1 + number % 2, {}, key_id=9) for number in range(5000)]
    runs += [Cancelled(None, {}, cost_usd=None), Cancelled(1, {"sandbox": True}), Cancelled(1, {}, started_at=None)]
    written = Written()
    await count_cancelled(written, runs)  # type: ignore[arg-type]  # a transaction that only collects
    appended = [values for values in written.values if "created_at" in values]
    shown = [(one["resource"], one["agent_id"], one["key_id"], one["count"], one["tokens"]) for one in appended]
    assert shown == [("agents", 1, 9, 2500, 7500), ("agents", 2, 9, 2500, 7500), ("chat", None, None, 1, 3)]
    spent = [(one["input_tokens"], one["cost_micros"], one["unpriced_tokens"]) for one in appended]
    assert spent == [(5000, 250_000_000, 0), (5000, 250_000_000, 0), (2, 0, 3)]
    assert len(written.values) < 15
