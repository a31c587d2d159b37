"""Which packets move the destination of a call's audio."""

import struct

import pytest

from retinue.voice.worker.rtp_source import Decision, SourceCheck, StreamPosition

THERE, ELSEWHERE, STRANGER = ("192.0.2.1", 4000), ("198.51.100.1", 4002), ("203.0.113.1", 4004)


def packet(sequence: int, ssrc: int = 7, kind: int = 0) -> bytes:
    """An RTP packet."""
    return struct.pack("!BBHII", 0x80, kind, sequence & 0xFFFF, 0, ssrc) + b"audio"


def send(check: SourceCheck, source: tuple[str, int], *packets: bytes) -> list[Decision]:
    """The decisions after packets of a source."""
    return [check.receive(source, is_destination=source == THERE, packet=one) for one in packets]


def latches(check: SourceCheck, source: tuple[str, int], *packets: bytes) -> bool:
    """Whether the last packet of a source moves the destination, and none before."""
    *before, last = send(check, source, *packets)
    assert set(before) <= {Decision.UNKNOWN}
    return last is Decision.LATCHED


def test_a_packet_from_the_destination_decides_at_once() -> None:
    check = SourceCheck(None)
    send(check, ELSEWHERE, packet(1), packet(2), packet(3))
    assert send(check, THERE, packet(9)) == [Decision.DESTINATION]
    assert check.position == StreamPosition(7, 9)


def test_an_unknown_source_is_latched_by_four_packets_in_sequence() -> None:
    check = SourceCheck(None)
    assert latches(check, ELSEWHERE, *(packet(65_534 + number) for number in range(4)))
    assert check.position == StreamPosition(7, 1)


@pytest.mark.parametrize(
    "packets",
    [
        [packet(1), packet(2), packet(4), packet(5)],
        [packet(1), packet(2), packet(3), packet(4, ssrc=8)],
        [packet(1), packet(1), packet(1), packet(1)],
        [packet(number, kind=72) for number in range(4)],
        [packet(number)[:11] for number in range(4)],
        [b"\0" + packet(number) for number in range(4)],
    ],
    ids=["gap", "other SSRC", "repetition", "RTCP", "too short", "no RTP"],
)
def test_other_packets_latch_nothing(packets: list[bytes]) -> None:
    assert not latches(SourceCheck(None), ELSEWHERE, *packets)


def test_packets_of_two_sources_do_not_add_up() -> None:
    check = SourceCheck(None)
    for number in range(8):
        source = (ELSEWHERE, STRANGER)[number % 2]
        assert send(check, source, packet(number)) == [Decision.UNKNOWN]


@pytest.mark.parametrize(
    ("first", "ssrc", "follows"),
    [(101, 7, True), (3100, 7, True), (3101, 7, False), (100, 7, False), (60, 7, False), (101, 8, False)],
)
def test_a_known_stream_moves_only_if_it_goes_on(first: int, ssrc: int, follows: bool) -> None:
    check = SourceCheck(StreamPosition(7, 100))
    assert latches(check, ELSEWHERE, *(packet(first + number, ssrc) for number in range(4))) == follows


def test_a_known_stream_goes_on_after_the_sequence_numbers_wrap() -> None:
    assert latches(SourceCheck(StreamPosition(7, 65_530)), ELSEWHERE, *(packet(65_550 + number) for number in range(4)))
