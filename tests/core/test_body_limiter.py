"""The memory for request bodies that are still arriving."""

from contextlib import ExitStack

import pytest

from retinue.core.errors import RateLimited, Unavailable
from retinue.core.http.body_limiter import MAX_BODY, BodyLimiter


def test_bodies_are_bounded_by_sender_and_in_total() -> None:
    intake = BodyLimiter(1.0, per_sender=2 * MAX_BODY, in_all=3 * MAX_BODY)
    with ExitStack() as bodies:
        for _ in range(2):
            bodies.enter_context(intake.room("one", MAX_BODY, known=True))
        with pytest.raises(RateLimited, match="More than 2 MiB") as refusal, intake.room("one", 1, known=True):
            pass
        assert refusal.value.headers["Retry-After"] == "1"
        bodies.enter_context(intake.room("two", MAX_BODY - 1, known=True))
        bodies.enter_context(intake.room("three", 1, known=True))
        with pytest.raises(Unavailable), intake.room("four", 1, known=True):
            pass
        bodies.enter_context(intake.room("five", 0, known=True))
    with intake.room("one", MAX_BODY, known=True), intake.room("one", MAX_BODY, known=True):
        pass


def test_strangers_cannot_use_up_the_memory_of_signed_in_senders() -> None:
    intake = BodyLimiter(1.0, from_strangers=100)
    with intake.room("198.51.100.1", 60, known=False), intake.room("198.51.100.2", 40, known=False):
        with pytest.raises(Unavailable), intake.room("198.51.100.3", 1, known=False):
            pass
        with intake.room(7, MAX_BODY, known=True):
            pass
    with intake.room("198.51.100.3", 100, known=False):
        pass
