"""What one model call returned, and how a journal row stores it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from math import ceil
from typing import TypedDict, cast

import orjson

from retinue.core.runtime.clock import now
from retinue.models.base import (
    AnsweringModel,
    Delta,
    FailedAttempt,
    Finish,
    FinishReason,
    Price,
    ProviderItem,
    ReasoningDelta,
    TextDelta,
    ToolCall,
    Usage,
)
from retinue.runs.tables import StepDetails, TokenCounts
from retinue.usage.ledger import Resource, UsageEntry
from retinue.usage.money import cost_text

REASONING_CHARACTERS = 32_000
"""Maximum length of the reasoning text that a step stores."""

NOTHING = Usage(0, 0)
_MILLION = Decimal(1_000_000)


@dataclass(slots=True)
class ModelAnswer:
    """What one model call returned; filled while it streams. `model` is the model that answered."""

    began: datetime
    model: str = ""
    text: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    reasoning: str = ""
    opaque: list[ProviderItem] = field(default_factory=list)
    finish: FinishReason | None = None
    usage: Usage = NOTHING
    price: Price | None = None
    attempts: list[FailedAttempt] = field(default_factory=list)
    begun: bool = False
    """True once the model has sent a part of its answer."""
    metered: bool = False
    """True once the usage is known, which comes last."""
    next_attempt_at: datetime | None = None
    """When the run calls its model again after this call, which failed."""
    errors: Sequence[str] = ()
    """What does not fit the schema that the reply must fit."""
    first_text_ms: int | None = None
    """Time from `began` to the first text."""

    def add(self, delta: Delta) -> None:
        """Add a fragment of the model's stream."""
        if isinstance(delta, FailedAttempt):
            self.attempts.append(delta)
            return
        self.begun = True
        match delta:
            case TextDelta(content):
                self._add_text(content)
            case ReasoningDelta(content):
                if len(self.reasoning) < REASONING_CHARACTERS:
                    self.reasoning += content.replace("\x00", "")
            case ToolCall():
                self.calls.append(_with_unique_ids(delta, len(self.calls)))
            case ProviderItem():
                self.opaque.append(delta)
            case Finish(reason):
                self.finish = reason
            case AnsweringModel(model, price):
                self.model, self.price = model, price
            case Usage():
                self.usage, self.metered = delta, True

    def _add_text(self, content: str) -> None:
        if self.first_text_ms is None:
            self.first_text_ms = ceil((now() - self.began).total_seconds() * 1000)
        self.text += content.replace("\x00", "")

    @property
    def tokens(self) -> int:
        """Total tokens of the call."""
        return self.usage.prompt_tokens + self.usage.completion_tokens

    @property
    def finish_reason(self) -> FinishReason:
        """Why the reply ended. A model that does not say so has finished."""
        return self.finish or "stop"

    @property
    def cost(self) -> Decimal | None:
        """The price of the call in USD, or None if the prices or the usage are unknown."""
        return cost_of(self.usage, self.price) if self.metered else None

    @property
    def is_unmetered(self) -> bool:
        """True for an answer that was cut before the provider told its usage."""
        return self.begun and not self.metered

    def fail(self, reason: str, next_attempt_at: datetime | None) -> None:
        """Note why the call failed, unless its last failed attempt says so, and when it is repeated."""
        if self.begun or not self.attempts:
            self.attempts.append(FailedAttempt(self.model, reason))
        self.next_attempt_at = next_attempt_at

    def details(self) -> StepDetails:
        """Return what the journal row stores beside text, calls and tokens."""
        found: StepDetails = {
            "model": self.model if self.begun else "",
            "usage": usage_fields(self.usage) if self.metered else {},
            "unmetered": self.is_unmetered,
            "cost_usd": cost_text(self.cost),
            "finish_reason": self.finish_reason if self.metered else None,
            "attempts": [{"model": one.model, "reason": one.reason} for one in self.attempts],
            "reasoning": self.reasoning[:REASONING_CHARACTERS],
            "opaque": [{"origin": one.origin, "value": dict(one.value)} for one in self.opaque],
            "errors": list(self.errors),
            "first_text_ms": self.first_text_ms,
            "next_attempt_at": utc_text(self.next_attempt_at) if self.next_attempt_at else None,
        }
        return cast("StepDetails", {name: value for name, value in found.items() if value})


class SpendingColumns(TypedDict):
    """A `Spending` as parameters of the statements that write a run's record."""

    used: TokenCounts | None
    cost: str | None


