"""What requests to the local model's server add to Chat Completions."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import aiohttp
import pytest

from retinue.models.base import Message, ModelRequest, ToolOffer
from retinue.models.llama_process import LlamaModel
from retinue.models.providers.endpoint import LOCAL_ORIGIN, Endpoint, ModelLimits

LETTER = ModelRequest([Message("user", "Write a letter.")])


@pytest.mark.parametrize(
    ("changes", "penalized"),
    [
        ({}, True),
        ({"temperature": 0.0}, False),
        ({"temperature": None}, False),
        ({"tools": [ToolOffer("square", "Squares.", {"type": "object"})]}, False),
        ({"output_schema": {"type": "object"}}, False),
    ],
)
def test_only_free_text_is_kept_from_repeating_itself(changes: dict[str, Any], penalized: bool) -> None:
    session = Mock(aiohttp.ClientSession)
    model = LlamaModel(LOCAL_ORIGIN, "local", Endpoint("http://127.0.0.1:9/v1", ""), session, ModelLimits(4096))
    assert ("repeat_penalty" in model.draft(replace(LETTER, **changes), frozenset()).body) == penalized
