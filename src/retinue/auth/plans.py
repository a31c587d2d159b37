"""Plans: request limits, tool tiers and quotas. One TOML file defines them all."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from retinue.core.errors import Unavailable

PlanName = Literal["free", "starter", "professional", "enterprise"]
ToolTier = Literal["free", "starter", "pro", "enterprise"]
TIERS: tuple[ToolTier, ...] = ("free", "starter", "pro", "enterprise")


def tier_includes(tier: ToolTier, required: ToolTier) -> bool:
    """Return True if `tier` includes tools of the tier `required`."""
    return TIERS.index(required) <= TIERS.index(tier)


class RequestLimits(BaseModel):
    """Requests allowed in each sliding window."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    minute: int = Field(ge=1)
    hour: int = Field(ge=1)
    day: int = Field(ge=1)


class ImportLimits(BaseModel):
    """How much may be imported: sources, their tools, and MiB of the tools' definitions."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sources: int = Field(20, ge=0)
    tools: int = Field(10_000, ge=0)
    mb: int = Field(64, ge=0)


class Plan(BaseModel):
    """What an account of this plan may use. A quota that is absent is without limit."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tools: ToolTier
    requests: RequestLimits
    keys: int = Field(ge=1)
    imports: ImportLimits = ImportLimits()
    schedules: int = Field(default=100, ge=0)
    quotas: Mapping[str, int] = {}

    def includes(self, tier: ToolTier) -> bool:
        """Return True if the plan includes tools of `tier`."""
        return tier_includes(self.tools, tier)


class _PlansFile(RootModel[dict[PlanName, Plan]]):
    """The plans file."""


@dataclass(frozen=True)
class Plans:
    """The four plans by name."""

    by_name: Mapping[str, Plan]

    @classmethod
    def load(cls, path: Path | None = None) -> "Plans":
        """Load the built-in plans, or the operator's file. Raises `Unavailable` if the file is invalid."""
        try:
            text = path.read_text() if path else files("retinue.auth").joinpath("plans.toml").read_text()
            plans = _PlansFile.model_validate(tomllib.loads(text)).root
        except OSError as error:
            raise Unavailable(f"The plans file {path} cannot be read ({error.strerror}).") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
            raise Unavailable(f"The plans file is invalid: {error}") from error
        if missing := sorted(set(get_args(PlanName)) - set(plans)):
            raise Unavailable(f"The plans file must define every plan. Missing: {', '.join(missing)}.")
        return cls(dict(plans.items()))

    def __getitem__(self, name: str) -> Plan:
        return self.by_name[name]
