"""Loads SIP trunks, the providers of outbound and inbound telephone calls, from a TOML file."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    RootModel,
    ValidationError,
    model_validator,
)

from retinue.core.errors import Unavailable
from retinue.voice.calls.phone_numbers import country_of, is_e164, spellings_of, to_e164
from retinue.voice.sip_address import remove_separators
from retinue.voice.wire import CallerRule, CallerRules, TrunkAccount

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


def _check_network(text: str) -> str:
    return str(ip_network(text))


Network = Annotated[str, AfterValidator(_check_network)]
Password = Annotated[str, Field(min_length=1, max_length=128)]


class Phones(BaseModel):
    """Who may call agents and rooms at their own addresses: from which networks, and with which passwords."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    networks: tuple[Network, ...] = ()
    users: Mapping[Word, Password] = {}


class Trunk(BaseModel):
    """A trunk. `inbound` maps the numbers that it delivers to routes, or to ids of agents alone.

    Calls to these numbers must come from `networks`, and authenticate as `inbound_user`, where these are set.
    """

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
    networks: tuple[Network, ...] = ()
    inbound_user: Word | None = None
    inbound_password: Password | None = None
    inbound_password_env: str | None = None

    @model_validator(mode="after")
    def _check_inbound_user(self) -> Self:
        if self.inbound_user and not self._inbound_secret:
            raise ValueError("inbound_user needs inbound_password, or inbound_password_env with a variable that is set")
        return self

    @property
    def access(self) -> CallerRule:
        """What callers of the trunk's numbers must fulfil."""
        users = {self.inbound_user: self._inbound_secret} if self.inbound_user else {}
        return {"networks": list(self.networks), "users": users}

    @property
    def _inbound_secret(self) -> str:
        if self.inbound_password_env:
            return os.environ.get(self.inbound_password_env, "")
        return self.inbound_password or ""

    @property
    def secret(self) -> str:
        """The password, from the file or the environment."""
        return os.environ.get(self.password_env, "") if self.password_env else self.password

    def account(self, name: str) -> TrunkAccount:
        """Return what the media worker needs to register and to call."""
        return {
            "name": name,
            "host": self.host,
            "user": self.user,
            "auth_user": self.auth_user,
            "secret": self.secret,
            "transport": self.transport,
            "srtp": self.srtp,
            "register_": self.register_,
            "caller_id": self.caller_id,
            "codecs": list(self.codecs),
        }

    def uri(self, number: str) -> str:
        """Return the SIP URI of a telephone number at this trunk."""
        return f"sip:{number}@{self.host};transport={self.transport}"


class _TrunksFile(RootModel[dict[Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,31}$")], Trunk]]):
    """The file as a whole, without the table `phones`."""


@dataclass(frozen=True, slots=True)
class InboundNumber:
    """A number that a trunk delivers, in E.164 form if it has one, and what callers must fulfil."""

    number: str
    route: InboundRoute
    access: CallerRule


@dataclass(frozen=True)
class Trunks:
    """The trunks by name, and who may call agents and rooms without a trunk."""

    by_name: Mapping[str, Trunk]
    numbers: Mapping[str, InboundNumber] = field(default_factory=dict)
    """The numbers that trunks deliver, by each spelling in which a call may name them."""
    phones: Phones = field(default_factory=Phones)
    country: str | None = None
    """The country of the server's own numbers (ISO 3166), which numbers without a country code belong to."""

    @classmethod
    def load(cls, path: Path | None) -> "Trunks":
        """Read the file; without a path there are no trunks. Raises `Unavailable` if it is invalid."""
        if path is None:
            return cls({})
        try:
            tables = tomllib.loads(path.read_text())
            phones = tables.get("phones", {})
            if not isinstance(phones, dict):
                raise Unavailable(f"The trunks file {path} is invalid at: phones, which must be a table.")
            phones = {} if "host" in phones else tables.pop("phones", {})  # or a trunk of that name
            by_name = _TrunksFile.model_validate(tables).root
            return cls(by_name, _index_numbers(by_name), Phones.model_validate(phones), _find_country(by_name))
        except OSError as error:
            raise Unavailable(f"The trunks file {path} cannot be read ({error.strerror}).") from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise Unavailable(f"The trunks file {path} is not valid TOML: {error}") from error
        except ValidationError as error:
            raise Unavailable(f"The trunks file {path} is invalid at: {_places(error)}.") from error

    def for_number(self, number: str) -> str | None:
        """Return the name of the trunk with the longest matching prefix; the first in the file wins a tie."""
        fitting = [
            (len(prefix), -place, name)
            for place, (name, trunk) in enumerate(self.by_name.items())
            for prefix in trunk.prefixes
            if number.startswith(prefix)
        ]
        return max(fitting)[2] if fitting else None

    def access(self) -> CallerRules:
        """Return what callers must fulfil, for the media worker."""
        numbers = {spelling: inbound.access for spelling, inbound in self.numbers.items()}
        phones: CallerRule = {"networks": list(self.phones.networks), "users": dict(self.phones.users)}
        return {"phones": phones, "numbers": numbers}

    def password_variables(self) -> Iterator[tuple[str, str]]:
        """Yield the name of a trunk with an environment variable that has one of its passwords."""
        for name, trunk in self.by_name.items():
            for variable in (trunk.password_env, trunk.inbound_password_env):
                if variable:
                    yield name, variable


def _index_numbers(trunks: Mapping[str, Trunk]) -> dict[str, InboundNumber]:
    """Return the numbers that trunks deliver, by each spelling. The first trunk in the file wins.

    A spelling that can mean several numbers, such as one in the national format of two countries, is left out.
    """
    numbers: dict[str, InboundNumber] = {}
    for trunk in trunks.values():
        for written, route in trunk.inbound.items():
            number = to_e164(written, None) or remove_separators(written)
            numbers.setdefault(number, InboundNumber(number, route, trunk.access))
    spelled: dict[str, set[str]] = {}
    for number in filter(is_e164, numbers):
        for spelling in spellings_of(number):
            spelled.setdefault(spelling, set()).add(number)
    others = {spelling: numbers[meant.pop()] for spelling, meant in spelled.items() if len(meant) == 1}
    return {**others, **numbers}


def _find_country(trunks: Mapping[str, Trunk]) -> str | None:
    """Return the country of all numbers that trunks show and receive, or None if there are several or none."""
    numbers = [number for trunk in trunks.values() for number in (trunk.caller_id, *trunk.inbound) if number]
    countries = {country_of(number) for number in numbers if number.startswith("+")}
    return countries.pop() if len(countries) == 1 else None


def _places(error: ValidationError) -> str:
    """Return where a file is invalid. Pydantic's own messages would contain the values, including passwords."""
    places = []
    for problem in error.errors():
        place = ".".join(map(str, problem["loc"]))
        own = problem["type"] == "value_error"
        places.append(f"{place} ({problem['msg'].removeprefix('Value error, ')})" if own else place)
    return ", ".join(places)
