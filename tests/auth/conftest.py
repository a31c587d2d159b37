"""The sign-in services on their own database, without a server."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from retinue.auth.client_info import ClientInfo
from retinue.auth.keys import creation, rotation
from retinue.auth.keys import tokens as key_tokens
from retinue.auth.keys.tokens import KeyTokens
from retinue.auth.last_use import LastUse
from retinue.auth.passwords import Passwords
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.auth.sessions import tokens as session_tokens
from retinue.auth.sessions.tokens import SessionTokens
from retinue.auth.sign_in import links
from retinue.auth.sign_in import service as sign_in_service
from retinue.auth.sign_in.service import SignIn
from retinue.auth.throttle import Throttle
from retinue.core.database.interface import Database
from retinue.core.runtime.vault import Vault

CLIENT = ClientInfo("192.0.2.1", "tests")


class Clock:
    """A manual clock for the services."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 21, 8, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the current time."""
        return self.moment

    def forward(self, **by: float) -> None:
        """Advance the clock: `forward(days=3)`."""
        self.moment += timedelta(**by)


@dataclass
class Site:
    """The services that sign users in and look up credentials."""

    database: Database
    clock: Clock
    plans: Plans = field(default_factory=Plans.load)

    def __post_init__(self) -> None:
        self.users = Users(self.database, self.plans)
        self.last_use = LastUse(self.database)
        self.keys = KeyTokens(self.database, self.plans, self.last_use)
        self.sessions = SessionTokens(self.database, self.plans, self.last_use)
        self.passwords = Passwords()
        self.vault = Vault(b"k" * 32, "the tests")
        self.sign_in = SignIn(self.database, self.vault, self.passwords, Throttle(), self.users)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """A clock that replaces the time in every module with expiry."""
    made = Clock()
    for module in (creation, rotation, key_tokens, session_tokens, links, sign_in_service):
        monkeypatch.setattr(module, "now", made)
    for name in ("service", "keys.service", "last_use", "second_factor", "audit.entries"):
        monkeypatch.setattr(f"retinue.auth.{name}.now", made)
    return made


@pytest.fixture
def site(database: Database, clock: Clock) -> Site:
    """The services with the manual clock."""
    return Site(database, clock)
