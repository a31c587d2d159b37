"""Turns at the processor: fair, and never more than are free."""

import threading
from functools import partial

from retinue.voice.speech.cores import Turns
from tests.support.waiting import eventually


def has_grown(turns: Turns, before: int) -> bool:
    """Whether one more waits."""
    return turns.waiting > before


def test_who_asks_first_goes_first() -> None:
    turns, order = Turns(1), list[int]()

    def take(number: int) -> None:
        with turns:
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(5)]
    with turns:
        for thread in threads:
            before = turns.waiting
            thread.start()
            eventually(partial(has_grown, turns, before))
        assert order == []
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]
