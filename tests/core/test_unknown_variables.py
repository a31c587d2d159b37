"""Variables that begin with RETINUE_ and are read by nothing are named, with the nearest setting."""

import re
from pathlib import Path

import pytest

from retinue.platform.unknown_variables import unknown_variables
from retinue.settings import Settings
from tests.conftest import StartServer

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("variable", "nearest"),
    [
        ("RETINUE_PORT", "PORT"),
        ("RETINUE_HOST", "HOST"),
        ("RETINUE_MODL_URL", "RETINUE_MODEL_URL"),
        ("retinue_master_keys", "RETINUE_MASTER_KEY"),
        ("RETINUE_MODEL", "RETINUE_MODEL_URL"),
    ],
)
def test_an_unknown_variable_is_named_with_the_nearest_setting(variable: str, nearest: str) -> None:
    (warning,) = unknown_variables(Settings(), [variable, "PATH", "RETINUE_MODEL_URL", "retinue_sign_up"])
    assert warning == f"{variable} is not a setting and has no effect. Did you mean {nearest}?"


def test_no_variable_that_the_project_reads_is_unknown() -> None:
    places = [ROOT / "src", ROOT / "packages", ROOT / "scripts"]
    texts = [path.read_text() for place in places for path in place.rglob("*.py")] + [(ROOT / "Makefile").read_text()]
    found = {name for text in texts for name in re.findall(r"RETINUE_[A-Z0-9_]*[A-Z0-9]", text)}
    assert "RETINUE_API_KEY" in found
    assert list(unknown_variables(Settings(), found)) == []


def test_a_password_of_a_trunk_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variable, trunks = "RETINUE_BRITAIN_SECRET", tmp_path / "trunks.toml"
    trunks.write_text(f'[britain]\nhost = "sip.example.com"\nuser = "retinue"\npassword_env = "{variable}"\n')
    assert len(list(unknown_variables(Settings(), [variable]))) == 1
    monkeypatch.setenv("RETINUE_SIP_TRUNKS_FILE", str(trunks))
    assert list(unknown_variables(Settings(), [variable])) == []


def test_the_server_and_doctor_warn_of_unknown_variables(start_server: StartServer) -> None:
    server = start_server(RETINUE_TYPO="1", RETINUE_PORT="8001")
    (line,) = [line for line in server.log.read_text().splitlines() if "settings.unknown_variables" in line]
    for warning in ("RETINUE_PORT is not a setting and has no effect. Did you mean PORT?", "RETINUE_TYPO is not"):
        assert warning in line
        assert f"WARN  configuration: {warning}" in server.cli("doctor")
