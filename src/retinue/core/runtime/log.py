"""Structured logs on standard error: one JSON object per line, with the id of the request and without credentials."""

import logging
import sys
from contextlib import suppress
from contextvars import ContextVar

import orjson
import structlog
from structlog.typing import EventDict, Processor

from retinue.core.runtime.clock import now, to_text
from retinue.core.runtime.redaction import hide_secrets, hide_secrets_in

request_id: ContextVar[str] = ContextVar("request_id")
"""The id of the current request; set by the gate."""

started_runs: ContextVar[list[int]] = ContextVar("started_runs")
"""The ids of the runs that the current request has started, the first one first; set by the gate."""

client_address: ContextVar[str] = ContextVar("client_address")
"""The client address of the current request, resolved through trusted proxies; set by the gate."""


class _State:
    """What `configure` decided."""

    writes_requests = True


_state = _State()


class _Logger(structlog.BytesLogger):
    """Writes to standard error. A line that cannot be written is dropped, so that the work it describes continues."""

    def msg(self, message: bytes) -> None:
        """Write a line. A full disk under the log is no error of its caller."""
        with suppress(OSError):
            super().msg(hide_secrets_in(message))

    log = debug = info = warn = warning = msg
    fatal = failure = err = error = critical = exception = msg


class _Formatter(logging.Formatter):
    """Formats what libraries log, without credentials."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of a record."""
        return hide_secrets(super().format(record))


def configure(level: str, *, for_people: bool = False) -> None:
    """Configure logging for the process. `level` is debug, info, warning or error.

    Lines are JSON. `for_people` writes coloured text instead, and requests only at the level debug.
    """
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    _state.writes_requests = not for_people or number <= logging.DEBUG
    structlog.configure(
        processors=[
            _add_request,
            structlog.processors.add_log_level,
            *(_as_text() if for_people else _as_json()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: _Logger(sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter(logging.BASIC_FORMAT))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


def _as_json() -> list[Processor]:
    return [
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        structlog.processors.JSONRenderer(serializer=_dump),
    ]


def _as_text() -> list[Processor]:
    return [
        structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
        # Values are escaped, because a client's text must not control the terminal.
        structlog.dev.ConsoleRenderer(
            pad_event_to=0, repr_native_str=True, exception_formatter=structlog.dev.plain_traceback
        ),
        lambda _logger, _method, line: str(line).encode(),
    ]


def is_written(level: str) -> bool:
    """Return True if messages of this level are logged."""
    return bool(structlog.get_logger().is_enabled_for(logging.getLevelNamesMapping()[level.upper()]))


def access(**fields: object) -> None:
    """Log a finished request. This runs for every request, so it bypasses structlog for speed."""
    if not _state.writes_requests:
        return
    line = {**fields, "event": "request", "level": "info", "timestamp": to_text(now())}
    with suppress(OSError):
        encoded = orjson.dumps(line, default=repr, option=orjson.OPT_APPEND_NEWLINE)
        sys.stderr.buffer.write(hide_secrets_in(encoded))
        sys.stderr.buffer.flush()


def _add_request(_logger: object, _method: str, event: EventDict) -> EventDict:
    if known := request_id.get(None):
        event["request_id"] = known
    return event


def _dump(event: object, **options: object) -> bytes:
    return orjson.dumps(event, default=repr)
