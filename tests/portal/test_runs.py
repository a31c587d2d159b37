"""The page of a run shows excerpts of long steps, each of which has a page of its own."""

import json

import pytest

from tests.conftest import ONE_DATABASE
from tests.portal.chromium import PHONE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader, title
from tests.support.client import Client, data

SORT = "table_sort_rows"
ROWS = [{"order": number, "town": f"Town {number} of many"} for number in range(200)]


@pytest.fixture
def run(client: Client) -> str:
    """The path of a run whose tool has long arguments and a long result."""
    about = {"agent_name": "Sorter", "agent_role": "generalist", "skills": [SORT]}
    agent = data(client.post("/agents", about), 201)["id"]
    message = f"[[tool:{SORT} {json.dumps({'rows': ROWS, 'by': ['-order']})}]]"
    return f"/runs/{data(client.post(f'/agents/{agent}/execute', {'message': message}))['run_id']}"


def test_long_steps_are_shortened(reader: Reader, client: Client, run: str) -> None:
    steps = data(client.get(run))["steps"]
    assert [step["tool"] for step in steps] == [None, SORT, None]
    page = reader.get(run).text
    timeline = page.partition('class="timeline"')[2].rpartition('<li class="model')[0]  # the last step is shown whole
    path = f"{run}/steps/{steps[1]['seq']}"
    assert f'href="{path}"' in timeline
    assert timeline.count("/steps/") == 1, "short steps must be shown whole"
    assert "Town 198 of many" in timeline
    assert "Town 50 of many" not in timeline
    whole = reader.get(path)
    assert title(whole) == f"Step {steps[1]['seq']} of run {run.rpartition('/')[2]}"
    assert "Town 50 of many" in whole.text
    assert reader.get(f"{run}/steps/{steps[0]['seq']}").status_code == 200


@pytest.mark.parametrize("seq", ["0", "999", "x", "99999999999999999999"])
def test_an_unknown_step_is_not_found(reader: Reader, run: str, seq: str) -> None:
    assert reader.get(f"{run}/steps/{seq}").status_code == 404


@ONE_DATABASE
@pytest.mark.needs_program("chromium")
def test_a_step_fits_a_phone(reader: Reader, arrive: Arrive, run: str) -> None:
    visitor = arrive(reader, "dark", PHONE)
    page = visitor.open(run)
    page.get_by_text("Arguments and result").click()
    page.get_by_role("link", name="Show the whole step").click()
    page.get_by_role("heading", name="Result").wait_for()
    visitor.check_width()
    visitor.check_accessibility()
