"""Which destinations are understood, which of them are allowed, and what the end of a line means."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from phonenumbers import (
    SUPPORTED_REGIONS,
    PhoneNumberFormat,
    PhoneNumberType,
    example_number_for_type,
    format_number,
    format_out_of_country_calling_number,
)

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.core.network.http_client import AddressGuard
from retinue.voice.calls.destinations import (
    AllowedDestinations,
    PhoneNumber,
    SipAddress,
    parse_destination,
    parse_written_destination,
)
from retinue.voice.calls.outbound import Outbound
from retinue.voice.calls.outcomes import outcome_of
from retinue.voice.calls.phone_numbers import is_too_short, to_e164
from retinue.voice.do_not_call.service import entries_of
from retinue.voice.options import VoiceOptions
from retinue.voice.trunks import InboundRoute, Trunks

HOSTS = st.from_regex(r"[a-z0-9]{1,10}(\.[a-z]{2,5})?", fullmatch=True)
USERS = st.from_regex(r"[a-z0-9_.+-]{1,12}", fullmatch=True)
PORTS = st.integers(1, 65_535)


def allows(patterns: str, text: str) -> bool:
    """Whether comma-separated patterns allow a destination."""
    try:
        AllowedDestinations(patterns.split(",")).check(parse_destination(text))
    except ValidationFailed:
        return False
    return True


@given(USERS, HOSTS, PORTS, st.sampled_from(["udp", "tcp", "tls"]))
def test_an_address_keeps_its_parts(user: str, host: str, port: int, transport: str) -> None:
    parsed = parse_destination(f"sip:{user}@{host}:{port};transport={transport}")
    assert isinstance(parsed, SipAddress)
    assert (parsed.user, parsed.host, parsed.port, parsed.transport) == (user, host, port, transport)
    assert parse_destination(parsed.uri()) == parsed


@given(st.text(max_size=40))
def test_any_other_text_is_refused_with_a_message(text: str) -> None:
    if re.fullmatch(r"\+[1-9][0-9]{6,14}|sips?:.+@.+", text, re.DOTALL):
        return
    with pytest.raises(ValidationFailed, match=r"^to: "):
        parse_destination(text)


@given(st.from_regex(r"\+[1-9][0-9]{6,14}", fullmatch=True))
def test_numbers_are_e164(number: str) -> None:
    assume(not is_too_short(number, None))
    assert parse_destination(number) == PhoneNumber(number)
    assert allows(number[:3] + "*", number)
    assert not allows("sip:*@*", number)


KINDS = (PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE)
FORMATS = (PhoneNumberFormat.E164, PhoneNumberFormat.INTERNATIONAL, PhoneNumberFormat.NATIONAL)
EXAMPLES = [
    (region, number)
    for region in sorted(SUPPORTED_REGIONS)
    for kind in KINDS
    if (number := example_number_for_type(region, kind))
]


@given(st.sampled_from(EXAMPLES), st.sampled_from(FORMATS), st.data())
def test_every_spelling_of_a_number_finds_its_entry(example: tuple[str, Any], form: int, data: st.DataObject) -> None:
    region, number = example
    spoken = re.findall(r"\+?[0-9]+", format_number(number, form))
    gaps = st.sampled_from(["", " ", "-", ".", "/", "\u00a0", " \u2013 "])
    written = "".join(f"{part}{data.draw(gaps)}" for part in spoken)
    entry = parse_written_destination(written, region)
    assert entry.plain == format_number(number, PhoneNumberFormat.E164)
    digits = "".join(spoken)
    for called in (parse_destination(entry.plain), SipAddress(digits, "example.com", 5060, "udp")):
        assert entry.plain in entries_of(called, region)


@pytest.mark.parametrize("text", ["+999 12 345", "+99912345", "+52 1 55 1234 5678"])
def test_numbers_that_the_rules_do_not_know_keep_their_digits(text: str) -> None:
    assert to_e164(text, None) == re.sub(r"[^+0-9]", "", text)


@given(st.sampled_from(EXAMPLES), st.sampled_from(["US", "DE", "JP"]))
def test_a_number_can_be_written_as_it_is_dialled_from_abroad(example: tuple[str, Any], country: str) -> None:
    region, number = example
    if region != country:
        written = format_out_of_country_calling_number(number, country)
        assert to_e164(written, country) == format_number(number, PhoneNumberFormat.E164)


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("030 1234567", None), ("0049 30 1234567", None), ("0049 30 1234567", "US"),
        ("030 1234567 ext. 5", "DE"), ("1-800-FLOWERS", "US"), ("call 030 1234567", "DE"),
        ("030 1234567 x", "DE"), ("+", "DE"), ("+0", None), ("1" * 41, "DE"), ("", "DE"),
    ],
)  # fmt: skip
def test_texts_that_are_no_whole_numbers_are_refused(text: str, country: str | None) -> None:
    with pytest.raises(ValidationFailed, match=r"^number: must be a phone number .*\+44 1632 960123"):
        parse_written_destination(text, country, "number")


@pytest.mark.parametrize(
    ("text", "country"),
    [
        ("020 7946", "GB"), ("01632 96", "GB"), ("110", "DE"), ("555-0100", "US"), ("+1911", None), ("+44", None),
        ("+44 1632 96", "GB"), ("+4912", None), ("+99 12", None),
    ],
)  # fmt: skip
def test_numbers_without_all_their_digits_are_refused(text: str, country: str | None) -> None:
    of = f" of {country}" if country else ""
    with pytest.raises(ValidationFailed, match=rf"^number: {re.escape(text)} is too short for a phone number{of}\."):
        parse_written_destination(text, country, "number")


@pytest.mark.parametrize("text", ["+44", "+1911", "+44163296", "+440207946"])
def test_numbers_without_all_their_digits_are_not_dialled(text: str) -> None:
    with pytest.raises(ValidationFailed, match=rf"^to: {re.escape(text)} is too short for a phone number\."):
        parse_destination(text)


@pytest.mark.parametrize(
    ("numbers", "country"),
    [
        ('caller_id = "+441632960000"\n', "GB"),
        ('caller_id = "+441632960000"\ninbound = { "+441632960000" = 1, "+447700900000" = 2 }\n', "GB"),
        ('caller_id = "+441632960000"\ninbound = { "+4930123456" = 1 }\n', None),
        ('caller_id = "1000"\n', None),
        ("", None),
    ],
)
def test_the_country_is_that_of_the_numbers_of_trunks(tmp_path: Path, numbers: str, country: str | None) -> None:
    assert write_trunks(tmp_path, f'[a]\nhost = "a.example"\nuser = "u"\n{numbers}').country == country


class Names:
    """A resolver that finds these addresses for every host."""

    def __init__(self, *found: str) -> None:
        self.found = found

    async def look_up(self, host: str, port: int) -> list[tuple[Any, ...]]:
        """The entries of these addresses."""
        return [(0, 0, 0, "", (address, port)) for address in self.found]


class EmptyDatabase:
    """A database without do-not-call lists."""

    async def query(self, statement: object, **values: object) -> list[object]:
        """Find nothing."""
        return []


class Media:
    """A worker that is ready."""

    def check_engine(self, engine: str) -> None:
        """Every engine is there."""

    def check_ready(self) -> None:
        """It is."""


async def dial(sip: str, *found: str) -> str:
    """The URI that a server with this address dials for a host with these addresses."""
    names: Any = Names(*found)
    media: Any = Media()
    options, allowed = VoiceOptions(sip=sip), AllowedDestinations(["sip:*@*"])
    database: Any = EmptyDatabase()
    outbound = Outbound(database, options, Trunks({}), allowed, AddressGuard([]), media, names)
    dial = await outbound.admit(1, parse_destination("sip:bob@example.com"), "hibari")
    assert dial
    return dial.uri


@pytest.mark.parametrize(
    ("sip", "dialled"),
    [
        ("192.0.2.1:5060", "8.8.8.8"),
        ("[2001:db8::1]:5060", "[2606:4700::1]"),
        ("0.0.0.0:5060", "[2606:4700::1]"),
    ],
)
async def test_a_host_is_dialled_at_an_address_that_the_server_can_reach(sip: str, dialled: str) -> None:
    assert await dial(sip, "2606:4700::1", "8.8.8.8") == f"sip:bob@{dialled}:5060;transport=udp"


@pytest.mark.parametrize(
    ("sip", "found", "family"),
    [("192.0.2.1:5060", "2606:4700::1", "IPv4"), ("[2001:db8::1]:5060", "8.8.8.8", "IPv6")],
)
async def test_a_host_that_the_server_cannot_reach_is_refused(sip: str, found: str, family: str) -> None:
    with pytest.raises(ValidationFailed, match=f"^to: example.com does not have an {family} address"):
        await dial(sip, found)


@given(USERS, HOSTS, PORTS)
def test_no_user_part_passes_for_a_host(user: str, host: str, port: int) -> None:
    assert allows("sip:*@*:*", f"sip:{user}@{host}:{port}")
    assert allows("sip:*@good.example:*", f"sip:{user}@good.example:{port}")
    assert not allows("sip:*@good.example:*,sip:*@good.example", f"sip:{user}@{host}:{port}")
    assert not allows("sip:*@good.example:*", f"sip:good.example:5060@{host}:{port}")


@pytest.mark.parametrize(
    ("patterns", "text", "allowed"),
    [
        ("", "sip:a@b", False),
        ("sip:*@b", "sip:a@b", True),
        ("sip:*@b", "sips:a@b", True),
        ("sip:*@b", "sip:a@b:5070", False),
        ("sip:*@b:*", "sip:a@b:5070", True),
        ("sip:*@*.example", "sip:a@x.example", True),
        ("sip:*@*.example", "sip:a@x.example.net", False),
        ("sip:desk-*@b", "sip:desk-1@b", True),
        ("sip:desk-*@b", "sip:front@b", False),
        ("sip:*@[::1]:*", "sip:a@[::1]:5070", True),
        ("sip:*@*:*", "sip:a@[::1]:5070", True),
        ("+44*", "+441632960123", True),
        ("+44*", "+4", False),
        ("+44*", "+14155550100", False),
        ("+441632960123", "+441632960123", True),
    ],
)
def test_patterns_allow_destinations(patterns: str, text: str, allowed: bool) -> None:
    assert allows(patterns, text) == allowed


@pytest.mark.parametrize(
    ("reason", "status"),
    [
        ("486 Busy Here", "busy"),
        ("600 Busy Everywhere", "busy"),
        ("603 Decline", "busy"),
        ("408 Request Timeout", "no_answer"),
        ("480 Temporarily Unavailable", "no_answer"),
        ("404 Not Found", "failed"),
        ("503 Service Unavailable", "failed"),
        ("Connection refused [111]", "failed"),
        ("", "failed"),
    ],
)
def test_the_outcome_of_an_unanswered_line(reason: str, status: str) -> None:
    outcome, told = outcome_of(reason, answered=False, wanted=False, rang_out=False)
    assert outcome == status
    assert told


@given(st.text(max_size=30), st.booleans(), st.booleans())
def test_who_ended_a_call_decides_before_the_reason(reason: str, wanted: bool, rang_out: bool) -> None:
    outcome, _ = outcome_of(reason, answered=False, wanted=True, rang_out=rang_out)
    assert outcome == ("no_answer" if rang_out else "cancelled")
    answered = outcome_of(reason, answered=True, wanted=wanted, rang_out=False)
    assert answered == ("completed", None) if wanted else answered[0] in ("completed", "failed")


def test_a_line_that_goes_dead_has_failed() -> None:
    assert outcome_of("rtp stream error", answered=True, wanted=False, rang_out=False)[0] == "failed"


def write_trunks(folder: Path, text: str) -> Trunks:
    """The trunks of a file."""
    path = folder / "trunks.toml"
    path.write_text(text)
    return Trunks.load(path)


def test_the_longest_prefix_names_the_trunk(tmp_path: Path) -> None:
    trunks = write_trunks(
        tmp_path,
        '[world]\nhost = "a.example"\nuser = "u"\n'
        '[britain]\nhost = "b.example:5061"\nuser = "v"\ntransport = "tls"\nsrtp = true\nprefixes = ["+44"]\n'
        'inbound = { "+441632960000" = 7, "+441632960001" = { agent = 7, greeting = "Welcome.", record = true } }\n'
        '[spare]\nhost = "c.example"\nuser = "w"\nprefixes = ["+44"]\n',
    )
    assert (trunks.for_number("+441632960123"), trunks.for_number("+14155550100")) == ("britain", "world")
    assert trunks.by_name["britain"].uri("+441632960123") == "sip:+441632960123@b.example:5061;transport=tls"
    assert trunks.numbers["+441632960000"].route == InboundRoute(agent=7)
    assert trunks.numbers["+441632960001"].route == InboundRoute(agent=7, greeting="Welcome.", record=True)
    assert "+441632960002" not in trunks.numbers


def test_trunks_and_telephones_have_rules_for_callers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARRIER_SECRET", "open sesame")
    trunks = write_trunks(
        tmp_path,
        '[phones]\nnetworks = ["192.168.1.0/24", "fd00::/8"]\nusers = { desk = "swordfish" }\n'
        '[a]\nhost = "a.example"\nuser = "u"\nnetworks = ["203.0.113.7"]\ninbound = { "+441632960000" = 7 }\n'
        '[b]\nhost = "b.example"\nuser = "u"\ninbound_user = "carrier"\ninbound_password_env = "CARRIER_SECRET"\n'
        'inbound = { "+441632960000" = 8, "+441632960001" = 8 }\n',
    )
    rules = trunks.access()
    assert rules["phones"] == {"networks": ["192.168.1.0/24", "fd00::/8"], "users": {"desk": "swordfish"}}
    by_network, by_password = (
        {"networks": ["203.0.113.7/32"], "users": {}},
        {"networks": [], "users": {"carrier": "open sesame"}},
    )
    for national, rule in (("1632960000", by_network), ("1632960001", by_password)):
        spellings = ("+44", "44", "0044", "0")
        assert [rules["numbers"][f"{prefix}{national}"] for prefix in spellings] == [rule] * 4


def test_a_national_spelling_of_two_countries_names_no_number(tmp_path: Path) -> None:
    numbers = 'inbound = { "+44 1632 960000" = 7, "+491632960000" = 8, "1000" = 9, "+9991234567" = 10 }\n'
    trunks = write_trunks(tmp_path, f'[a]\nhost = "a.example"\nuser = "u"\n{numbers}')
    called = ("441632960000", "00491632960000", "1000", "009991234567")
    assert [trunks.numbers[number].route.agent for number in called] == [7, 8, 9, 10]
    assert "01632960000" not in trunks.numbers


def test_without_rules_everybody_may_call_and_a_trunk_may_be_named_phones(tmp_path: Path) -> None:
    trunks = write_trunks(tmp_path, '[phones]\nhost = "a.example"\nuser = "u"\ninbound = { "+441632960000" = 7 }\n')
    nobody: dict[str, Any] = {"networks": [], "users": {}}
    assert trunks.access()["phones"] == nobody
    assert trunks.access()["numbers"]["+441632960000"] == nobody
    assert list(trunks.by_name) == ["phones"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[a]\nhost = "a.example"\nuser = "u"\ninbound_user = "v"\n', "a (inbound_user needs inbound_password"),
        ('[a]\nhost = "a.example"\nuser = "u"\nnetworks = ["10.0.0.1/8"]\n', "a.networks.0 ("),
        ('[phones]\nusers = { desk = "" }\n', "users.desk"),
    ],
)
def test_an_invalid_rule_names_its_place(tmp_path: Path, text: str, place: str) -> None:
    with pytest.raises(Unavailable, match=re.escape(place)):
        write_trunks(tmp_path, text)


def test_passwords_come_from_the_environment_where_the_file_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRUNK_SECRET", "open sesame")
    trunks = write_trunks(tmp_path, '[a]\nhost = "a.example"\nuser = "u"\npassword_env = "TRUNK_SECRET"\n')
    assert trunks.by_name["a"].secret == "open sesame"


@pytest.mark.parametrize("text", ["[a]\nhost = 1", "[a", '[a]\nhost = "x"\nuser = "u"\npassword = "secret\\nword"\n'])
def test_a_wrong_file_is_told_without_its_secrets(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unavailable) as refusal:
        write_trunks(tmp_path, text)
    assert "trunks.toml" in refusal.value.message
    assert not re.search("secret|word", refusal.value.message.replace("password", ""))
