"""Two users, each with a live account and a sandbox, who call every operation with their own and each other's ids."""

import copy
import random
import secrets
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import requests

from retinue.app import operations
from retinue.core.http.operations import Operation
from retinue.openapi.examples import BODIES
from tests.auth.test_scopes import FOR_OPERATORS, MAKERS, OF_THE_USER, SHARED, SIMULATED
from tests.conftest import User
from tests.support.client import Client

OPERATIONS = [operation for operation in operations() if operation.scope]
NOT_FOR_TEST_KEYS = ("/oauth/", "/sessions/")
"""Paths of records that a test key cannot create."""
OF_BOTH = ("/account", "/marketplace")
"""Paths of records that a test key shares with its user: the profile and the published items."""
UNSETTLED = (
    "/sessions/{id}", "/oauth/grants/{id}", "/runs/{id}", "/approvals/{id}", "/marketplace/{id}",
    "/account/export/{id}",
)  # fmt: skip
"""Paths of records that are deleted with another record, replaced by a newer one, or decided by the operator."""

_MARKED = ("name", "agent_name", "message", "task", "description", "slug")
_IDS = {"agent_id": "/agents/{id}", "fleet_id": "/fleets/{id}", "conversation_id": "/chat/{conversation_id}"}
_MADE = {
    "install_item": "/marketplace/installed/{id}",
    "rotate_key": "/keys/{id}",
    "chat": "/chat/{conversation_id}",
    "deploy_fleet": "{deployment_id}",
    "test_webhook": "{delivery_id}",
}
"""The paths of records that operations create other than by a POST to a collection."""
_ID_FIELDS = {"/chat/{conversation_id}": "conversation_id", "{deployment_id}": "deployment_id"}
_SECOND = ("{deployment_id}", "{delivery_id}")
_NOWHERE = "https://receiver.invalid/v1"
_READ_S = 0.5
"""Seconds without data after which a stream is closed."""

Ids = dict[str, list[str]]


@dataclass(eq=False)
class Space:
    """One account of a user: its client, a mark in all texts that it writes, and the ids of its records by path."""

    user: User
    is_test: bool
    client: Client
    mark: str = field(default_factory=lambda: f"m{secrets.token_hex(6)}")
    ids: Ids = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def both(cls, user: User) -> list["Space"]:
        """Create the live space and the sandbox of a user, with a record of each kind."""
        spaces = [cls(user, is_test, user.client(test=is_test)) for is_test in (False, True)]
        for space in spaces:
            space._fill()
        return spaces

    def _fill(self) -> None:
        for prefix, make in MAKERS.items():
            if not prefix.startswith(NOT_FOR_TEST_KEYS if self.is_test else SIMULATED):
                self.ids[prefix].append(str(make(self.client)))

    def reaches(self, owner: "Space", prefix: str) -> bool:
        """Return whether this space may see a record of `owner`: its own, or one that belongs to the user."""
        if owner is self:
            return True
        if owner.user is not self.user:
            return False
        return prefix.startswith(OF_BOTH) or (not self.is_test and prefix.startswith(OF_THE_USER))


@dataclass
class Call:
    """A call, with the owner and the path of each id in it."""

    operation: Operation
    caller: Space
    path: str
    body: dict[str, Any] | None
    in_path: list[tuple[Space, str]]
    in_body: list[tuple[Space, str]]

    def is_foreign(self, named: list[tuple[Space, str]]) -> bool:
        """Return whether the caller may not see one of these records."""
        return not all(self.caller.reaches(owner, prefix) for owner, prefix in named)


