"""The configuration: environment variables, all optional. The defaults make one process on an embedded database."""

import os
from ipaddress import IPv4Network, IPv6Network, ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, DirectoryPath, Field, FilePath, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from retinue.core.fair_leases import fair_share
from retinue.voice.livekit.options import LiveKitOptions
from retinue.voice.options import AudioServer, VoiceOptions

Network = IPv4Network | IPv6Network
Networks = Annotated[tuple[Network, ...], NoDecode]
_CORES = os.cpu_count() or 1
Delays = Annotated[tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...], NoDecode, Field(min_length=1)]


class Settings(BaseSettings):
    """Read once at start; the names are part of the operating surface and stay."""

    model_config = SettingsConfigDict(env_prefix="RETINUE_", env_ignore_empty=True, extra="ignore", frozen=True)

    home: Path = Field(Path("~/.retinue"), description="The data folder.")
    host: str = Field("127.0.0.1", validation_alias=AliasChoices("HOST"), description="The address to listen on.")
    port: int = Field(
        8000, ge=0, le=65535, validation_alias=AliasChoices("PORT"), description="The port; 0 picks a free one."
    )
    database_url: SecretStr | None = Field(None, description="postgresql://… instead of the embedded SQLite.")
    redis_url: SecretStr | None = Field(None, description="redis://… to share rate limits between nodes.")
    model_url: str | None = Field(None, description="An OpenAI-compatible endpoint that alfred-default then means.")
    model_key: SecretStr | None = Field(None, description="The key of that endpoint.")
    model_name: str | None = Field(None, description="The model's name at that endpoint.")
    model_tools: Literal["native", "routed"] = Field("native", description="How that model is asked to use tools.")
    model_context: int = Field(32_768, ge=1024, description="That model's window in tokens.")
    tool_tokens: int = Field(
        2000, ge=0, description="Tokens of a prompt that tools may take which the caller did not name."
    )
    model_concurrency: int = Field(200, ge=1, description="Requests to that endpoint at once.")
    local_model: str = Field(
        "auto",
        pattern=r"^(auto|off|0\.5b|1\.5b|.+\.gguf)$",
        description="auto, 0.5b, 1.5b, off, the path of a GGUF file, or owner/repo:file.gguf of the hub.",
    )
    weights_dir: Path | None = Field(None, description="Where weights are kept; the data folder's models by default.")
    allowed_networks: Networks = Field((), description="CIDRs that outgoing connections may reach although private.")
    trusted_proxies: Networks = Field((), description="CIDRs of proxies whose X-Forwarded-For header is trusted.")
    rate_limits: Literal["on", "off"] = Field("on", description="off counts and tells, and refuses nothing.")
    sip: str | None = Field(
        None, description="host:port on which the SIP endpoint listens; unset, calls are switched off."
    )
    sip_destinations: Annotated[tuple[str, ...], NoDecode] = Field(
        (),
        description="Patterns of SIP URIs and prefixes of numbers that may be called, such as sip:*@example.com,+44*.",
    )
    sip_trunks_file: Path | None = Field(None, description="A TOML file of SIP trunks.")
    sip_ca_file: FilePath | None = Field(
        None, description="Authorities, in PEM, that SIP by TLS trusts besides those of the system."
    )
    speech_url: str | None = Field(None, description="An OpenAI-compatible speech server for the voice engine openai.")
    speech_key: SecretStr | None = Field(None, description="The key of that server.")
    speech_model: str = Field("tts-1", min_length=1, description="The model that is asked for there.")
    speech_voice: str = Field("alloy", min_length=1, description="The voice that is asked for there.")
    transcription_url: str | None = Field(
        None, description="An OpenAI-compatible server that transcribes what is said, in place of the included Whisper."
    )
    transcription_key: SecretStr | None = Field(None, description="The key of that server.")
    transcription_model: str = Field("whisper-1", min_length=1, description="The model that is asked for there.")
    whisper_model: DirectoryPath | None = Field(
        None, description="A folder with an English Whisper model for CTranslate2, in place of the included one."
    )
    kokoro_voice: FilePath | None = Field(None, description="A voice file for the engine kokoro.")
    piper_voice: FilePath | None = Field(None, description="An .onnx voice for the engine piper.")
    voice_libraries: Literal["auto", "off"] = Field(
        "auto", description="off never installs the speech libraries: no live calls, and no sound in rooms here."
    )
    ice_servers: Annotated[tuple[str, ...], NoDecode] = Field(
        (), description="STUN and TURN servers that browsers use to join rooms, such as stun:stun.example.com:3478."
    )
    livekit_url: str | None = Field(
        None,
        pattern=r"^(wss?|https?)://.",
        description="wss://… of a LiveKit server, at which rooms without an agent then are.",
    )
    livekit_api_key: str | None = Field(None, description="The key of that server's API.")
    livekit_api_secret: SecretStr | None = Field(None, description="The secret of that key.")
    livekit_client_url: str = Field(
        "https://meet.livekit.io/custom",
        description="The page in which people join rooms at LiveKit; it takes the parameters of LiveKit Meet.",
    )
    calls: int = Field(25, ge=1, le=500, description="Calls that this process holds at once.")
    calls_per_key: int = Field(5, ge=1, description="Calls that one credential has under way at once.")
    call_minutes_per_key: int | None = Field(
        None, ge=1, description="Minutes of calls that one credential may make in 24 hours; the plan's by default."
    )
    call_seconds: int = Field(3600, ge=1, le=86_400, description="The longest that a call lasts.")
    call_silence: float = Field(
        15.0, ge=1, allow_inf_nan=False, description="Seconds of silence on a call before the agent asks who is there."
    )
    ring_seconds: float = Field(45.0, ge=1, le=600, description="Seconds that a call rings before it is given up.")
    sign_up: Literal["closed", "open"] = Field("closed", description="open lets everyone make a user.")
    oauth_registration: Literal["closed", "open"] = Field(
        "closed", description="open lets OAuth clients register themselves (RFC 7591)."
    )
    smtp_url: SecretStr | None = Field(
        None, description="smtp://user:password@host:587 or smtps://…, to mail links that reset a password."
    )
    mail_from: str = Field("retinue@localhost", description="The sender of such mail.")
    plans_file: Path | None = Field(None, description="A TOML file in place of the built-in plans.")
    public_url: str | None = Field(None, description="The address under which clients reach this server.")
    files_dir: Path | None = Field(
        None, description="Where uploads are kept: the data folder's files by default; nodes of one database share it."
    )
    max_file_mb: int = Field(100, ge=1, le=1 << 20, description="How large an upload may be, in MiB.")
    body_timeout: float = Field(30.0, gt=0, allow_inf_nan=False, description="Seconds that a JSON body may take.")
    sandbox: Literal["require", "best-effort"] = Field(
        "best-effort", description="Whether tools and calls work where the kernel cannot confine their processes fully."
    )
    tool_workers: int = Field(
        min(_CORES + 1, 32), ge=1, le=64, description="Worker processes for tools that compute; cores + 1 by default."
    )
    network_tool_workers: int = Field(
        min(max(4 * _CORES, 8), 64),
        ge=1,
        le=256,
        description="Worker processes for tools that reach other hosts; 4 for each core by default, at least 8.",
    )
    programs: int = Field(
        2, ge=0, le=64, description="Programs of callers that run at once in bubblewrap; 0 runs none."
    )
    mcp_programs_file: Path | None = Field(
        None, description="A TOML file of the MCP servers that may be started as programs; none by default."
    )
    master_key: SecretStr | None = Field(
        None, description="32 bytes in base 64 in place of the data folder's master.key; nodes share it."
    )
    webhook_schedule: Delays = Field(
        (0.0, 5.0, 300.0, 1800.0, 7200.0, 18_000.0, 36_000.0, 36_000.0),
        description="Seconds before each attempt to deliver a webhook.",
    )
    history_days: int = Field(
        30, ge=1, le=36_500, description="Days that events, deliveries of webhooks and past approvals are kept."
    )
    audit_days: int = Field(365, ge=1, le=36_500, description="Days that entries of the audit log are kept.")
    request_log_days: int = Field(7, ge=1, le=36_500, description="Days that requests of the API are kept in the log.")
    request_log_rows: int = Field(
        10_000, ge=0, description="Requests that the log of an account holds; 0 switches it off."
    )
    deletion_grace: float = Field(
        600.0,
        ge=0,
        allow_inf_nan=False,
        description="Seconds after the deletion of a user until what requests under way wrote late is removed too.",
    )
    run_concurrency: int = Field(32, ge=1, description="Background runs that this process works on at once.")
    run_concurrency_per_user: int | None = Field(
        None, ge=1, description="How many of them may be one user's; three in four by default."
    )
    run_depth: int = Field(3, ge=0, description="How many runs may begin one another in a row after the first.")
    run_descendants: int = Field(50, ge=0, description="How many runs may come of one that agents begin more from.")
    stall_limit: float = Field(
        60.0, ge=0, allow_inf_nan=False, description="Seconds after which a server that stands still ends; 0 for never."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="How much is logged.")

    @field_validator(
        "allowed_networks", "trusted_proxies", "webhook_schedule", "sip_destinations", "ice_servers", mode="before"
    )
    @classmethod
    def _split(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _postgres_only(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("must begin with postgresql:// (leave it out for the embedded SQLite)")
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
        if not (port.isascii() and port.isdecimal() and 0 < int(port) < 65_536):
            raise ValueError("must be an address and a port, such as 0.0.0.0:5060")
        return value

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

    @field_validator("smtp_url")
    @classmethod
    def _smtp_only(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not value.get_secret_value().startswith(("smtp://", "smtps://")):
            raise ValueError("must begin with smtp:// or smtps://")
        return value

    @property
    def runs_per_user(self) -> int:
        """How many background runs of one user this process works on at once."""
        return self.run_concurrency_per_user or fair_share(self.run_concurrency)

    @property
    def voice(self) -> VoiceOptions:
        """What the operator chose for calls."""
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
        """The LiveKit server; None without one."""
        if self.livekit_url is None or self.livekit_api_key is None or self.livekit_api_secret is None:
            return None
        secret = self.livekit_api_secret.get_secret_value()
        return LiveKitOptions(self.livekit_url, self.livekit_api_key, secret, self.livekit_client_url)

    @property
    def postgres(self) -> str | None:
        """Where PostgreSQL is; None for the embedded database."""
        return self.database_url.get_secret_value() if self.database_url else None


def _audio_server(url: str | None, key: SecretStr | None, model: str, voice: str = "") -> AudioServer | None:
    return AudioServer(url, key.get_secret_value() if key else "", model, voice) if url else None
