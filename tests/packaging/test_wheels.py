"""The wheels contain what the packages need, and run with the libraries that they declare."""

import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from retinue.models.assistant import NOT_INSTALLED
from tests.packaging.installed import InstalledServer, environment, running_server
from tests.packaging.wheels import PROJECTS, build, create_environment

pytestmark = pytest.mark.timeout(300)

NEEDED = [
    "auth/plans.toml",
    "gate/limits.lua",
    "marketplace/items/agents.toml",
    "migrations/env.py",
    "migrations/script.py.mako",
    "models/tool_classifier.npz",
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


def test_the_wheel_of_the_server_contains_its_data_files(wheels: dict[str, Path]) -> None:
    with zipfile.ZipFile(wheels["retinue"]) as wheel:
        names = wheel.namelist()
    assert [name for name in NEEDED if f"retinue/{name}" not in names] == []


@pytest.fixture(scope="module")
def server(command: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[InstalledServer]:
    """A server from the wheels."""
    with running_server(command, tmp_path_factory.mktemp("home")) as server:
        yield server


def test_a_server_from_the_wheels_answers(server: InstalledServer) -> None:
    server.check()


def test_a_tool_of_the_wheels_runs(server: InstalledServer) -> None:
    answer = server.request(
        "POST", "/api/v1/tools/network_calculate_subnet/execute", {"args": {"cidr": "172.16.8.0/21"}}
    )
    assert answer["data"]["result"]["usable_hosts"] == 2046


def test_a_setting_that_needs_an_extra_names_it(command: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path, RETINUE_DATABASE_URL="postgresql://db.example.com/retinue")
    ended = subprocess.run([command, "settings"], env=settings, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (
        1,
        "retinue: RETINUE_DATABASE_URL needs a library: pip install 'retinue[postgres]'\n",
    )


@pytest.fixture(scope="module")
def command_without_assistant(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `retinue` of an environment without the assistant for small models."""
    others = [wheel for package, wheel in wheels.items() if package != "retinue_assistant"]
    return create_environment(tmp_path_factory.mktemp("without") / "venv", others)


def test_a_server_without_the_assistant_says_that_the_included_model_is_missing(
    command_without_assistant: Path, tmp_path: Path
) -> None:
    with running_server(command_without_assistant, tmp_path, RETINUE_LOCAL_MODEL="auto") as server:
        server.check()
        ready = requests.get(f"{server.url}/readyz", timeout=60)
        assert (ready.json()["model"]["state"], ready.json()["model"]["reason"]) == ("missing", NOT_INSTALLED)
        headers = {"Authorization": f"Bearer {server.key}"}
        refused = requests.post(f"{server.url}/api/v1/chat", headers=headers, json={"message": "Hello"}, timeout=60)
        assert (refused.status_code, refused.json()["error"]["message"]) == (503, NOT_INSTALLED)


def test_a_setting_that_needs_the_assistant_names_it(command_without_assistant: Path, tmp_path: Path) -> None:
    settings = environment(tmp_path, RETINUE_MODEL_URL="https://models.example.com/v1", RETINUE_MODEL_TOOLS="routed")
    ended = subprocess.run(
        [command_without_assistant, "settings"], env=settings, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (
        1,
        "retinue: RETINUE_MODEL_TOOLS=routed needs a package: pip install retinue-assistant\n",
    )