class Crossings:
    """Makes random calls, and fails at the first that shows or changes another space's record."""

    def __init__(self, users: tuple[User, User], seed: int) -> None:
        self._chance = random.Random(seed)
        self.spaces = [space for user in users for space in Space.both(user)]
        self.statuses: Counter[int] = Counter()
        self.foreign = 0
        """The number of calls with an id of another space."""
        self._number = 0

    def play(self, calls: int) -> None:
        """Make `calls` random calls, then check that every record still exists for its owner."""
        for _ in range(calls):
            self._make(self._choose())
        for space in self.spaces:
            kept = [prefix for prefix in space.ids if prefix in MAKERS and prefix not in UNSETTLED]
            paths = [path for prefix in kept for path in _paths(prefix, space.ids[prefix])]
            missing = [path for path in paths if space.client.get(path).status_code != 200]
            assert missing == [], f"missing {missing} of {space.user.email}, test: {space.is_test}"

    def _choose(self) -> Call:
        operation, caller = self._chance.choice(OPERATIONS), self._chance.choice(self.spaces)
        path, in_path = operation.path, []
        if "{" in path and not path.startswith((*SHARED, *FOR_OPERATORS)):
            prefix = path[: path.index("}") + 1]
            path, owner = self._with_id(path, prefix, prefix[prefix.index("{") :])
            in_path.append((owner, prefix))
        for place in _SECOND:
            if place in path:
                path, owner = self._with_id(path, place, place)
                in_path.append((owner, place))
        body, in_body = self._body(operation, _writer(operation, caller, in_path))
        return Call(operation, caller, path.replace("{name}", "network_calculate_subnet"), body, in_path, in_body)

    def _with_id(self, path: str, kind: str, place: str) -> tuple[str, Space]:
        owner = self._owner(kind)
        known = owner.ids[kind]
        return path.replace(place, self._chance.choice(known) if known else "999999999"), owner

    def _owner(self, kind: str) -> Space:
        return self._chance.choice([space for space in self.spaces if space.ids[kind]] or self.spaces)

    def _body(self, operation: Operation, writer: Space) -> tuple[dict[str, Any] | None, list[tuple[Space, str]]]:
        """Return a body whose texts contain the mark of the space that stores them."""
        if operation.method in ("GET", "DELETE") or operation.name not in BODIES:
            return None, []
        body, named = copy.deepcopy(BODIES[operation.name]), []
        self._number += 1
        for name in _MARKED:
            if isinstance(body.get(name), str):
                body[name] = f"{writer.mark}n{self._number}"
        for name, address in (("url", _NOWHERE), ("settings", {"base_url": _NOWHERE})):
            if name in body:
                body[name] = address
        for name in self._id_fields(operation, body):
            owner = self._owner(_IDS[name])
            if known := owner.ids[_IDS[name]]:
                number = self._chance.choice(known)
                body[name] = number if name == "conversation_id" else int(number)
                named.append((owner, _IDS[name]))
        return body, named

    def _id_fields(self, operation: Operation, body: dict[str, Any]) -> list[str]:
        optional = {"create_agent": "fleet_id", "update_agent": "fleet_id", "chat": "conversation_id"}
        fields = [name for name in _IDS if name in body]
        added = optional.get(operation.name)
        return [*fields, added] if added and self._chance.random() < 0.5 else fields

    def _make(self, call: Call) -> None:
        options = {} if call.body is None else {"json": call.body}
        response = call.caller.client.request(call.operation.method, call.path, **options, stream=True)
        text = "".join(_read(response))
        told = (call.operation.method, call.path, call.body, response.status_code, text[:500])
        self.statuses[response.status_code] += 1
        assert response.status_code not in (401, 500), told
        if call.is_foreign(call.in_path):
            self.foreign += 1
            assert response.status_code == (403 if _is_for_others(call) else 404), told
        elif call.is_foreign(call.in_body):
            self.foreign += 1
            assert response.status_code in (400, 403, 404), told
        for space in self.spaces:
            assert space.mark not in text or call.caller.reaches(space, _shown_by(call.operation)), told
        if response.status_code < 300:
            self._note(call, response)

    def _note(self, call: Call, response: requests.Response) -> None:
        """Record the ids of new records, and forget those of deleted ones."""
        operation = call.operation
        if operation.method == "DELETE" and operation.path in MAKERS:
            deleted = call.path.rpartition("/")[2]
            for space in self.spaces:
                if deleted in space.ids[operation.path]:
                    space.ids[operation.path].remove(deleted)
        elif kind := _made_by(operation, response.status_code):
            owner = call.in_path[0][0] if operation.name == "rotate_key" else call.caller
            record = response.json()["data"]
            made = str(record[_ID_FIELDS.get(kind, "id")])
            if made not in owner.ids[kind]:  # A message may continue an existing conversation.
                owner.ids[kind].append(made)


def _made_by(operation: Operation, status: int) -> str | None:
    """Return the path of the records that a successful call creates."""
    collection = f"{operation.path}/{{id}}"
    return _MADE.get(operation.name) or (collection if status == 201 and collection in MAKERS else None)


def _writer(operation: Operation, caller: Space, in_path: list[tuple[Space, str]]) -> Space:
    """Return the space that stores the body: the owner of the record in the path, or the caller of an installation."""
    reached = [owner for owner, prefix in in_path if caller.reaches(owner, prefix)]
    return reached[0] if reached and operation.name != "install_item" else caller


def _is_for_others(call: Call) -> bool:
    """Return whether no API key of an ordinary user, or no test key, can call the operation."""
    operation = call.operation
    changes_items = operation.path in ("/marketplace/{id}", "/marketplace/{id}/rating") and operation.method != "GET"
    return (
        operation.name == "moderate_item"
        or (changes_items and call.caller.is_test)
        or bool(operation.credentials and "key" not in operation.credentials)
    )


def _shown_by(operation: Operation) -> str:
    """Return the path of the records that an operation may return."""
    return f"{operation.path}/{{id}}" if operation.path in ("/keys", "/sessions") else operation.path


def _paths(prefix: str, ids: list[str]) -> list[str]:
    return [prefix[: prefix.index("{")] + number for number in ids]


def _read(response: requests.Response) -> Iterator[str]:
    """Yield the body. Of a stream, yield what arrives before it pauses."""
    if response.headers.get("Content-Type", "").startswith("text/event-stream"):
        response.raw._fp.fp.raw._sock.settimeout(_READ_S)
        try:
            for chunk in response.iter_content(4096):
                yield chunk.decode("utf-8", "replace")
        except requests.RequestException:
            return
        finally:
            response.close()
    else:
        yield response.text
