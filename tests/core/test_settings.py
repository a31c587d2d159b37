"""How the settings are read from the environment and the file."""

import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from retinue.cli.configuration import SettingsInvalid, load_settings
from retinue.settings import Settings
from tests.conftest import NewServer

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


def write(folder: Path, text: str, name: str = "retinue.toml") -> Path:
    """Write a settings file."""
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder, which is empty."""
    monkeypatch.setenv("RETINUE_HOME", str(tmp_path))
    return tmp_path


def test_the_file_in_the_data_folder_has_settings_of_every_kind(data_folder: Path) -> None:
    write(
        data_folder,
        """
        port = 0
        host = "::1"
        database_url = "postgresql://db.example.com/retinue"
        allowed_networks = ["10.0.0.0/8", "192.168.0.0/16"]
        webhook_schedule = [0, 0.5]
        trusted_proxies = "10.0.0.1/32,10.0.0.2/32"
        sign_up = "open"
        weights_dir = "~/weights"
        """,
    )
    settings = Settings()
    assert (settings.host, settings.port, settings.sign_up) == ("::1", 0, "open")
    assert settings.postgres == "postgresql://db.example.com/retinue"
    assert [str(network) for network in settings.allowed_networks] == ["10.0.0.0/8", "192.168.0.0/16"]
    assert [str(network) for network in settings.trusted_proxies] == ["10.0.0.1/32", "10.0.0.2/32"]
    assert list(settings.webhook_schedule) == [0, 0.5]
    assert settings.weights_dir == Path.home() / "weights"
    assert settings.audit_days == Settings.model_fields["audit_days"].default


def test_a_variable_overrides_the_file_unless_it_is_empty(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(data_folder, 'port = 1\nsign_up = "open"\nallowed_networks = ["10.0.0.0/8", "192.168.0.0/16"]')
    monkeypatch.setenv("PORT", "2")
    monkeypatch.setenv("RETINUE_ALLOWED_NETWORKS", "172.16.0.0/12")
    monkeypatch.setenv("RETINUE_SIGN_UP", "")
    settings = Settings()
    assert (settings.port, settings.sign_up) == (2, "open")
    assert [str(network) for network in settings.allowed_networks] == ["172.16.0.0/12"]


def test_the_named_file_replaces_the_one_in_the_data_folder(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(data_folder, "port = 1\naudit_days = 7")
    monkeypatch.setenv("RETINUE_CONFIG", str(write(data_folder, "port = 2", "other.toml")))
    settings = Settings()
    assert (settings.port, settings.audit_days) == (2, 365)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("databse_url = 'x'", "there is no setting databse_url. Did you mean database_url?"),
        ("RETINUE_MODEL_KEY = 'x'", "there is no setting RETINUE_MODEL_KEY. Did you mean model_key?"),
        ("[server]\nport = 1", "there is no setting server. Did you mean "),
        ("home = '/srv'", "only RETINUE_HOME sets home"),
        ("config = 'x.toml'", "only RETINUE_CONFIG sets config"),
        ("port = ", "Invalid value"),
        ("port = 1\nport = 2", "Cannot overwrite a value"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(data_folder: Path, text: str, message: str) -> None:
    path = write(data_folder, text)
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    assert refused.value.message.startswith(f"{path}: {message}")


def test_a_named_file_must_exist(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RETINUE_CONFIG", str(data_folder / "missing.toml"))
    with pytest.raises(SettingsInvalid, match="No such file"):
        load_settings()


def test_an_invalid_value_in_the_file_is_named_like_its_variable(data_folder: Path) -> None:
    write(data_folder, "audit_days = 0\nport = 'http'")
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    lines = refused.value.message.splitlines()
    assert sorted(line.partition(":")[0] for line in lines) == ["PORT", "RETINUE_AUDIT_DAYS"]


CONFLICTS = {
    "RETINUE_MODEL_TOOLS=routed needs": 'model_tools = "routed"\nmodel_kind = "anthropic"',
    "RETINUE_FILES_URL and RETINUE_FILES_DIR exclude": 'files_url = "s3://uploads"\nfiles_dir = "/srv/files"',
    "RETINUE_LIVEKIT_URL needs RETINUE_LIVEKIT_API_KEY": 'livekit_url = "wss://livekit.example.com"',
    "RETINUE_SIP needs the speech libraries": 'sip = "0.0.0.0:5060"\nvoice_libraries = "off"',
}


@pytest.mark.parametrize("message", CONFLICTS)
def test_settings_that_conflict_are_refused_in_one_line(data_folder: Path, message: str) -> None:
    write(data_folder, CONFLICTS[message])
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    assert refused.value.message.startswith(message)
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    ("line", "extra", "module"),
    [
        ('database_url = "postgresql://db.example.com/retinue"', "postgres", "asyncpg"),
        ('redis_url = "redis://cache.example.com"', "redis", "redis"),
        ('files_url = "s3://uploads"', "s3", "obstore"),
        (
            'livekit_url = "wss://livekit.example.com"\nlivekit_api_key = "a"\nlivekit_api_secret = "b"',
            *("livekit", "livekit"),
        ),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch, line: str, extra: str, module: str
) -> None:
    write(data_folder, line)
    load_settings()
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    name = line.partition(" ")[0].upper()
    assert refused.value.message == f"RETINUE_{name} needs a library: pip install 'retinue[{extra}]'"


WRONG = [
    ("RETINUE_MODEL_URL", "foo", "must be a URL such as https://example.com/v1"),
    ("RETINUE_MODEL_URL", "file:///etc", "must be a URL such as https://example.com/v1"),
    ("RETINUE_SPEECH_URL", "x", "must be a URL such as https://example.com/v1"),
    ("RETINUE_TRANSCRIPTION_URL", "https://h:99999", "must be a URL such as https://example.com/v1"),
    ("RETINUE_LIVEKIT_CLIENT_URL", "javascript:alert(1)", "must be a URL such as https://example.com/v1"),
    ("RETINUE_LIVEKIT_URL", "livekit.example.com", "must be a URL such as wss://livekit.example.com"),
    ("RETINUE_WEIGHTS_HUB", "https://hub.example.com/", "must be a URL such as https://hub.example.com"),
    ("RETINUE_FILES_URL", "bucket", "must be s3://bucket or s3://bucket/prefix"),
    ("RETINUE_REDIS_URL", "http://cache.example.com", "must be a URL such as redis://host:6379/0"),
    ("RETINUE_REDIS_URL", "redis://cache.example.com:abc", "must be a URL such as redis://host:6379/0"),
    ("RETINUE_REDIS_URL", "redis://cache.example.com/main", "must be a URL such as redis://host:6379/0"),
    ("RETINUE_SMTP_URL", "smtp://u:p@h:abc", "must be a URL such as smtp://user:password@host:587"),
    ("RETINUE_SMTP_URL", "smtp://", "must be a URL such as smtp://user:password@host:587"),
    ("RETINUE_MAIL_FROM", "foo", "must be a mail address such as retinue@example.com"),
    ("RETINUE_PUBLIC_URL", "https://example.com/agents", "must be an address such as https://agents.example.com"),
    ("RETINUE_LOCAL_MODEL", "large", "must be auto, off, a name from `retinue models list`"),
    ("RETINUE_ALLOWED_NETWORKS", "10.0.0.1/8,x", "must be networks such as 10.0.0.0/8"),
    ("RETINUE_WEBHOOK_SCHEDULE", "soon,later", "must be a number"),
    ("RETINUE_SIP_CA_FILE", "/nope", "there is no file with this path"),
    ("RETINUE_TOOL_WORKERS", "65", "must be less than or equal to 64"),
    ("RETINUE_LOG_LEVEL", "loud", "must be 'debug', 'info', 'warning' or 'error'"),
    ("PORT", "http", "must be a whole number"),
]


@pytest.mark.parametrize(("variable", "value", "message"), WRONG)
def test_a_wrong_value_is_refused_in_one_line(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, message: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(SettingsInvalid) as refused:
        load_settings()
    assert refused.value.message.startswith(f"{variable}: {message}")
    assert "\n" not in refused.value.message


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("RETINUE_MODEL_URL", "http://user:secret@127.0.0.1:8080/v1"),
        ("RETINUE_REDIS_URL", "rediss://:secret@cache.example.com:6379/0?ssl_cert_reqs=none"),
        ("RETINUE_REDIS_URL", "unix:///run/redis.sock"),
        ("RETINUE_SMTP_URL", "smtps://user:p%40ss@[::1]:465/"),
        ("RETINUE_MAIL_FROM", "Retinue <retinue@example.com>"),
        ("RETINUE_LOCAL_MODEL", "owner/repo:file.gguf"),
    ],
)
def test_a_right_value_is_accepted(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    found = getattr(load_settings(), variable.removeprefix("RETINUE_").lower())
    assert getattr(found, "get_secret_value", lambda: found)() == value


def test_users_and_passwords_in_addresses_are_not_printed(new_server: NewServer) -> None:
    names = ("MODEL_URL", "SPEECH_URL", "TRANSCRIPTION_URL", "WEIGHTS_HUB", "LIVEKIT_CLIENT_URL")
    address = "https://ada:hunter1@p@models.example.com/v1"
    secret = {"RETINUE_REDIS_URL": "redis://:hunter1@h", "RETINUE_SMTP_URL": "smtp://ada:hunter1@h"}
    server = new_server("sqlite", **secret, **{f"RETINUE_{name}": address for name in names})
    server.env["RETINUE_SIP_DESTINATIONS"] = "sip:*@example.com"
    printed = server.cli("settings")
    assert "hunter1" not in printed
    assert "ada" not in printed
    assert printed.count("=https://********@models.example.com/v1\t") == len(names)
    assert "=sip:*@example.com\t" in printed
    assert "https://********@models.example.com/v1" in server.cli("doctor")


def test_a_wrong_option_in_the_address_of_redis_stops_the_start_in_one_line(new_server: NewServer) -> None:
    server = new_server("sqlite", RETINUE_REDIS_URL="redis://:hunter1@127.0.0.1:1?socket_timeout=soon")
    told = server.cli("serve", status=1)
    assert "retinue: RETINUE_REDIS_URL: Invalid value for 'socket_timeout'" in told
    assert "Traceback" not in told
    assert "hunter1" not in told
