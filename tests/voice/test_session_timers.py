"""Session timers of calls (RFC 4028), on a clock of the test."""

import pytest

from retinue.voice.calls.outcomes import outcome_of
from retinue.voice.wire import NOTHING_AGREED
from retinue.voice.worker.audio_watch import AudioWatch
from retinue.voice.worker.session_timers import SessionTimers
from retinue.voice.worker.sip_message import SipMessage, parameter

TIMER = "Supported: timer"


class Dialog:
    """A call, seen from this side, and its clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers = SessionTimers(lambda: self.now)
        self.number = 0
        self.timers.begin("id")

    def ask(self, *headers: str, method: str = "INVITE") -> SipMessage:
        """The other side sends a request, and this side accepts it. Returns the response."""
        self.number += 1
        self.timers.receive(SipMessage.parse(self._packet(f"{method} sip:a SIP/2.0", method, *headers)))
        return SipMessage.parse(self.timers.send(self._packet("SIP/2.0 200 OK", method)))

    def refresh(self, status: int = 200, *headers: str) -> SipMessage:
        """This side sends a re-INVITE, to which the other side responds. Returns the re-INVITE."""
        self.number += 1
        sent = SipMessage.parse(self.timers.send(self._packet("INVITE sip:a SIP/2.0", "INVITE")))
        self.timers.receive(SipMessage.parse(self._packet(f"SIP/2.0 {status} x", "INVITE", *headers)))
        return sent

    def _packet(self, first: str, method: str, *headers: str) -> bytes:
        common = ["To: <sip:a>;tag=1", "Call-ID: id", f"CSeq: {self.number} {method}"]
        return "\r\n".join([first, *common, *headers, "", ""]).encode()


@pytest.mark.parametrize(
    ("headers", "expires", "require"),
    [
        ([TIMER, "Session-Expires: 300"], "300;refresher=uac", "timer"),
        ([TIMER, "Session-Expires: 300;refresher=uac"], "300;refresher=uac", "timer"),
        ([TIMER, "Session-Expires: 300;refresher=uas"], "300;refresher=uas", "timer"),
        (["k: 100rel, timer", "x: 300"], "300;refresher=uac", "timer"),
        (["Session-Expires: 300"], "300;refresher=uas", ""),
        (["Session-Expires: 300;refresher=uac"], "300;refresher=uas", ""),
        (["Session-Expires: 30"], "90;refresher=uas", ""),
        ([TIMER], "", ""),
        ([TIMER, "Session-Expires: soon"], "", ""),
        ([], "", ""),
    ],
)
def test_the_called_side_agrees_to_the_interval_of_the_caller(headers: list[str], expires: str, require: str) -> None:
    answer = Dialog().ask(*headers)
    assert (answer.header("session-expires"), answer.header("require")) == (expires, require)


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ([TIMER, "Session-Expires: 89"], True),
        ([TIMER, "Session-Expires: 90"], False),
        (["Session-Expires: 60"], False),  # a proxy added it, and the caller would not understand the refusal
        ([TIMER], False),
    ],
)
def test_intervals_under_90_s_are_refused(headers: list[str], refused: bool) -> None:
    packet = "\r\n".join(["UPDATE sip:a SIP/2.0", "CSeq: 1 UPDATE", *headers, "", ""]).encode()
    assert SessionTimers(lambda: 0.0).too_short(SipMessage.parse(packet)) is refused


@pytest.mark.parametrize("interval", [90, 300, 1800])
def test_an_hour_is_refreshed_every_half_interval(interval: int) -> None:
    dialog, refreshed = Dialog(), []
    dialog.ask(TIMER, f"Session-Expires: {interval};refresher=uas")
    while dialog.now < 3600:
        dialog.now += 1
        due, expired = dialog.timers.due()
        assert not expired
        if due:
            refreshed.append(dialog.now)
            sent = dialog.refresh(200, "Require: timer", f"Session-Expires: {interval};refresher=uac")
            assert sent.header("session-expires") == f"{interval};refresher=uac"
    assert refreshed == [moment * interval / 2 for moment in range(1, 7200 // interval + 1)]


@pytest.mark.parametrize(("interval", "ends"), [(90, 60.0), (300, 268.0), (1800, 1768.0)])
def test_a_call_ends_if_the_other_side_does_not_refresh_it(interval: int, ends: float) -> None:
    dialog = Dialog()
    dialog.ask(TIMER, f"Session-Expires: {interval}")
    for began in (0.0, ends - 1):
        dialog.now = began + ends - 1
        assert dialog.timers.due() == ([], [])
        if not began:
            dialog.ask(TIMER, f"Session-Expires: {interval}", method="UPDATE")
    dialog.now += 1
    assert dialog.timers.due() == ([], ["id"])
    assert dialog.timers.due() == ([], [])


def test_a_failed_refresh_is_repeated_until_the_session_expires() -> None:
    dialog = Dialog()
    dialog.ask(TIMER, "Session-Expires: 120;refresher=uas")
    attempts = 0
    while True:
        dialog.now += 1
        due, expired = dialog.timers.due()
        if expired:
            break
        if due:
            attempts += 1
            dialog.refresh(488)
    assert (attempts, dialog.now) == (2, 120)


def test_a_refused_interval_is_raised() -> None:
    dialog = Dialog()
    dialog.ask(TIMER, "Session-Expires: 120;refresher=uas")
    dialog.refresh(422, "Min-SE: 400")
    sent = dialog.refresh()
    assert (sent.header("session-expires"), sent.header("min-se")) == ("400;refresher=uac", "400")
    assert dialog.timers.end("id") == 400


def test_a_renegotiation_keeps_the_agreed_timer() -> None:
    dialog = Dialog()
    dialog.ask(TIMER, "Session-Expires: 300;refresher=uac")
    assert dialog.refresh(200, "Session-Expires: 300;refresher=uas").header("session-expires") == "300;refresher=uas"
    assert dialog.ask(TIMER).header("session-expires") == "300;refresher=uac"
    assert dialog.ask().header("session-expires") == ""
    dialog.now = 10_000
    assert dialog.timers.due() == ([], [])


def test_a_response_without_an_interval_switches_the_timer_off() -> None:
    dialog = Dialog()
    dialog.ask(TIMER, "Session-Expires: 300;refresher=uas")
    dialog.refresh(200)
    dialog.now = 10_000
    assert dialog.timers.due() == ([], [])


@pytest.mark.parametrize(
    ("header", "tag"),
    [("<sip:a@b>;tag=x", "x"), ("sip:a@b;tag=y;z", "y"), ("<sip:a;tag=no@b>", ""), ('"A;tag=no" <sip:a>;Tag = z', "z")],
)
def test_parameters_of_addresses(header: str, tag: str) -> None:
    assert parameter(header, "tag") == tag


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ("session expired", "no longer refreshes"),
        ("481 Call Does Not Exist", "no longer knows"),
        ("408 Request Timeout", "no longer answers"),
        ("Connection timed out [110]", "no longer answers"),
        ("rtp stream error", "no audio"),
        (NOTHING_AGREED, "no longer accepts a codec"),
    ],
)
def test_a_lost_connection_is_a_failure(reason: str, why: str) -> None:
    status, error = outcome_of(reason, answered=True, wanted=False, rang_out=False)
    assert status == "failed"
    assert why in str(error)
    assert outcome_of(reason, answered=True, wanted=True, rang_out=False) == ("completed", None)


def test_only_a_call_without_packets_is_asked_and_again_after_the_same_time() -> None:
    now = 0.0
    watch, asked = AudioWatch(lambda: now), []
    while now < 600:
        packets = {"silent": 7, "talks": int(now) * 50, "pauses": 1 if now < 179 else 2, "one way": 0}
        asked += [(now, call_id) for call_id in watch.quiet_calls(packets if now < 450 else {"silent": 7})]
        now += 1
    expected = [(180, "silent"), (180, "one way"), (359, "pauses"), (360, "silent"), (360, "one way"), (540, "silent")]
    assert asked == expected
