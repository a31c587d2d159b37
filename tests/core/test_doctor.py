"""`retinue doctor` warns of risky settings, and of optional parts that are missing."""

import pytest

from retinue.cli.doctor import find_risks
from retinue.settings import Settings
from tests.conftest import StartServer

RISKS = {
    "HOST": ("0.0.0.0", "RETINUE_PUBLIC_URL"),
    "RETINUE_TRUSTED_PROXIES": ("0.0.0.0/0", "trusts every address"),
    "RETINUE_SIGN_UP": ("open", "anybody create a user"),
    "RETINUE_RATE_LIMITS": ("off", "RATE_LIMITS=off"),
}


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the settings of the suite."""
    for name in ("HOST", "RETINUE_RATE_LIMITS", "RETINUE_PUBLIC_URL"):
        monkeypatch.delenv(name, raising=False)


def test_the_defaults_are_no_risk() -> None:
    assert list(find_risks(Settings(), 1000)) == []
    assert len(list(find_risks(Settings(), 0))) == 1


@pytest.mark.parametrize("name", RISKS)
def test_each_risk_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    value, phrase = RISKS[name]
    monkeypatch.setenv(name, value)
    (risk,) = find_risks(Settings(), 1000)
    assert phrase in risk


def test_missing_optional_parts_are_warnings(start_server: StartServer) -> None:
    server = start_server()
    server.env["PATH"] = ""
    (server.home / "master.key").touch()
    (server.home / "master.key").chmod(0o644)
    printed = server.cli("doctor")
    assert "WARN  audio and video: ffmpeg and ffprobe not found" in printed
    assert "WARN  data folder: Other users may read" in printed
    assert "WARN  configuration: RETINUE_RATE_LIMITS=off" in printed
