"""How the settings read paths from the environment."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from retinue.settings import Settings

PATHS = [name for name, field in Settings.model_fields.items() if "Path" in repr(field.annotation)]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's home folder, which is also the working folder, with a file and a folder."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("written", ["~/{}", "{}"])
@pytest.mark.parametrize("name", PATHS)
def test_a_path_is_absolute(name: str, written: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = "folder" if name in ("whisper_model", "weights_dir") else "file"
    monkeypatch.setenv(f"RETINUE_{name.upper()}", written.format(kind))
    assert getattr(Settings(), name) == home / kind


def test_the_home_of_an_unknown_user_is_an_invalid_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_WEIGHTS_DIR", "~nobody-has-this-name/models")
    with pytest.raises(ValidationError, match="home directory"):
        Settings()
