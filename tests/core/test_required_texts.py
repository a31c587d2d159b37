"""Names and messages must not be blank, and null clears the texts that are optional."""

from typing import Any

import pytest

from tests.support.client import Client, data, refuse

SCHEDULE = {"name": "Daily", "cron": "0 9 * * *", "agent_id": 1, "message": "Go"}


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("/fleets", {"name": " \t"}, "name must not be empty."),
        ("/knowledge/collections", {"name": "  "}, "name must not be empty."),
        ("/schedules", {**SCHEDULE, "name": " "}, "name must not be empty."),
        ("/schedules", {**SCHEDULE, "message": "\n"}, "message must not be blank."),
        ("/chat", {"message": " \n"}, "message must not be blank."),
        ("/agents/{agent}/execute", {"message": " \n"}, "message must not be blank."),
    ],
)
def test_a_blank_text_is_refused(client: Client, path: str, body: dict[str, Any], message: str) -> None:
    agent = data(client.post("/agents", {"agent_name": "Ada", "agent_role": "leader"}), 201)["id"]
    refuse(client.post(path.format(agent=agent), body), 400, message)


@pytest.mark.parametrize("path", ["/fleets", "/knowledge/collections"])
def test_null_clears_a_description(client: Client, path: str) -> None:
    made = data(client.post(path, {"name": " Harbour ", "description": "Ships"}), 201)
    assert (made["name"], made["description"]) == ("Harbour", "Ships")
    cleared = data(client.put(f"{path}/{made['id']}", {"description": None}))
    assert (cleared["name"], cleared["description"]) == ("Harbour", "")


def test_null_clears_the_name_of_a_key(client: Client) -> None:
    key = data(client.post("/keys", {"name": "Shop"}), 201)
    assert data(client.put(f"/keys/{key['id']}", {"name": None}))["name"] == ""
