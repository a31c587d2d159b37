"""Decides who may call: by the network of the caller, and by digest authentication."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from retinue.voice.sip_address import user_of
from retinue.voice.wire import CallerRule, CallerRules
from retinue.voice.worker.digest import DigestChecker, Proof
from retinue.voice.worker.sip_message import SipMessage, SipReply

_LOG_PAUSE_S = 10.0
"""Seconds between two reports of refused calls: strangers try many."""


@dataclass(frozen=True, slots=True)
class AccessRule:
    """What a caller must fulfil. An empty rule admits everybody."""

    networks: tuple[IPv4Network | IPv6Network, ...] = ()
    passwords: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: CallerRule) -> "AccessRule":
        """Read a rule of `Trunks.access`."""
        return cls(tuple(map(ip_network, given.get("networks", ()))), given.get("users", {}))

    def admits(self, host: str) -> bool:
        """Return whether the rule allows the network of a host."""
        address = ip_address(host)
        address = getattr(address, "ipv4_mapped", None) or address
        return not self.networks or any(address in network for network in self.networks)


class InboundAccess:
    """The rules of the trunks, for calls to their numbers, and the rule of telephones, for all other calls."""

    def __init__(self, access: CallerRules, clock: Callable[[], float], report: Callable[[str], None]) -> None:
        """`report` receives a message about refused calls, now and then."""
        self._phones = AccessRule.of(access.get("phones", {}))
        self._numbers = {number: AccessRule.of(rule) for number, rule in access.get("numbers", {}).items()}
        self._digest, self._clock, self._report = DigestChecker(clock), clock, report
        self._reported_at = float("-inf")

    def check(self, message: SipMessage) -> SipReply | None:
        """Return the refusal of a new call, or None. Other requests pass."""
        if message.method != "INVITE" or message.to_tag:
            return None
        if len(message.headers.get("to", ())) != 1:
            return SipReply(400, "Bad Request")
        host, called = message.source[0], user_of(message.header("to"))
        rule = self._numbers.get(called, self._phones)
        if not rule.admits(host):
            self._refuse(host, called, "no allowed network contains this address")
            return SipReply(403, "Forbidden")
        if not rule.passwords:
            return None
        proof = self._digest.check(message.headers.get("authorization", ()), "INVITE", host, rule.passwords)
        if proof is Proof.VALID:
            return None
        if proof is Proof.WRONG:
            self._refuse(host, called, "the user name or the password is wrong")
        return SipReply(401, "Unauthorized", tuple(self._digest.challenges(host, stale=proof is Proof.STALE)))

    def _refuse(self, host: str, called: str, why: str) -> None:
        if self._clock() - self._reported_at > _LOG_PAUSE_S:
            self._reported_at = self._clock()
            self._report(f"A call from {host} to {called[:64]} was refused: {why}.")
