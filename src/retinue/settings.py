"""The configuration: environment variables and a file, all optional. The defaults run one process on SQLite."""

import os
import re
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import entry_points
from importlib.util import find_spec
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, DirectoryPath, Field, FilePath, SecretStr, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from retinue.core.network.server_urls import (
    BucketUrl,
    LiveKitUrl,
    MirrorUrl,
    PublicUrl,
    RedisUrl,
    Sender,
    SmtpUrl,
    WebUrl,
)
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.whole_numbers import parse_whole_number
from retinue.models.assistant import ASSISTANTS
from retinue.models.known_weights import WEIGHTS
from retinue.providers.kinds import Kind
from retinue.voice.livekit.options import LiveKitOptions
from retinue.voice.options import AudioServer, VoiceOptions

Network = IPv4Network | IPv6Network
Networks = Annotated[tuple[Network, ...], NoDecode]
_CORES = os.cpu_count() or 1
_HOST_NAME = re.compile(r"\*|(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")
Delays = Annotated[tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...], NoDecode, Field(min_length=1)]
_HOME = Path("~/.retinue")
_NOT_IN_FILE = ("home", "config")
"""They say where the file is."""
_EXTRAS = {
    "database_url": ("postgres", "asyncpg"),
    "redis_url": ("redis", "redis"),
    "files_url": ("s3", "obstore"),
    "livekit_url": ("livekit", "livekit"),
}
"""The settings that need an optional library, each with its extra and the module."""


class SettingsFileInvalid(Exception):
    """The settings file cannot be used. The message says why."""


