"""`retinue doctor` warns of risky settings, and of optional parts that are missing."""

from pathlib import Path

import pytest
import typer

from retinue.cli import doctor_voice
from retinue.cli.doctor import find_risks
from retinue.core.runtime import log
from retinue.settings import Settings
from retinue.voice.environment import VoiceEnvironment
from tests.conftest import NewServer, StartServer

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


TRUNK = '[britain]\nhost = "sip.example.com"\nuser = "retinue"\n'
NAMED = {
    "RETINUE_MASTER_KEY": ("abc", "master key: RETINUE_MASTER_KEY is not a valid master key"),
    "RETINUE_PLANS_FILE": ("{missing}", "plans: The plans file {missing} cannot be read"),
    "RETINUE_FILES_DIR": ("{file}", "files: Cannot create {file}: "),
    "RETINUE_SIP_TRUNKS_FILE": ("{missing}", "SIP trunks: The trunks file {missing} cannot be read"),
    "RETINUE_MCP_PROGRAMS_FILE": ("{file}", "MCP programs: The file of MCP programs {file} is invalid"),
    "RETINUE_LOCAL_MODEL": ("/nope.gguf", "model: The file /nope.gguf does not exist."),
}


def test_files_that_settings_name_are_loaded(new_server: NewServer, tmp_path: Path) -> None:
    file, missing = tmp_path / "file", tmp_path / "missing"
    file.write_text("[")
    env = {name: value.format(file=file, missing=missing) for name, (value, _) in NAMED.items()}
    printed = new_server("sqlite", **{**env, "RETINUE_MODEL_URL": ""}).cli("doctor", status=1)
    for _, message in NAMED.values():
        assert f"MEND  {message.format(file=file, missing=missing)}" in printed


UNUSABLE_TRUNKS = pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is not valid TOML"),
        ("phones = 1", "is invalid at: phones, which must be a table."),
        (TRUNK + 'transport = "carrier pigeon"', "is invalid at: britain.transport."),
        (TRUNK + 'password_env = "NO_SUCH"', "The password of the trunk britain is in NO_SUCH, which is not set."),
    ],
)


@UNUSABLE_TRUNKS
def test_trunks_that_cannot_be_used_are_named(new_server: NewServer, tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "trunks.toml"
    file.write_text(text)
    server = new_server("sqlite", RETINUE_SIP_TRUNKS_FILE=str(file))
    (line,) = [line for line in server.cli("doctor", status=1).splitlines() if "runks:" in line]
    assert line.startswith("MEND  ")
    assert message in line


@UNUSABLE_TRUNKS
def test_the_trial_of_voice_names_trunks_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, message: str
) -> None:
    file = tmp_path / "trunks.toml"
    file.write_text(text)
    monkeypatch.setenv("RETINUE_HOME", str(tmp_path))
    monkeypatch.setenv("RETINUE_SIP_TRUNKS_FILE", str(file))
    monkeypatch.setattr(log, "configure", lambda level: None)
    monkeypatch.setattr(VoiceEnvironment, "ready", True)
    monkeypatch.setattr(doctor_voice, "_call_all", calls_that_work)
    with pytest.raises(typer.Exit) as left:
        doctor_voice.check_voice()
    assert left.value.exit_code == 1
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "runks:" in line]
    assert line.startswith("MEND  ")
    assert message in line


async def calls_that_work(*_: object) -> bool:
    """Stand in for a call with each engine, which takes seconds and depends on no trunk."""
    return True
