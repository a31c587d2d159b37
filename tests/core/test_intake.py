"""The memory for request bodies that are still arriving."""

from contextlib import ExitStack

import pytest

from retinue.core.errors import RateLimited, Unavailable
from retinue.core.http.intake import MAX_BODY, Intake


@pytest.mark.parametrize("announced", [MAX_BODY, MAX_BODY * 5, None])
def test_a_body_counts_with_its_length_and_at_most_with_the_largest(announced: int | None) -> None:
    intake = Intake(1.0, per_account=2 * MAX_BODY, in_all=3 * MAX_BODY)
    with ExitStack() as bodies:
        for _ in range(2):
            bodies.enter_context(intake.room("one", announced))
        with pytest.raises(RateLimited, match="More than 2 MiB") as refusal, intake.room("one", 1):
            pass
        assert refusal.value.headers["Retry-After"] == "1"
        bodies.enter_context(intake.room("two", MAX_BODY - 1))
        bodies.enter_context(intake.room("three", 1))
        with pytest.raises(Unavailable), intake.room("four", 1):
            pass
        bodies.enter_context(intake.room("five", 0))
    with intake.room("one", announced), intake.room("one", announced):
        pass
