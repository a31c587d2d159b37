"""Turns at the processor: fair, and never more than are free."""

import threading
from collections.abc import Sequence
from functools import partial

from retinue.core.runtime.executors import acting_for
from retinue.voice.speech.compute_slots import ComputeSlots
from tests.support.waiting import eventually


def has_grown(turns: ComputeSlots, before: int) -> bool:
    """Whether one more waits."""
    return turns.waiting > before


def enter_in_order(accounts: Sequence[int]) -> list[int]:
    """Let threads of these accounts wait, one after the other. Returns their numbers in the order of their turns."""
    turns, order = ComputeSlots(1), list[int]()

    def take(number: int, account: int) -> None:
        acting_for.set(account)
        with turns:
            order.append(number)

    threads = [threading.Thread(target=take, args=pair) for pair in enumerate(accounts)]
    with turns:
        for thread in threads:
            before = turns.waiting
            thread.start()
            eventually(partial(has_grown, turns, before))
        assert order == []
    for thread in threads:
        thread.join()
    return order


def test_who_asks_first_goes_first() -> None:
    assert enter_in_order([7] * 5) == [0, 1, 2, 3, 4]


def test_accounts_take_turns() -> None:
    assert enter_in_order([1, 1, 1, 1, 2, 3, 2]) == [0, 4, 5, 1, 6, 2, 3]
