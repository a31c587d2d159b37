"""Structured logs: one JSON object a line on standard error, each with the id of its request."""

import logging
import sys
from typing import Any

import orjson
import structlog


def configure(level: str) -> None:
    """Set up logging for the process. `level` is debug, info, warning or error."""
    number = logging.getLevelNamesMapping().get(level.upper(), logging.INFO)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_dump),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.BytesLoggerFactory(file=sys.stderr.buffer),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)


def _dump(event: Any, **options: Any) -> bytes:
    return orjson.dumps(event, default=repr)
