"""Where the audio of a call goes to, and when: symmetric RTP, hold, and callers without audio.

The SIP stack of the media worker runs alone, with plain sockets as the other side.
"""

import itertools
from collections.abc import Iterator

import pytest

from retinue.voice.wire import NOTHING_AGREED
from tests.voice.sip_peer import Message, RtpPort, SipPeer, Stack, audio_port, first_to_hear, hang_up, talk

pytestmark = [pytest.mark.timeout(180)]


@pytest.fixture
def elsewhere() -> Iterator[RtpPort]:
    """A port that no SDP names."""
    made = RtpPort()
    yield made
    made.close()


def test_audio_is_sent_to_where_it_comes_from(stack: Stack, peer: SipPeer, elsewhere: RtpPort) -> None:
    port = talk(peer, stack)
    peer.rtp.hear()
    for _ in range(4):
        elsewhere.send(port)
    elsewhere.hear()
    hang_up(peer, stack)


def test_audio_from_the_address_in_the_sdp_fixes_the_destination(
    stack: Stack, peer: SipPeer, elsewhere: RtpPort
) -> None:
    port = talk(peer, stack)
    peer.rtp.send(port)
    for _ in range(8):
        elsewhere.send(port)
    for _ in range(20):
        peer.rtp.hear()
    assert elsewhere.drain() == 0
    hang_up(peer, stack)


def test_packets_out_of_sequence_divert_no_audio(stack: Stack, peer: SipPeer, elsewhere: RtpPort) -> None:
    port = talk(peer, stack)
    for number in range(8):
        elsewhere.send(port, sequence=7 * number)
    for number in range(3):
        elsewhere.send(port, sequence=100 + number)
    for number in range(3):
        elsewhere.send(port, sequence=103 + number, ssrc=9)
    for _ in range(20):
        peer.rtp.hear()
    assert elsewhere.drain() == 0
    hang_up(peer, stack)


def test_a_new_address_in_the_sdp_lets_the_source_change_again(stack: Stack, peer: SipPeer, elsewhere: RtpPort) -> None:
    port = talk(peer, stack)
    for named in (RtpPort(), RtpPort()):
        for _ in range(4):
            elsewhere.send(port)
        elsewhere.hear()
        peer.rtp.close()
        peer.rtp = named
        assert audio_port(peer.request("INVITE", body=peer.sdp())) == port
        named.hear()
        elsewhere.drain()
    hang_up(peer, stack)


def test_a_refresh_with_the_same_sdp_keeps_the_source(stack: Stack, peer: SipPeer, elsewhere: RtpPort) -> None:
    port = talk(peer, stack)
    for _ in range(4):
        elsewhere.send(port)
    elsewhere.hear()
    for direction in ("sendrecv", "sendonly", "sendrecv"):
        assert audio_port(peer.request("INVITE", body=peer.sdp(direction))) == port
    assert audio_port(peer.request("INVITE", body=peer.sdp(host="0.0.0.0"))) == port
    assert audio_port(peer.request("INVITE", body=peer.sdp())) == port
    peer.rtp.drain()
    elsewhere.drain()
    for _ in range(20):
        elsewhere.hear()
    assert peer.rtp.drain() == 0
    hang_up(peer, stack)


def test_audio_follows_a_source_that_changes_in_the_middle(stack: Stack, peer: SipPeer, elsewhere: RtpPort) -> None:
    port = talk(peer, stack)
    present, next_one, sequence = peer.rtp, elsewhere, 65_500
    for _ in range(2):
        for _ in range(4):
            present.send(port, sequence=sequence)
            sequence += 1
        present.hear()
        for ssrc, ahead in ((9, 0), (0x1234, 20_000)):  # Strangers do not know the SSRC, or where the sequence is.
            for number in range(75):
                present.hear()
                next_one.send(port, ssrc=ssrc, sequence=sequence + ahead + number)
        assert next_one.drain() == 0
        while first_to_hear(present, next_one) is present:
            next_one.send(port, sequence=sequence)
            sequence += 1
        present, next_one = next_one, present
        next_one.drain()
    hang_up(peer, stack)


def test_an_invite_without_an_offer_gets_one_and_the_ack_answers_it(stack: Stack, peer: SipPeer) -> None:
    offer = peer.call("agent-1", body="", answer=peer.sdp())
    assert {"a=rtpmap:0 PCMU/8000", "a=rtpmap:8 PCMA/8000", "a=sendrecv"} <= {*offer.body.splitlines()}
    stack.expect("answered")
    peer.rtp.hear()
    # An offer names all codecs again, and does not keep the other side's hold (RFC 6337, section 5.3).
    for direction, on_hold in (("sendonly", True), ("sendrecv", False)):
        again = peer.request("INVITE", answer=peer.sdp(direction, codec="8 PCMA"))
        assert {"a=rtpmap:0 PCMU/8000", "a=rtpmap:8 PCMA/8000", "a=sendrecv"} <= {*again.body.splitlines()}
        assert audio_port(again) == audio_port(offer)
        peer.rtp.await_silence() if on_hold else peer.rtp.hear()
        stack.tell("look")
        assert stack.expect("on_hold")["on_hold"] == [on_hold]
    hang_up(peer, stack)


