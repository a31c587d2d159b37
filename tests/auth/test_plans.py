"""A change of a user's plan applies to keys and sessions immediately."""

from functools import partial
from pathlib import Path
from typing import get_args

import pytest

from retinue.auth.plans import PlanName, Plans
from retinue.core.errors import Unavailable
from tests.auth.signing_in import give_password
from tests.conftest import NewUser
from tests.support.client import Client, data
from tests.support.server import Server
from tests.support.waiting import eventually


def has_plan(client: Client, plan: str) -> bool:
    """Return whether the client's account is on this plan."""
    return bool(data(client.get("/usage"))["plan"] == plan)


def test_a_change_of_plan_applies_to_every_credential(server: Server, new_user: NewUser) -> None:
    user = new_user(server, plan="free")
    key, session = user.client(), give_password(server, user.email)
    for plan in ("professional", "starter", "free"):
        server.ask("users.plan", email=user.email.upper(), plan=plan)
        for client in (key, session):
            eventually(partial(has_plan, client, plan))
    session.close()


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["users", "plan", "owner@localhost", "golden"], "no plan 'golden'"),
        (["users", "plan", "nobody@example.com", "free"], "no user nobody@example.com"),
    ],
)
def test_a_plan_or_a_user_that_does_not_exist(shared_server: Server, args: list[str], words: str) -> None:
    assert words in shared_server.cli(*args, status=1)


def plans_file(folder: Path, **changes: str) -> Path:
    """Write a plans file in which every plan has the lowest limits, changed like this."""
    lines = {"minute": "1", "hour": "1", "day": "1", "keys": "1", "more": "", **changes}
    plan = "tools = 'free'\nkeys = {keys}\n{more}\nrequests = {{minute = {minute}, hour = {hour}, day = {day}}}\n"
    path = folder / "plans.toml"
    path.write_text("".join(f"[{name}]\n{plan.format(**lines)}" for name in get_args(PlanName)))
    return path


def test_defaults_of_an_incomplete_plans_file(tmp_path: Path) -> None:
    plan = Plans.load(plans_file(tmp_path))["free"]
    assert (plan.requests.minute, plan.requests.hour, plan.requests.day, plan.keys) == (1, 1, 1, 1)
    assert (plan.imports.sources, plan.imports.tools, plan.imports.mb, plan.schedules) == (20, 10_000, 64, 100)
    assert plan.quotas == {}


def test_nothing_may_be_imported_or_scheduled_if_the_operator_says_so(tmp_path: Path) -> None:
    more = "schedules = 0\nimports = {sources = 0, tools = 0, mb = 0}"
    plan = Plans.load(plans_file(tmp_path, more=more))["free"]
    assert (plan.imports.sources, plan.imports.tools, plan.imports.mb, plan.schedules) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"minute": "0"},
        {"hour": "0"},
        {"day": "0"},
        {"keys": "0"},
        {"more": "schedules = -1"},
        {"more": "imports = {sources = -1}"},
        {"more": "imports = {tools = -1}"},
        {"more": "imports = {mb = -1}"},
        {"more": "hours = 1"},
    ],
    ids=str,
)
def test_a_plans_file_that_is_wrong_is_refused(tmp_path: Path, wrong: dict[str, str]) -> None:
    with pytest.raises(Unavailable, match="The plans file is invalid"):
        Plans.load(plans_file(tmp_path, **wrong))