@dataclass(slots=True)
class Spending:
    """The usage and the cost of a run's model calls.

    `priced` is False once a price is unknown, and `metered` once the usage of a call is.
    """

    usage: Usage = NOTHING
    known: Decimal = Decimal(0)
    priced: bool = True
    metered: bool = True

    def add_answer(self, answer: ModelAnswer) -> None:
        """Add one model call, which may have been cut."""
        if answer.metered:
            self.add(answer.usage, answer.cost)
        elif answer.begun:
            self.metered = False

    def add(self, usage: Usage, cost: Decimal | None) -> None:
        """Add one model call."""
        self.usage += usage
        self.known += cost or 0
        self.priced = self.priced and cost is not None

    def add_row(self, details: StepDetails | None, tokens: int) -> None:
        """Add a journal row. Rows of earlier versions only have the number of tokens."""
        details = details or {}
        if tokens or details.get("usage"):
            cost = details.get("cost_usd")
            self.add(usage_of(details.get("usage")), None if cost is None else Decimal(cost))
        self.metered = self.metered and not details.get("unmetered")

    def columns(self) -> SpendingColumns:
        """Return the values for a run's record. The usage is None if no call told it, and one was cut."""
        is_known = self.metered or self.usage != NOTHING
        return {
            "used": usage_fields(self.usage) if is_known else None,
            "cost": cost_text(self.known if self.priced and self.metered else None),
        }

    def use(self, resource: Resource, tokens: int, **amounts: int) -> UsageEntry:
        """Return the usage to record of a run with so many tokens. `amounts` are further ones."""
        unpriced = 0 if self.priced else tokens
        parts = usage_fields(self.usage)
        return UsageEntry(resource, tokens=tokens, unpriced_tokens=unpriced, cost=self.known, **parts, **amounts)


def utc_text(moment: datetime) -> str:
    """Return a UTC time as the API writes it."""
    return moment.isoformat().replace("+00:00", "Z")


def cost_of(usage: Usage, price: Price | None) -> Decimal | None:
    """Return the price of a model call in USD, or None if the prices are unknown."""
    if price is None:
        return None
    cached = price.input if price.cached_input is None else price.cached_input
    fresh = usage.prompt_tokens - usage.cached_tokens
    total = fresh * Decimal(price.input) + usage.cached_tokens * Decimal(cached)
    return (total + usage.completion_tokens * Decimal(price.output)) / _MILLION


def usage_fields(usage: Usage) -> TokenCounts:
    """Name the token counts as the API does."""
    return {
        "input_tokens": usage.prompt_tokens,
        "cached_input_tokens": usage.cached_tokens,
        "output_tokens": usage.completion_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }


def usage_of(stored: TokenCounts | None) -> Usage:
    """Return the token counts that `usage_fields` named, or zeros."""
    fields: TokenCounts = stored or {}
    return Usage(
        fields.get("input_tokens", 0),
        fields.get("output_tokens", 0),
        fields.get("cached_input_tokens", 0),
        fields.get("reasoning_tokens", 0),
    )


def is_failed_call(details: StepDetails | None) -> bool:
    """Return whether a rejected step has no answer because its model call failed."""
    return details is not None and "attempts" in details and "finish_reason" not in details


def opaque_of(details: StepDetails | None) -> tuple[ProviderItem, ...]:
    """Return the parts of a stored step that its provider wants back."""
    return tuple(ProviderItem(one["origin"], one["value"]) for one in (details or {}).get("opaque", ()))


def valid_arguments(arguments: str) -> str:
    """Return a call's arguments as they may go back to a provider: a JSON object, empty if they are not one."""
    try:
        return arguments if isinstance(orjson.loads(arguments or "{}"), dict) and arguments else "{}"
    except orjson.JSONDecodeError:
        return "{}"


def was_cut(call: ToolCall, finish: FinishReason | None) -> bool:
    """Return whether the output limit cut the arguments of a call."""
    if finish != "length":
        return False
    try:
        return not isinstance(orjson.loads(call.arguments), dict)
    except orjson.JSONDecodeError:
        return True


def _with_unique_ids(call: ToolCall, index: int) -> ToolCall:
    """Give each call of a step a unique id. A model's ids may be missing, too long or duplicated."""
    name, arguments = call.name[:100], call.arguments.replace("\x00", "")
    return replace(call, id=f"{call.id[:80] or 'call'}_{index}", name=name, arguments=arguments)
