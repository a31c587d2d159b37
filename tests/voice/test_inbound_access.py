"""Who may call: networks, and digest authentication, on a clock of the test."""

import hashlib
import re
from collections.abc import Sequence

import pytest

from retinue.voice.wire import CallerRules
from retinue.voice.worker.digest import DigestChecker, Proof
from retinue.voice.worker.inbound_access import InboundAccess
from retinue.voice.worker.sip_message import SipMessage

PASSWORDS = {"desk": "swordfish"}


def credentials(
    challenge: str,
    user: str = "desk",
    password: str = PASSWORDS["desk"],
    method: str = "INVITE",
    count: str = "00000001",
    **changes: str,
) -> str:
    """The Authorization header of a telephone that answers a challenge (RFC 7616)."""
    given = {name: quoted or plain for name, quoted, plain in re.findall(r'(\w+)=(?:"([^"]*)"|([^,\s]+))', challenge)}
    algorithm = given["algorithm"]

    def digest(text: str) -> str:
        return hashlib.new(algorithm.replace("-", ""), text.encode(), usedforsecurity=False).hexdigest()

    uri = "sip:agent-1@retinue.example"
    secret, asked = digest(f"{user}:{given['realm']}:{password}"), digest(f"{method}:{uri}")
    fields = {"username": user, "realm": given["realm"], "nonce": given["nonce"], "uri": uri, "cnonce": "0a4f113b"}
    fields["response"] = digest(f"{secret}:{given['nonce']}:{count}:0a4f113b:auth:{asked}")
    plain = {"algorithm": algorithm, "qop": "auth", "nc": count}
    parts = [f'{name}="{value}"' for name, value in (fields | changes).items()]
    return f"Digest {', '.join([*parts, *(f'{name}={value}' for name, value in plain.items())])}"


class Clock:
    """A clock of the test."""

    now = 1_000_000.0

    def __call__(self) -> float:
        """The time."""
        return self.now


@pytest.mark.parametrize("algorithm", [0, 1], ids=["SHA-256", "MD5"])
def test_the_right_password_is_valid_once_for_each_count(algorithm: int) -> None:
    checker = DigestChecker(Clock())
    challenge = checker.challenges("192.0.2.1", stale=False)[algorithm]
    for count, proof in (("00000001", Proof.VALID), ("00000001", Proof.STALE), ("0000000A", Proof.VALID)):
        given = credentials(challenge, count=count)
        assert checker.check(["Basic abc", given], "INVITE", "192.0.2.1", PASSWORDS) is proof


def test_two_telephones_behind_one_address_use_their_own_nonces() -> None:
    checker = DigestChecker(Clock())
    for _ in range(2):
        given = credentials(checker.challenges("192.0.2.1", stale=False)[0])
        assert checker.check([given], "INVITE", "192.0.2.1", PASSWORDS) is Proof.VALID


def test_a_better_algorithm_is_offered_first() -> None:
    first, second = DigestChecker(Clock()).challenges("192.0.2.1", stale=True)
    assert ("algorithm=SHA-256" in first, "algorithm=MD5" in second) == (True, True)
    assert first.endswith(", stale=true")


@pytest.mark.parametrize(
    "changed",
    [
        {"password": "sword"},
        {"user": "desc"},
        {"user": "", "password": ""},
        {"method": "BYE"},
        {"uri": "sip:other@retinue.example"},
        {"cnonce": "other"},
        {"response": ""},
        {"count": "1"},
        {"count": "zzzzzzzz"},
        {"nonce": "x"},
        {"nonce": "9" * 400},
    ],
)
def test_wrong_credentials_are_refused(changed: dict[str, str]) -> None:
    checker = DigestChecker(Clock())
    given = credentials(checker.challenges("192.0.2.1", stale=False)[0], **changed)
    assert checker.check([given], "INVITE", "192.0.2.1", PASSWORDS) is Proof.WRONG


def test_unknown_schemes_and_realms_are_no_credentials() -> None:
    checker = DigestChecker(Clock())
    given = credentials(checker.challenges("192.0.2.1", stale=False)[0]).replace('realm="retinue"', 'realm="other"')
    for headers in ([], [""], ["Digest"], ["Bearer x"], [given]):
        assert checker.check(headers, "INVITE", "192.0.2.1", PASSWORDS) is Proof.MISSING
    no_algorithm = credentials(checker.challenges("192.0.2.1", stale=False)[1]).replace("algorithm=MD5, ", "")
    assert checker.check([no_algorithm], "INVITE", "192.0.2.1", PASSWORDS) is Proof.VALID
    for change in (("qop=auth", "qop=auth-int"), ("algorithm=MD5", "algorithm=MD4")):
        other = credentials(checker.challenges("192.0.2.1", stale=False)[1], count="00000002").replace(*change)
        assert checker.check([other], "INVITE", "192.0.2.1", PASSWORDS) is Proof.WRONG


