"""Checks whether this server can and may make a call, and how to dial it."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address

from retinue.core.database.interface import Database
from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.network.http_client import AddressGuard, NameResolver
from retinue.voice.calls.destinations import AllowedDestinations, Destination, PhoneNumber, SipAddress
from retinue.voice.do_not_call.service import check_not_listed
from retinue.voice.media.service import MediaService
from retinue.voice.options import VoiceOptions
from retinue.voice.trunks import Trunks

NO_SIP = "Calls are disabled on this server. The operator can enable them with RETINUE_SIP, such as 0.0.0.0:5060."


@dataclass(frozen=True, slots=True)
class DialTarget:
    """The address that the media worker dials, through a trunk or directly."""

    uri: str
    trunk: str | None = None

    def message(self) -> dict[str, object]:
        """Return the fields for the worker's order."""
        return {"uri": self.uri, "trunk": self.trunk}


@dataclass(frozen=True)
class Outbound:
    """Admits outbound calls and transfers."""

    database: Database
    options: VoiceOptions
    trunks: Trunks
    allowed: AllowedDestinations
    guard: AddressGuard
    media: MediaService
    names: NameResolver

    async def admit(
        self, account_id: int, destination: Destination, engine: str, *, simulated: bool = False
    ) -> DialTarget | None:
        """Return how to dial a destination for an account; None if the call is simulated.

        Single calls, those of batches, and transfers by the API and by agents all pass here, so all of them obey the
        account's do-not-call list. Raises `Unavailable` or `ValidationFailed`.
        """
        dial = None if simulated else await self._find_target(destination, engine)
        await check_not_listed(self.database, account_id, destination, self.trunks.country)
        return dial

    async def _find_target(self, destination: Destination, engine: str) -> DialTarget:
        if self.options.sip is None:
            raise Unavailable(NO_SIP)
        dial = self._by_trunk(destination) if isinstance(destination, PhoneNumber) else None
        self.allowed.check(destination)
        if isinstance(destination, SipAddress):
            dial = await self._direct(destination)
        self.media.check_engine(engine)
        self.media.check_ready()
        assert dial is not None  # noqa: S101 - a destination is a number or an address
        return dial

    def check(self, destination: Destination) -> None:
        """Raise `Unavailable` or `ValidationFailed` if no call can go to a destination. Looks up no host."""
        self.allowed.check(destination)
        if isinstance(destination, PhoneNumber):
            self._by_trunk(destination)

    def _by_trunk(self, number: PhoneNumber) -> DialTarget:
        name = self.trunks.for_number(number.digits)
        if name is None:
            raise Unavailable(
                f"No SIP trunk of this server accepts {number.digits}. The operator can add one to the file "
                "named by RETINUE_SIP_TRUNKS_FILE."
            )
        return DialTarget(self.trunks.by_name[name].uri(number.digits), name)

    async def _direct(self, address: SipAddress) -> DialTarget:
        """Resolve and check the address. The worker dials the checked IP, so DNS rebinding has no effect."""
        bare = address.host.strip("[]")
        try:
            found = await self.names.look_up(bare, address.port)
        except OSError as error:
            raise ValidationFailed(f"to: the host {address.host} does not exist.") from error
        places = [str(place[0]) for *_, place in found]
        if not places or not all(self.guard.permits(ip_address(place)) for place in places):
            raise ValidationFailed(
                f"to: {address.host} does not have a public address, and the operator has not allowed its "
                "network in RETINUE_ALLOWED_NETWORKS."
            )
        place = self._reachable(places, address.host)
        return DialTarget(address.uri(f"[{place}]" if ":" in place else place))

    def _reachable(self, places: Sequence[str], host: str) -> str:
        """Return the first address of the family of RETINUE_SIP. With an unspecified address the stack uses both."""
        assert self.options.sip is not None  # noqa: S101 - `_find_target` has checked that
        own = ip_address(self.options.sip.rpartition(":")[0].strip("[]"))
        for place in places:
            if own.is_unspecified or ip_address(place).version == own.version:
                return place
        raise ValidationFailed(
            f"to: {host} does not have an IPv{own.version} address, and this server calls from {own} (RETINUE_SIP)."
        )
