"""The wheels contain what the packages need, and run with the libraries that they declare."""

import os
import signal
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.packaging.wheels import PROJECTS, build, create_environment
from tests.support.server import DEFAULTS

NEEDED = [
    "auth/plans.toml",
    "gate/limits.lua",
    "marketplace/items/agents.toml",
    "migrations/env.py",
    "migrations/script.py.mako",
    "models/heads.npz",
    "models/known_models.json",
    "models/weights/weights-0.5b.txt",
    "portal/static/base.css",
    "portal/templates/layout.html",
    "py.typed",
    "reference/guides/operating.md",
    "tools/catalogue.json",
    "tools/requirements.txt",
    "voice/requirements.txt",
]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel of each package."""
    return build(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def command(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `retinue` of an environment with nothing but the wheels and what they require."""
    return create_environment(tmp_path_factory.mktemp("installed") / "venv", [*wheels.values()])


def environment(home: Path, **settings: str) -> dict[str, str]:
    """The variables of a server on an empty data folder, without those of this machine's users."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "RETINUE_HOME": str(home / "data"),
        **DEFAULTS,
        "RETINUE_VOICE_LIBRARIES": "off",
        **settings,
    }


@pytest.mark.parametrize("package", PROJECTS)
def test_a_wheel_has_every_file_of_its_package(package: str, wheels: dict[str, Path]) -> None:
    source = PROJECTS[package] / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with zipfile.ZipFile(wheels[package]) as wheel:
        names = {name for name in wheel.namelist() if not name.endswith("/")}
    assert {name for name in names if ".dist-info/" not in name} == files
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_the_servers_wheel_has_what_is_no_code(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["retinue"]) as wheel:
        names = wheel.namelist()
    assert [name for name in NEEDED if f"retinue/{name}" not in names] == []


@pytest.fixture(scope="module")
def address(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, dict[str, str]]]:
    """The URL of a server from the wheels, and the headers of its first key."""
    folder = tmp_path_factory.mktemp("home")
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            [command, "serve"], env=environment(folder), stdout=subprocess.PIPE, stderr=log, text=True
        ) as server,
    ):
        assert server.stdout is not None
        printed: dict[str, str] = {}
        for line in server.stdout:
            name, _, value = line.strip().partition("  ")
            printed[name] = value.strip()
            if line.startswith("Stop it"):
                break
        assert "API" in printed, (folder / "server.log").read_text()
        try:
            yield printed["API"].removesuffix("/api/v1"), {"Authorization": f"Bearer {printed['API key']}"}
        finally:
            os.kill(server.pid, signal.SIGTERM)
            assert server.wait() == 0


@pytest.mark.timeout(300)
def test_a_server_from_the_wheels_answers(address: tuple[str, dict[str, str]]) -> None:
    url, headers = address
    assert requests.get(f"{url}/healthz", timeout=60).json() == {"status": "ok"}
    agent = requests.post(
        f"{url}/api/v1/agents", headers=headers, json={"agent_name": "Ada", "agent_role": "specialist"}, timeout=60
    )
    assert agent.status_code == 201
    tools = requests.get(f"{url}/api/v1/tools", headers=headers, timeout=60).json()
    assert tools["meta"]["total"] > 1000
    for page in ("/sign-in", "/docs/guides/operating"):
        assert requests.get(f"{url}{page}", timeout=60).status_code == 200


@pytest.mark.timeout(300)
def test_a_tool_of_the_wheels_runs(address: tuple[str, dict[str, str]]) -> None:
    url, headers = address
    answer = requests.post(
        f"{url}/api/v1/tools/network_calculate_subnet/execute",
        headers=headers,
        json={"args": {"cidr": "172.16.8.0/21"}},
        timeout=120,
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["result"]["usable_hosts"] == 2046


def test_a_setting_that_needs_an_extra_names_it(command: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path, RETINUE_DATABASE_URL="postgresql://db.example.com/retinue")
    ended = subprocess.run([command, "settings"], env=settings, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        1,
        "retinue: RETINUE_DATABASE_URL needs a library: pip install 'retinue[postgres]'\n",
    )
