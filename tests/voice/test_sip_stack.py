"""The SIP stack of the media worker, message by message, without the rest of the server."""

import asyncio
from collections.abc import Iterator

import pytest

from retinue.voice.environment import VoiceEnvironment
from tests.voice.sip_peer import RtpPort, SipPeer, Stack, audio_port

pytestmark = [pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack, in the voice environment. `make test` installs it beforehand."""
    asyncio.run(VoiceEnvironment.beside(tmp_path_factory.mktemp("voice")).install())
    with Stack() as made:
        yield made


@pytest.fixture
def peer(stack: Stack) -> Iterator[SipPeer]:
    """A telephone."""
    with SipPeer(stack.port) as made:
        yield made


@pytest.fixture
def elsewhere() -> Iterator[RtpPort]:
    """A port that no SDP names."""
    made = RtpPort()
    yield made
    made.close()


def talk(peer: SipPeer, stack: Stack) -> int:
    """Call the stack, which answers. Returns its port for audio."""
    port = audio_port(peer.call("agent-1"))
    stack.expect("answered")
    return port


def hang_up(peer: SipPeer, stack: Stack) -> None:
    """End the call."""
    assert peer.request("BYE").status == 200
    stack.expect("closed")


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


def test_a_new_sdp_lets_the_source_change_again(stack: Stack, peer: SipPeer, elsewhere: RtpPort) -> None:
    port = talk(peer, stack)
    peer.rtp.send(port)
    peer.rtp.hear()
    assert audio_port(peer.request("INVITE", body=peer.sdp())) == port
    for _ in range(4):
        elsewhere.send(port)
    elsewhere.hear()
    hang_up(peer, stack)


def test_a_call_is_not_renegotiated_without_need(stack: Stack, peer: SipPeer) -> None:
    talk(peer, stack)
    for _ in range(50):  # The stack would send its re-INVITE at most 300 ms after the ACK.
        peer.rtp.hear()
    peer.send("BYE", 77)
    assert peer.receive().status == 200
    stack.expect("closed")


def test_responses_go_to_where_the_request_came_from(stack: Stack, peer: SipPeer) -> None:
    peer.sent_by = "192.0.2.1:9"
    peer.target = peer.remote = f"sip:agent-1@127.0.0.1:{stack.port}"
    answer = peer.request("OPTIONS")
    assert answer.header("via").endswith(f"rport={peer.port};received=127.0.0.1")
