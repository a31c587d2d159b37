"""A flood of wrong passwords delays nobody else by more than a few hashes, and reveals nothing."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import requests

from retinue.auth.throttle import FREE
from tests.auth.signing_in import PASSWORD, give_password, post_sign_in, sign_in
from tests.conftest import StartServer
from tests.support.client import Client, data, refuse
from tests.support.server import Server
from tests.support.sql import select

ATTACKERS = 60
AT_FIRST = 20
"""Attempts of the attackers before the others arrive."""

BOUND = 100
"""Attempts of the attackers that may finish before each of the others gets an answer. With one address in progress at
a time it is a few, and as many as the test's own threads delay the answer."""

MALLORY, OWNER, ELSEWHERE = (
    {"X-Forwarded-For": address} for address in ("203.0.113.9", "198.51.100.7", "198.51.100.8")
)


@pytest.fixture
def server(start_server: StartServer) -> Server:
    """A server behind a trusted proxy, on which people can sign up."""
    return start_server(RETINUE_TRUSTED_PROXIES="127.0.0.1/32", RETINUE_SIGN_UP="open")


def known_user(server: Server, address: dict[str, str]) -> str:
    """Create a user who has signed in from an address."""
    email = server.new_user()
    give_password(server, email).close()
    sign_in(server, email, **address).close()
    return email


class Flood:
    """Attackers who send wrong passwords for accounts of their own at a known address, until `done` or `most`."""

    def __init__(self, server: Server, emails: list[str], most: int) -> None:
        self.server, self.emails, self.most = server, emails, most
        self.answers, self.done, self.lock = 0, threading.Event(), threading.Condition()

    def run(self, number: int) -> None:
        """Send wrong passwords in turn for each account."""
        while not self.done.is_set() and self.answers < self.most:
            number += 1
            guess = {"email": self.emails[number % len(self.emails)], "password": "a wrong password"}
            with suppress(OSError):
                post_sign_in(self.server, "/auth.php", guess, **MALLORY)
            with self.lock:
                self.answers += 1
                self.lock.notify_all()

    def wait_for(self, answers: int) -> None:
        """Wait until the attackers have got this many answers."""
        with self.lock:
            self.lock.wait_for(lambda: self.answers >= answers)


def test_wrong_passwords_for_an_own_account_delay_nobody_else(server: Server) -> None:
    owner = known_user(server, OWNER)
    flood = Flood(server, [known_user(server, MALLORY) for _ in range(3)], AT_FIRST + 2 * BOUND)
    with ThreadPoolExecutor(ATTACKERS) as threads:
        attacks = [threads.submit(flood.run, number) for number in range(ATTACKERS)]
        flood.wait_for(AT_FIRST)
        before = flood.answers
        new = {"email": "new@example.com", "password": PASSWORD}
        answers = [post_sign_in(server, "/auth.php", {"email": owner, "password": PASSWORD}, **ELSEWHERE)]
        signed_in = flood.answers - before
        answers.append(post_sign_in(server, "/auth/sign-up", new, **ELSEWHERE))
        signed_up = flood.answers - before - signed_in
        flood.done.set()
    for attack in attacks:
        attack.result()
    assert [answer.status_code for answer in answers] == [200, 201]
    assert max(signed_in, signed_up) < BOUND
    ((entries,),) = select(server, "SELECT count(*) FROM audit_entries WHERE action = 'sign_in.failed'")
    # Five free attempts of each account, and those after a wait that doubles each time.
    assert entries <= 3 * (FREE + 10)


def refusals(server: Server, email: str, address: dict[str, str]) -> list[requests.Response]:
    """Send wrong passwords until the address must wait. Returns the answers."""
    answers: list[requests.Response] = []
    while not answers or answers[-1].status_code == 401:
        guess = {"email": email, "password": "a wrong password"}
        answers.append(post_sign_in(server, "/auth.php", guess, **address))
        assert len(answers) <= FREE + 10
    return answers


def test_a_wait_reveals_neither_users_nor_their_addresses_and_spares_the_owner(server: Server) -> None:
    owner, other = known_user(server, OWNER), known_user(server, ELSEWHERE)
    found = [refusals(server, email, OWNER) for email in (owner, other, "nobody@example.com")]
    for answers in found:
        assert [answer.status_code for answer in answers[:FREE]] == [401] * FREE
        assert refuse(answers[-1], 429, "Too many attempts")
        assert int(answers[-1].headers["Retry-After"]) >= 1
    sign_in(server, owner, **OWNER).close()
    session = sign_in(server, owner, **ELSEWHERE)
    entries = data(session.get("/audit?action=sign_in.failed&per_page=100"))
    assert len(entries) == len(found[0]) - 1, "attempts during a wait get no entries"
    assert [entry["detail"] for entry in entries[-2:]] == ["Failure 2 from this address.", None]
    session.close()


def test_each_port_of_a_proxy_header_is_the_same_address(server: Server) -> None:
    owner = known_user(server, OWNER)
    guess = {"email": owner, "password": "a wrong password"}
    for number in range(FREE + 10):
        address = {"X-Forwarded-For": f"203.0.113.9:{4000 + number}"}
        if post_sign_in(server, "/auth.php", guess, **address).status_code == 429:
            break
    else:
        raise AssertionError("every port counted as an address")


def test_common_passwords_are_refused_wherever_one_is_set(server: Server) -> None:
    email = server.new_user()
    link = server.ask("users.link", email=email)
    refuse(post_sign_in(server, "/auth/link", {"token": link, "password": "password12"}), 400, "random words")
    refuse(post_sign_in(server, "/auth/sign-up", {"email": "b@example.com", "password": " " * 10}), 400, "random words")
    session = Client(server, data(post_sign_in(server, "/auth/link", {"token": link, "password": PASSWORD}))["token"])
    change = {"current_password": PASSWORD, "new_password": email}
    refuse(session.put("/account/password", change), 400, "random words")
    session.close()
