"""The included model uses the facts that a user has saved, and only those of that user."""

import pytest

from tests.conftest import User
from tests.support.client import data
from tests.support.sampling import EXHAUSTIVE
from tests.support.server import Server

STORE = "/tools/memory_store/execute"


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_question_that_a_saved_fact_answers_is_answered_with_it(local_server: Server) -> None:
    owner, other = (User(local_server, local_server.new_user()).client() for _ in range(2))
    for code in (7719, 8820):
        data(owner.post(STORE, {"args": {"text": f"my locker code is {code}"}}))
    data(other.post(STORE, {"args": {"text": "the code of my locker is 1234"}}))
    answer = data(owner.post("/chat", {"message": "What is my locker code?"}))
    assert answer["tools_used"] == []
    assert answer["reply"].startswith("You told me: ")
    assert ("7719" in answer["reply"], "8820" in answer["reply"], "1234" in answer["reply"]) == (True, True, False)
