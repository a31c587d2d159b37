"""Digits that a tool collects on a call."""

import asyncio

import pytest

from retinue.voice.calls import digits as module
from retinue.voice.calls.digits import DigitCollector, SecretDigits


@pytest.fixture
def collector() -> DigitCollector:
    made = DigitCollector()
    made.open()
    return made


@pytest.mark.parametrize(
    ("pressed", "length", "terminator", "digits"),
    [("12345", 4, "#", "1234"), ("12#34", None, "#", "12"), ("1#2*3", None, "*", "1#2"), ("#", None, "#", "")],
)
async def test_keys_are_collected_to_their_length_or_terminator(
    collector: DigitCollector, pressed: str, length: int | None, terminator: str, digits: str
) -> None:
    assert all(map(collector.take, pressed))
    assert await collector.collect(length, terminator, 60.0) == digits


async def test_keys_end_in_time(collector: DigitCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BETWEEN_S", 0.0)
    assert await collector.collect(4, "#", 0.0) == ""
    collector.take("7")
    assert await collector.collect(4, "#", 60.0) == "7"


async def test_keys_are_taken_while_a_tool_waits_for_them(collector: DigitCollector) -> None:
    waiting = asyncio.create_task(collector.collect(1, "#", 60.0))
    await asyncio.sleep(0)
    assert collector.take("5")
    assert await waiting == "5"
    collector.close()
    assert not collector.take("6")


def test_secret_digits_have_placeholders() -> None:
    secrets = SecretDigits()
    first, second = secrets.add("12"), secrets.add("4711")
    assert secrets.reveal(f"PIN {second} of {first}") == "PIN 4711 of 12"
    assert secrets.conceal("4711 is no part of 247118, and 12 none of 123") == (
        f"{second} is no part of 247118, and {first} none of 123"
    )