def test_nonces_expire_and_belong_to_one_host() -> None:
    clock = Clock()
    checker = DigestChecker(clock)
    given = credentials(checker.challenges("192.0.2.1", stale=False)[0])
    assert checker.check([given], "INVITE", "192.0.2.2", PASSWORDS) is Proof.STALE
    assert DigestChecker(clock).check([given], "INVITE", "192.0.2.1", PASSWORDS) is Proof.STALE
    clock.now += 301
    assert checker.check([given], "INVITE", "192.0.2.1", PASSWORDS) is Proof.STALE


def invite(to: str, host: str, *headers: str, method: str = "INVITE") -> SipMessage:
    """A request."""
    lines = [("To", to), ("CSeq", f"1 {method}"), *(tuple(line.split(": ", 1)) for line in headers)]
    return SipMessage.of(f"{method} sip:x SIP/2.0", [(name, value) for name, value in lines], (host, 5060))


def access(given: CallerRules, reports: list[str] | None = None) -> InboundAccess:
    """The rules of a trunks file."""
    return InboundAccess(given, Clock(), (reports if reports is not None else []).append)


def status(rules: InboundAccess, message: SipMessage) -> int:
    """The status with which a request is refused; 0 for none."""
    refusal = rules.check(message)
    return refusal.status if refusal else 0


TRUNK = "+441632960000"
RULES: CallerRules = {
    "phones": {"networks": ["192.168.1.0/24", "fd00::/8"]},
    "numbers": {TRUNK: {"networks": ["203.0.113.7/32"], "users": {}}, "+44": {}},
}


@pytest.mark.parametrize(
    ("to", "host", "expected"),
    [
        ("<sip:agent-1@a>", "192.168.1.9", 0),
        ("<sip:agent-1@a>", "fd00::9", 0),
        ("<sip:agent-1@a>", "::ffff:192.168.1.9", 0),
        ("<sip:agent-1@a>", "192.168.2.9", 403),
        ("<sip:agent-1@a>", "203.0.113.7", 403),
        (f"<sip:{TRUNK}@a>", "203.0.113.7", 0),
        (f'"{TRUNK}" <sip:{TRUNK};x=y@a>;z', "203.0.113.7", 0),
        (f"<sip:{TRUNK}@a>", "203.0.113.8", 403),
        (f"<sip:{TRUNK}@a>", "192.168.1.9", 403),
        (f"<sip:{TRUNK};phone-context=x@a;user=phone>", "192.168.1.9", 403),
        ("<sip:%2B44%201632-960000@a>", "192.168.1.9", 403),
        (f"<tel:{TRUNK}>", "192.168.1.9", 403),
        ("sip:+44@a", "203.0.113.8", 0),
        (f'"sip:{TRUNK}@a" <sip:agent-1@a>', "203.0.113.7", 0),  # read as the number, by the server as well
        ("", "203.0.113.7", 403),
    ],
)
def test_each_number_has_the_rule_of_its_trunk(to: str, host: str, expected: int) -> None:
    assert status(access(RULES), invite(to, host)) == expected


def test_only_new_calls_are_checked() -> None:
    rules = access(RULES)
    assert status(rules, invite("<sip:agent-1@a>;tag=1", "198.51.100.1")) == 0
    assert status(rules, invite("<sip:agent-1@a>", "198.51.100.1", method="OPTIONS")) == 0
    assert status(rules, invite("<sip:agent-1@a>", "192.168.1.9", "To: <sip:agent-2@a>")) == 400


def test_without_rules_everybody_may_call() -> None:
    assert status(access({}), invite("<sip:agent-1@a>", "198.51.100.1")) == 0


def test_a_caller_without_the_password_is_challenged_and_reported_once() -> None:
    reports: list[str] = []
    rules = access({"phones": {"users": PASSWORDS}}, reports)
    refusal = rules.check(invite("<sip:agent-1@a>", "192.0.2.1"))
    assert refusal
    assert (refusal.status, len(refusal.headers), reports) == (401, 2, [])
    challenge = refusal.headers[0]

    def call(**changes: str) -> int:
        return status(
            rules, invite("<sip:agent-1@a>", "192.0.2.1", f"Authorization: {credentials(challenge, **changes)}")
        )

    assert [call(password="guess"), call(password="guess"), call(), call()] == [401, 401, 0, 401]
    assert reports == ["A call from 192.0.2.1 to agent-1 was refused: the user name or the password is wrong."]


def hosts(networks: Sequence[str], host: str) -> int:
    """The status for a host."""
    return status(access({"phones": {"networks": networks}}), invite("<sip:agent-1@a>", host))


def test_single_addresses_are_networks() -> None:
    assert [hosts(["2001:db8::1/128"], host) for host in ("2001:db8::1", "2001:db8::2")] == [0, 403]