@pytest.mark.parametrize("offer", ["none", "SDP"])
def test_no_second_offer_is_made_before_the_first_is_answered(stack: Stack, peer: SipPeer, offer: str) -> None:
    talk(peer, stack)
    first, second = 50, 51
    peer.send("INVITE", first)
    assert peer.final_response(first).status == 200
    peer.send("INVITE", second, body=peer.sdp() if offer == "SDP" else "")
    assert peer.final_response(second).status == 491
    peer.send("ACK", second, branch=f"{second}INVITE")
    peer.send("ACK", first, body=peer.sdp("sendonly"))
    peer.rtp.await_silence()
    assert "a=sendrecv" in peer.request("INVITE", number=52, answer=peer.sdp()).body
    peer.rtp.hear()
    assert peer.request("BYE", number=53).status == 200
    stack.expect("closed")


def test_an_invite_without_an_offer_that_crosses_one_of_the_stack_can_be_repeated(stack: Stack, peer: SipPeer) -> None:
    talk(peer, stack)
    question = await_question(stack, peer)
    assert peer.request("INVITE").status == 491
    peer.reply(question, "200 OK", body=peer.sdp())
    peer.expect("ACK")
    for _ in range(2):
        assert peer.request("INVITE", answer=peer.sdp()).status == 200
    peer.rtp.drain()
    peer.rtp.hear()
    hang_up(peer, stack)


def test_a_new_address_may_come_with_the_ack(stack: Stack, peer: SipPeer) -> None:
    talk(peer, stack)
    peer.rtp.hear()
    before, peer.rtp = peer.rtp, RtpPort()
    peer.request("INVITE", answer=peer.sdp())
    peer.rtp.hear()
    before.close()
    hang_up(peer, stack)


@pytest.mark.parametrize("during", [False, True], ids=["at the beginning", "during the call"])
@pytest.mark.parametrize("answer", ["", "G729", "no stream", "no audio", "no SDP"])
def test_a_call_ends_if_the_ack_accepts_nothing(stack: Stack, peer: SipPeer, answer: str, during: bool) -> None:
    bodies = {
        "": "",
        "G729": peer.sdp(codec="18 G729"),
        "no stream": peer.sdp().replace(f"m=audio {peer.rtp.port}", "m=audio 0"),
        "no audio": peer.sdp().replace("m=audio", "m=video"),
        "no SDP": "Certainly.",
    }
    if during:
        talk(peer, stack)
        peer.request("INVITE", answer=bodies[answer])
    else:
        peer.call("agent-1", body="", answer=bodies[answer])
    peer.reply(peer.expect("BYE"), "200 OK")
    assert stack.expect("closed")["detail"] == NOTHING_AGREED


@pytest.mark.parametrize(
    ("direction", "host", "answer"),
    [
        ("sendonly", "127.0.0.1", "recvonly"),
        ("inactive", "127.0.0.1", "inactive"),
        ("sendrecv", "0.0.0.0", ""),
    ],
)
def test_a_call_on_hold_is_silent_until_it_is_resumed(
    stack: Stack, peer: SipPeer, direction: str, host: str, answer: str
) -> None:
    talk(peer, stack)
    peer.rtp.hear()
    assert f"a={answer}" in peer.request("INVITE", body=peer.sdp(direction, host=host)).body
    stack.tell("look")
    assert stack.expect("on_hold")["on_hold"] == [True]
    peer.rtp.await_silence()
    assert "a=sendrecv" in peer.request("INVITE", body=peer.sdp()).body
    peer.rtp.hear()
    stack.tell("look")
    assert stack.expect("on_hold")["on_hold"] == [False]
    hang_up(peer, stack)


@pytest.mark.realtime
@pytest.mark.parametrize(("direction", "host"), [("sendonly", "127.0.0.1"), ("sendrecv", "0.0.0.0")])
def test_the_agent_goes_on_after_a_hold_where_it_stopped(
    stack: Stack, peer: SipPeer, direction: str, host: str
) -> None:
    talk(peer, stack)
    peer.rtp.hear()
    stack.tell("count")
    heard = [peer.rtp.hear() for _ in range(60)]
    assert peer.request("INVITE", body=peer.sdp(direction, host=host)).status == 200
    heard += peer.rtp.await_silence(1.4)
    assert peer.request("INVITE", body=peer.sdp()).status == 200
    heard += [peer.rtp.hear() for _ in range(60)]
    codes = [payload[80] for payload in heard if payload[80] in range(128, 228)]
    steps = [(second - first) % 100 for first, second in itertools.pairwise(codes)]
    # A busy stack takes some packets after the address went, but fewer than the 70 of the hold. Some may be repeated.
    assert {*steps} <= {*range(51), *range(90, 100)}, codes
    assert sum(step in range(2, 51) for step in steps) <= 1, codes
    hang_up(peer, stack)


def await_question(stack: Stack, peer: SipPeer) -> Message:
    """Let the clock run, without audio from the telephone, until the stack asks whether the call lives."""
    while not peer.has_messages(within=2):  # The stack looks at the packets every second.
        stack.tell("advance", 181)
    return peer.expect("INVITE")


def test_a_caller_without_audio_is_asked_whether_the_call_lives(stack: Stack, peer: SipPeer) -> None:
    talk(peer, stack)
    for _ in range(2):
        question = await_question(stack, peer)
        assert question.header("session-expires") == ""
        peer.reply(question, "200 OK", body=peer.sdp())
        peer.expect("ACK")
    peer.rtp.drain()
    peer.rtp.hear()
    peer.reply(await_question(stack, peer), "481 Call Does Not Exist")
    assert stack.expect("closed")["detail"].startswith("481")
