"""The files for containers name settings, sources and commands that exist."""

import re
from typing import Any

import pytest
import yaml

from retinue.settings import Settings
from tests.packaging.wheels import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
SERVICES: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
VARIABLES = {"HOST", "PORT", *(f"RETINUE_{name.upper()}" for name in Settings.model_fields)}


def test_files_copied_by_the_image_exist_and_are_not_ignored() -> None:
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    sources = [source for line in lines for source in line.split()]
    assert sources
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for source in sources:
        assert (ROOT / source).exists()
        assert any(source == one or source.startswith(f"{one}/") or one.startswith(f"{source}/") for one in allowed)


@pytest.mark.parametrize("name", ["compose.yaml", "Dockerfile"])
def test_every_variable_is_a_setting(name: str) -> None:
    named = set(re.findall(r"RETINUE_\w+", (ROOT / name).read_text())) - {"RETINUE_IMAGE"}
    assert named
    assert named <= VARIABLES


def test_the_image_runs_as_an_unprivileged_user_and_is_checked() -> None:
    final = DOCKERFILE.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", final, re.MULTILINE)
    assert "/healthz" in final.partition("HEALTHCHECK")[2]
    assert final.rstrip().endswith('ENTRYPOINT ["retinue"]\nCMD ["serve"]')


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_is_checked_and_restarted(service: str) -> None:
    assert SERVICES[service]["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
    assert SERVICES[service]["restart"] == "unless-stopped"


def test_the_server_waits_for_its_database_on_a_read_only_file_system() -> None:
    server = SERVICES["retinue"]
    others = SERVICES.keys() - {"retinue"}
    assert server["depends_on"] == {name: {"condition": "service_healthy"} for name in others}
    assert (server["read_only"], server["cap_drop"], server["tmpfs"]) == (True, ["ALL"], ["/tmp"])  # noqa: S108 - in the container


def test_the_cache_answers_other_containers_and_is_not_published() -> None:
    cache = SERVICES["cache"]
    assert cache["command"][-2:] == ["--protected-mode", "no"]
    assert "ports" not in cache
