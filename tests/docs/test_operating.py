"""What the guides on limits and on operating tell operators to write works as it is told."""

import configparser
import tomllib
from collections.abc import Callable
from ipaddress import ip_network
from pathlib import Path

import pytest
import requests

from retinue.auth.plans import Plans
from retinue.settings import Settings
from retinue.tools.imports.mcp.programs import AllowedPrograms, Program
from tests.docs.blocks import GUIDES, examples, run, save_files
from tests.support.client import Client, data
from tests.support.server import Server

OPERATING = GUIDES / "operating.md"
LIMITS = GUIDES / "usage-and-limits.md"


def test_the_server_goes_by_the_plans_file(start_server: Callable[..., Server], tmp_path: Path) -> None:
    save_files(LIMITS, tmp_path, "")
    plans = Plans.load(tmp_path / "plans.toml")
    assert plans.by_name.keys() == Plans.load().by_name.keys()
    server = start_server(RETINUE_PLANS_FILE=str(tmp_path / "plans.toml"))
    client = Client(server, server.new_key(server.new_user("free")))
    answer = client.get("/usage")
    assert int(answer.headers["X-RateLimit-Limit"]) == plans["free"].requests.minute == 20
    assert data(answer)["agents_active"]["limit"] == 5
    client.close()


def test_the_file_of_programs_is_whole(tmp_path: Path) -> None:
    save_files(OPERATING, tmp_path, "")
    allowed = AllowedPrograms.load(tmp_path / "programs.toml")
    assert (allowed.find_program("weather").credential, allowed.find_program("library").credential) == (
        "WEATHER_TOKEN",
        None,
    )
    default = f"{Program.model_fields['memory_mb'].default} by default"
    assert default in OPERATING.read_text()


def test_a_backup_holds_all_and_a_server_starts_on_it(start_server: Callable[..., Server], tmp_path: Path) -> None:
    server = start_server()
    client = Client(server, server.first_key)
    file = data(client.request("POST", "/files?name=a.txt", data=b"kept"), 201)["id"]
    backup = [text for text in examples(OPERATING) if "$TO" in text]
    *_, checked = run(backup, server, server.first_key, tmp_path)
    assert checked == "All is well."
    data(client.delete(f"/files/{file}"))
    client.close()

    (copy,) = tmp_path.glob("backup-*")
    server.restart(RETINUE_HOME=str(copy))
    content = requests.get(
        f"{server.url}/api/v1/files/{file}/content",
        headers={"Authorization": f"Bearer {server.first_key}"},
        timeout=10,
    )
    assert (content.status_code, content.content) == (200, b"kept")


def test_the_unit_file_is_whole(tmp_path: Path) -> None:
    save_files(OPERATING, tmp_path, "")
    unit = configparser.ConfigParser(interpolation=None)
    unit.read(tmp_path / "retinue.service")
    service = unit["Service"]
    assert service["ExecStart"].endswith("/retinue serve")
    name, _, home = service["Environment"].partition("=")
    assert name == f"{Settings.model_config['env_prefix']}HOME"
    assert home == f"/var/lib/{service['StateDirectory']}"


def test_the_settings_file_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save_files(OPERATING, tmp_path, "")
    monkeypatch.setenv("RETINUE_HOME", str(tmp_path))
    shown = tomllib.loads((tmp_path / "retinue.toml").read_text())
    settings = Settings()
    assert {name: getattr(settings, name) for name in shown} == {
        **shown,
        "trusted_proxies": (ip_network("127.0.0.1/32"),),
    }