class Settings(BaseSettings):
    """Settings, read once at startup. Their names are part of the operating interface and do not change.

    An environment variable takes precedence over the file. Raises `SettingsFileInvalid`.
    """

    model_config = SettingsConfigDict(env_prefix="RETINUE_", env_ignore_empty=True, extra="ignore", frozen=True)

    home: Path = Field(_HOME, description="Data folder.")
    config: Path | None = Field(
        None, description="TOML file with settings. Defaults to retinue.toml in the data folder, if it exists."
    )
    host: str = Field("127.0.0.1", validation_alias=AliasChoices("HOST"), description="Address to listen on.")
    port: int = Field(
        8000,
        ge=0,
        le=65535,
        validation_alias=AliasChoices("PORT"),
        description="Port to listen on. 0 picks a free port.",
    )
    database_url: SecretStr | None = Field(
        None, description="URL of a PostgreSQL database, postgresql://…, which replaces the embedded SQLite."
    )
    redis_url: RedisUrl | None = Field(
        None, description="URL of a Redis server, redis://…, through which nodes share rate limits."
    )
    model_url: WebUrl | None = Field(
        None,
        description="URL of a provider of models, which then serves alfred-default: the shared provider `default`.",
    )
    model_kind: Kind = Field("openai", description="Protocol of that endpoint.")
    model_key: SecretStr | None = Field(None, description="API key of that endpoint.")
    model_name: str | None = Field(None, description="Name of the model at that endpoint.")
    model_tools: Literal["native", "routed"] = Field("native", description="How tools are offered to that model.")
    model_context: int | None = Field(
        None,
        ge=1024,
        description="Context window of that model, in tokens. Defaults to that of a known model, else to 32,768.",
    )
    tool_tokens: int = Field(
        1000,
        ge=0,
        description="Maximum number of prompt tokens, of four characters each, for tools that the caller did not name.",
    )
    model_concurrency: int = Field(200, ge=1, description="Maximum number of concurrent requests to a provider.")
    local_model: str = Field(
        "auto",
        description="Local model: auto, off, a name from `retinue models list` such as 0.5b, the path of a GGUF file, "
        "or owner/repo:file.gguf on the hub.",
    )
    weights_dir: Path | None = Field(None, description="Folder for weights. Defaults to models in the data folder.")
    weights_hub: MirrorUrl | None = Field(
        None,
        description="Address of a mirror of the public hub, which serves the same paths. Defaults to the hub.",
    )
    allowed_networks: Networks = Field(
        (), description="Private networks, as CIDRs, that outgoing connections may reach."
    )
    trusted_proxies: Networks = Field((), description="CIDRs of proxies whose X-Forwarded-For header is trusted.")
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Names in the Host header that are answered, such as agents.example.com,*.example.org, beside IP "
        "addresses, names without a dot and the host of the public URL. * allows all. By default, a server that "
        "listens on a loopback address answers for no others, and any other server answers for all.",
    )
    rate_limits: Literal["on", "off"] = Field(
        "on", description="With off, requests are counted and reported, but never rejected."
    )
    sip: str | None = Field(None, description="host:port for the SIP endpoint. Calls are disabled if it is unset.")
    sip_destinations: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Patterns of SIP URIs and number prefixes that may be called, such as sip:*@example.com,+44*.",
    )
    sip_trunks_file: Path | None = Field(None, description="TOML file with SIP trunks.")
    sip_ca_file: FilePath | None = Field(
        None, description="PEM file with certificate authorities that SIP over TLS trusts in addition to the system's."
    )
    speech_url: WebUrl | None = Field(
        None, description="URL of an OpenAI-compatible speech server for the voice engine openai."
    )
    speech_key: SecretStr | None = Field(None, description="API key of that server.")
    speech_model: str = Field("tts-1", min_length=1, description="Name of the speech model on that server.")
    speech_voice: str = Field("alloy", min_length=1, description="Name of the voice on that server.")
    transcription_url: WebUrl | None = Field(
        None, description="URL of an OpenAI-compatible transcription server, which replaces the bundled Whisper."
    )
    transcription_key: SecretStr | None = Field(None, description="API key of that server.")
    transcription_model: str = Field(
        "whisper-1", min_length=1, description="Name of the transcription model on that server."
    )
    whisper_model: DirectoryPath | None = Field(
        None, description="Folder of an English Whisper model for CTranslate2, which replaces the bundled one."
    )
    kokoro_voice: FilePath | None = Field(None, description="Voice file for the engine kokoro.")
    piper_voice: FilePath | None = Field(None, description="Voice for the engine piper, an .onnx file.")
    voice_libraries: Literal["auto", "off"] = Field(
        "auto", description="With off, the speech libraries are never installed: no calls, and no audio in local rooms."
    )
    ice_servers: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="STUN and TURN servers for browsers that join rooms, such as stun:stun.example.com:3478."
    )
    livekit_url: LiveKitUrl | None = Field(
        None,
        description="URL of a LiveKit server, wss://…, which then hosts rooms without an agent.",
    )
    livekit_api_key: str | None = Field(None, description="API key of that server.")
    livekit_api_secret: SecretStr | None = Field(None, description="API secret of that server.")
    livekit_client_url: WebUrl = Field(
        "https://meet.livekit.io/custom",
        description="Page for joining rooms on LiveKit. It must accept the parameters of LiveKit Meet.",
    )
    calls: int = Field(25, ge=1, le=500, description="Maximum number of concurrent calls of this process.")
    calls_per_key: int = Field(5, ge=1, description="Maximum number of concurrent calls per credential.")
    call_minutes_per_key: int | None = Field(
        None,
        ge=1,
        description="Maximum minutes of outgoing calls per credential within 24 hours. Defaults to the plan's limit.",
    )
    call_seconds: int = Field(3600, ge=1, le=86_400, description="Maximum duration of a call in seconds.")
    call_silence: float = Field(
        15.0,
        ge=1,
        allow_inf_nan=False,
        description="Seconds of silence on a call before the agent asks whether the caller is still there.",
    )
    ring_seconds: float = Field(45.0, ge=1, le=600, description="Seconds after which an unanswered call ends.")
    sign_up: Literal["closed", "open"] = Field("closed", description="With open, anyone can create a user.")
    oauth_registration: Literal["closed", "open"] = Field(
        "closed",
        description="With open, OAuth clients can register themselves (RFC 7591), or be described by a document at a "
        "URL.",
    )
    smtp_url: SmtpUrl | None = Field(
        None,
        description="SMTP server for password resets and confirmed sign-ups: smtp://user:password@host:587 or smtps://….",
    )
    mail_from: Sender = Field("retinue@localhost", description="Sender address of these mails.")
    plans_file: Path | None = Field(None, description="TOML file that replaces the built-in plans.")
    public_url: PublicUrl | None = Field(None, description="Public URL of this server, at the root of a host.")
    files_dir: Path | None = Field(
        None,
        description="Folder for uploads. Defaults to files in the data folder. Nodes with the same database must "
        "share it.",
    )
    files_url: BucketUrl | None = Field(
        None,
        description="Bucket for uploads, instead of a folder: s3://bucket or s3://bucket/prefix. Credentials, region "
        "and endpoint come from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL.",
    )
    max_file_mb: int = Field(100, ge=1, le=1 << 20, description="Maximum size of an upload in MiB.")
    body_timeout: float = Field(
        30.0, gt=0, allow_inf_nan=False, description="Timeout in seconds for receiving a request body."
    )
    send_timeout: float = Field(
        60.0,
        gt=0,
        le=3600,
        description="Seconds after which a connection is closed whose client does not read a response.",
    )
    shutdown_timeout: float = Field(
        5.0,
        gt=0,
        le=3600,
        description="Seconds that a shutdown waits for requests in progress, and again for the server's parts.",
    )
    sandbox: Literal["require", "best-effort"] = Field(
        "best-effort", description="Whether tools and calls run if the kernel cannot fully confine their processes."
    )
    tool_workers: int = Field(
        min(_CORES + 1, 32),
        ge=1,
        le=64,
        description="Number of worker processes for computing tools. Defaults to the number of cores + 1.",
    )
    network_tool_workers: int = Field(
        min(max(4 * _CORES, 8), 64),
        ge=1,
        le=256,
        description="Number of worker processes for tools that reach other hosts. Defaults to 4 per core, at least 8.",
    )
    tool_time_factor: float = Field(
        1.0,
        ge=1,
        le=100,
        description="Factor by which tools may take longer than their time limits on a busy machine. Their processor "
        "time is not lengthened.",
    )
    programs: int = Field(
        2,
        ge=0,
        le=64,
        description="Maximum number of callers' programs that run concurrently in bubblewrap. 0 disables them.",
    )
    mcp_programs_file: Path | None = Field(
        None, description="TOML file with the MCP servers that may be started as programs."
    )
    master_key: SecretStr | None = Field(
        None, description="32 bytes in Base64, which replace master.key in the data folder. Nodes must share it."
    )
    webhook_schedule: Delays = Field(
        (0.0, 5.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0, 36_000.0),
        description="Delays in seconds before the attempts to deliver a webhook.",
    )
    history_days: int = Field(
        30, ge=1, le=36_500, description="Number of days to keep events, webhook deliveries and past approvals."
    )
    runs_days: int | None = Field(
        None,
        ge=1,
        le=36_500,
        description="Number of days to keep ended runs, conversations without new messages, ended deployments, calls "
        "and rooms. By default, they are kept until they are deleted.",
    )
    audit_days: int = Field(365, ge=1, le=36_500, description="Number of days to keep audit log entries.")
    request_log_days: int = Field(7, ge=1, le=36_500, description="Number of days to keep logged API requests.")
    request_log_rows: int = Field(
        10_000, ge=0, description="Maximum number of logged requests per account. 0 disables the log."
    )
    deletion_grace: float = Field(
        600.0,
        ge=0,
        allow_inf_nan=False,
        description="Seconds after the deletion of a user until late writes by requests in progress are removed too.",
    )
    run_concurrency: int = Field(32, ge=1, description="Maximum number of concurrent background runs of this process.")
    run_concurrency_per_user: int | None = Field(
        None, ge=1, description="Maximum number of these per user. Defaults to three quarters."
    )
    run_depth: int = Field(
        3, ge=0, description="Maximum nesting depth of runs that start other runs, not counting the first."
    )
    run_descendants: int = Field(50, ge=0, description="Maximum number of runs that descend from one run.")
    stall_limit: float = Field(
        60.0,
        ge=0,
        allow_inf_nan=False,
        description="Seconds after which an unresponsive server ends itself. 0 disables this.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Log level.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Add the settings file after the environment."""
        values = _read_file({**env_settings(), **init_settings()}, cls)
        return init_settings, env_settings, InitSettingsSource(settings_cls, values)

    @field_validator(
        "allowed_networks",
        "allowed_hosts",
        "trusted_proxies",
        "webhook_schedule",
        "sip_destinations",
        "ice_servers",
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator(
        *("home", "config", "weights_dir", "files_dir", "plans_file", "mcp_programs_file"),
        *("sip_trunks_file", "sip_ca_file", "whisper_model", "kokoro_voice", "piper_voice"),
        mode="before",
    )
    @classmethod
    def _absolute(cls, value: object) -> object:
        """Expand `~`, as a shell would not in an environment file, before the check that the path exists."""
        try:
            return Path(value).expanduser().absolute() if isinstance(value, str | Path) else value
        except RuntimeError as error:
            raise ValueError(f"{value}: {error}") from error

    @field_validator("database_url")
    @classmethod
    def _postgres_only(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("must begin with postgresql:// (leave it out for the embedded SQLite)")
        return value

    @field_validator("local_model")
    @classmethod
    def _known_model(cls, value: str) -> str:
        if value not in ("auto", "off", *WEIGHTS) and not value.endswith(".gguf"):
            raise ValueError("must be auto, off, a name from `retinue models list`, or a GGUF file, *.gguf")
        return value

    @field_validator("allowed_hosts")
    @classmethod
    def _names_of_hosts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if wrong := [name for name in value if not _HOST_NAME.fullmatch(name)]:
            raise ValueError(f"{wrong[0]!r} is not a host name, such as agents.example.com or *.example.com")
        return value

    @field_validator("sip")
    @classmethod
    def _host_and_port(cls, value: str | None) -> str | None:
        if value is None:
            return None
        host, _, port = value.rpartition(":")
        try:
            ip_address(host.strip("[]"))
        except ValueError:
            port = ""
        if not parse_whole_number(port, 65_535):
            raise ValueError("must be an address and a port, such as 0.0.0.0:5060")
        return value

    @model_validator(mode="after")
    def _extras_installed(self) -> Self:
        for name, (extra, module) in _EXTRAS.items():
            if getattr(self, name) and find_spec(module) is None:
                raise ValueError(f"RETINUE_{name.upper()} needs a library: pip install 'retinue[{extra}]'")
        return self

    @model_validator(mode="after")
    def _routed_tools(self) -> Self:
        if self.model_tools == "routed" and self.model_kind != "openai":
            raise ValueError("RETINUE_MODEL_TOOLS=routed needs RETINUE_MODEL_KIND=openai")
        if self.model_tools == "routed" and not entry_points(group=ASSISTANTS):
            raise ValueError("RETINUE_MODEL_TOOLS=routed needs a package: pip install retinue-assistant")
        return self

    @model_validator(mode="after")
    def _one_place_for_files(self) -> Self:
        if self.files_url and self.files_dir:
            raise ValueError("RETINUE_FILES_URL and RETINUE_FILES_DIR exclude each other: set one of them")
        return self

    @model_validator(mode="after")
    def _livekit_whole(self) -> Self:
        if self.livekit_url and self.livekit is None:
            raise ValueError("RETINUE_LIVEKIT_URL needs RETINUE_LIVEKIT_API_KEY and RETINUE_LIVEKIT_API_SECRET")
        return self

    @model_validator(mode="after")
    def _libraries_for_calls(self) -> Self:
        if self.sip and self.voice_libraries == "off":
            raise ValueError("RETINUE_SIP needs the speech libraries: leave out RETINUE_VOICE_LIBRARIES=off")
        return self

    @property
    def voice(self) -> VoiceOptions:
        """Return the settings for calls."""
        return VoiceOptions(
            sip=self.sip,
            destinations=self.sip_destinations,
            trunks_file=self.sip_trunks_file,
            ca_file=self.sip_ca_file,
            speech_server=_audio_server(self.speech_url, self.speech_key, self.speech_model, self.speech_voice),
            transcription_server=_audio_server(
                self.transcription_url, self.transcription_key, self.transcription_model
            ),
            models={name: getattr(self, name) for name in ("whisper_model", "kokoro_voice", "piper_voice")},
            libraries=self.voice_libraries == "auto",
            confined=self.sandbox == "require",
            calls=self.calls,
            calls_per_key=self.calls_per_key,
            minutes_per_key=self.call_minutes_per_key,
            ring_s=self.ring_seconds,
            silence_s=self.call_silence,
            longest_s=self.call_seconds,
        )

    @property
    def livekit(self) -> LiveKitOptions | None:
        """Return the settings of the LiveKit server, or None without one."""
        if self.livekit_url is None or self.livekit_api_key is None or self.livekit_api_secret is None:
            return None
        secret = self.livekit_api_secret.get_secret_value()
        return LiveKitOptions(self.livekit_url, self.livekit_api_key, secret, self.livekit_client_url)

    @property
    def postgres(self) -> str | None:
        """Return the URL of PostgreSQL, or None for the embedded database."""
        return self.database_url.get_secret_value() if self.database_url else None


def variable_of(name: str) -> str:
    """Return the environment variable of a setting."""
    return name.upper() if Settings.model_fields[name].validation_alias else f"RETINUE_{name.upper()}"


def _audio_server(url: str | None, key: SecretStr | None, model: str, voice: str = "") -> AudioServer | None:
    return AudioServer(url, key.get_secret_value() if key else "", model, voice) if url else None


def _read_file(known: Mapping[str, object], settings: type[Settings]) -> dict[str, object]:
    """Return the settings of the file, without those that only the environment can set.

    `known` has the settings of the environment, with the place of the file.
    """
    path = _file_path(known)
    if path is None:
        return {}
    try:
        values = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise SettingsFileInvalid(f"{path}: {error}") from error
    for name in values:
        if name in _NOT_IN_FILE:
            raise SettingsFileInvalid(
                f"{path}: only RETINUE_{name.upper()} sets {name}, which says where this file is."
            )
        if name not in settings.model_fields:
            near = get_close_matches(name.lower().removeprefix("retinue_"), settings.model_fields, 1, 0)
            raise SettingsFileInvalid(f"{path}: there is no setting {name}. Did you mean {near[0]}?")
    return values


def _file_path(known: Mapping[str, object]) -> Path | None:
    """Return the file that RETINUE_CONFIG names, else the one in the data folder if it exists."""
    config_path = known.get("config")
    try:
        path = Path(str(config_path)) if config_path else DataDir(Path(str(known.get("home", _HOME)))).settings_file
        path = path.expanduser().absolute()
    except RuntimeError:  # An unknown user's home folder: the validation of the setting reports it.
        return None
    return path if config_path or path.is_file() else None
