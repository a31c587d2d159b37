"""The programs that the playground offers to copy do what the playground did."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.conftest import ONE_DATABASE
from tests.portal.conftest import Arrive
from tests.portal.reader import Reader
from tests.portal.test_agents import new_agent
from tests.support.client import Client

pytestmark = pytest.mark.needs_program("chromium", "curl", "node")
MESSAGE = 'It\'s "quoted", $HOME and `this`: \\ and {curly} and Grüße'
COMMANDS = {
    "curl": ["sh", "curl.sh"],
    "Python": [sys.executable, "Python.py"],
    "JavaScript": ["node", "JavaScript.mjs"],
}


@ONE_DATABASE
@pytest.mark.parametrize("language", COMMANDS)
def test_a_copied_program_works(reader: Reader, arrive: Arrive, client: Client, tmp_path: Path, language: str) -> None:
    agent = new_agent(client)
    page = arrive(reader).open(f"/playground?agent={agent}")
    page.get_by_label("Message", exact=True).fill(MESSAGE)
    page.get_by_role("button", name="Code", exact=True).click()
    page.get_by_role("radio", name=language).check(force=True)
    expect(page.locator("#program")).to_contain_text(re.compile(rf'agent_id"?: {agent}\b'))
    command = COMMANDS[language]
    (tmp_path / command[-1]).write_text(page.locator("#program").inner_text(), encoding="utf-8")
    env = {**os.environ, "RETINUE_KEY": client.key or "", "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stderr
    said = client.get(f"/agents/{agent}/runs").json()["data"]
    assert [run["message"] for run in said] == [MESSAGE]
    assert "Grüße" in ended.stdout
