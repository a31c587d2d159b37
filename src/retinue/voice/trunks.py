"""Loads SIP trunks, the providers of outbound and inbound telephone calls, from a TOML file."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel, ValidationError

from retinue.core.errors import Unavailable

Word = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^\s@:;<>\"?\\]+$")]
Host = Annotated[str, Field(min_length=1, max_length=255, pattern=r"^[A-Za-z0-9.\-\[\]:]+$")]
Prefix = Annotated[str, Field(pattern=r"^\+[0-9]{0,15}$")]
Codec = Literal["pcmu", "pcma", "g722", "opus"]


class InboundRoute(BaseModel):
    """Who takes calls to a number, what that agent says first, and whether the call is recorded."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    agent: int
    greeting: Annotated[str, Field(max_length=500)] | None = None
    record: bool = False


def _expand(route: object) -> object:
    return {"agent": route} if isinstance(route, int) else route


class Trunk(BaseModel):
    """A trunk. `inbound` maps the numbers that it delivers to routes, or to ids of agents alone."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    host: Host
    user: Word
    auth_user: Word | None = None
    password: str = Field("", max_length=128, pattern=r'^[^"\\\x00-\x1f]*$')
    password_env: str | None = None
    transport: Literal["udp", "tcp", "tls"] = "udp"
    srtp: bool = False
    register_: bool = Field(False, alias="register")
    caller_id: Annotated[str, Field(pattern=r"^\+?[0-9]{2,15}$")] | None = None
    prefixes: tuple[Prefix, ...] = ("+",)
    codecs: tuple[Codec, ...] = ("pcma", "pcmu")
    inbound: Mapping[str, Annotated[InboundRoute, BeforeValidator(_expand)]] = {}

    @property
    def secret(self) -> str:
        """The password, from the file or the environment."""
        return os.environ.get(self.password_env, "") if self.password_env else self.password

    def uri(self, number: str) -> str:
        """Return the SIP URI of a telephone number at this trunk."""
        return f"sip:{number}@{self.host};transport={self.transport}"


class _TrunksFile(RootModel[dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")], Trunk]]):
    """The file as a whole."""


@dataclass(frozen=True)
class Trunks:
    """The trunks by name."""

    by_name: Mapping[str, Trunk]

    @classmethod
    def load(cls, path: Path | None) -> "Trunks":
        """Read the file; without a path there are no trunks. Raises `Unavailable` if it is invalid."""
        if path is None:
            return cls({})
        try:
            return cls(_TrunksFile.model_validate(tomllib.loads(path.read_text())).root)
        except OSError as error:
            raise Unavailable(f"The trunks file {path} cannot be read ({error.strerror}).") from error
        except tomllib.TOMLDecodeError as error:
            raise Unavailable(f"The trunks file {path} is not valid TOML: {error}") from error
        except ValidationError as error:
            # Pydantic's message would contain the values, including passwords.
            places = ", ".join(".".join(map(str, problem["loc"])) for problem in error.errors())
            raise Unavailable(f"The trunks file {path} is invalid at: {places}.") from error

    def for_number(self, number: str) -> str | None:
        """Return the name of the trunk with the longest matching prefix; the first in the file wins a tie."""
        fitting = [
            (len(prefix), -place, name)
            for place, (name, trunk) in enumerate(self.by_name.items())
            for prefix in trunk.prefixes
            if number.startswith(prefix)
        ]
        return max(fitting)[2] if fitting else None

    def route_for(self, number: str) -> InboundRoute | None:
        """Return the route of calls to `number`, or None."""
        return next((trunk.inbound[number] for trunk in self.by_name.values() if number in trunk.inbound), None)
