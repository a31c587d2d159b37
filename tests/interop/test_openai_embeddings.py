"""OpenAI's official client gets embeddings at /v1/embeddings, of the model that collections use."""

from __future__ import annotations

from base64 import b64decode
from struct import unpack
from typing import TYPE_CHECKING, Any

import pytest

from tests.interop.test_openai import official
from tests.support.client import Client, data
from tests.support.lazy_imports import import_lazily

if TYPE_CHECKING:
    import openai
else:
    openai = import_lazily("openai")

MODEL = "alfred-embedding"


def embed(client: Client, given: Any, **options: Any) -> list[list[float]]:
    """Return the embeddings of texts."""
    answer = official(client).embeddings.create(model=MODEL, input=given, **options)
    assert answer.model == MODEL
    assert answer.usage.prompt_tokens == answer.usage.total_tokens > 0
    assert [one.index for one in answer.data] == list(range(len(answer.data)))
    return [one.embedding for one in answer.data]


def cosine(one: list[float], other: list[float]) -> float:
    """The cosine of two vectors of length 1."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_similar_texts_have_similar_embeddings(client: Client) -> None:
    dog, hound, tax = embed(client, ["The dog barks.", "A hound is barking.", "The tax is due in May."])
    assert len(dog) == 512
    assert cosine(dog, dog) == pytest.approx(1, abs=1e-3)
    assert cosine(dog, hound) > cosine(dog, tax) + 0.2
    assert embed(client, "The dog barks.", encoding_format="float", dimensions=512)[0] == pytest.approx(dog, abs=1e-3)
    raw: Any = official(client).embeddings.with_raw_response.create(
        model=MODEL, input="The dog barks.", encoding_format="base64"
    )
    sent = b64decode(raw.http_response.json()["data"][0]["embedding"])
    assert list(unpack("<512f", sent)) == pytest.approx(dog, abs=1e-3)


def test_the_whole_of_a_long_text_counts(client: Client) -> None:
    filling = "The weather was fair. " * 60
    plain, longer = embed(client, [filling, filling + "The court convicted the fraudster of tax evasion. " * 20])
    assert cosine(plain, longer) < 0.99


def test_the_model_is_listed_and_its_use_is_counted(client: Client) -> None:
    assert MODEL in [one.id for one in official(client).models.list()]
    assert official(client).models.retrieve(MODEL).id == MODEL
    embed(client, "word " * 100)
    (day,) = data(client.get("/usage/history"))
    assert (day["resource_type"], day["count"], day["errors"]) == ("chat", 1, 0)
    assert day["tokens"] > 100


def test_invalid_embedding_input_is_refused(client: Client) -> None:
    create = official(client).embeddings.create
    with pytest.raises(openai.NotFoundError, match="Use alfred-embedding"):
        create(model="text-embedding-3-small", input="Hello")
    for given, options, reason in (
        ("Hello", {"dimensions": 256}, "512 dimensions"),
        ([], {}, "1 to 2,048"),
        (["x"] * 2049, {}, "1 to 2,048"),
        ([1, 2, 3], {}, "instead of token numbers"),
        ([[1, 2], [3]], {}, "instead of token numbers"),
        (["Hello", ""], {}, "must not be empty"),
        ("x" * 100_001, {}, "100,000 characters"),
        ("Hello", {"extra_body": {"encoding_format": "int8"}}, "encoding_format"),
    ):
        with pytest.raises(openai.BadRequestError, match=reason):
            create(model=MODEL, input=given, **options)
