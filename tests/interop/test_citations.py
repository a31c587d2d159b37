"""Answers of agents with knowledge have their citations in the fields that official clients read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.interop import test_anthropic
from tests.interop.test_openai import ask, create_agent, official
from tests.interop.test_openai_responses import ask as respond
from tests.knowledge.support import HANDBOOK, add, new_collection
from tests.support.client import Client
from tests.support.model_server import Answer, ModelServer

TEXT = "Yes 🙂: 28 days [1]. Nothing else [7], but 28 days [1]."
QUESTION: Any = {"role": "user", "content": "How many days of paid leave do I get?"}
QUOTE = "Full-time staff have 28 days of paid leave a year."


@pytest.fixture
def document(client: Client) -> dict[str, Any]:
    """A document of a collection."""
    collection = new_collection(client)
    return {**add(client, collection, text=HANDBOOK), "collection_id": collection}


@pytest.fixture
def agent(client: Client, model: ModelServer, document: dict[str, Any]) -> str:
    """An agent that knows the document and cites it in its next reply, as a model."""
    model.answers.append(Answer(TEXT))
    return f"agent:{create_agent(client, knowledge=[document['collection_id']])}"


def check_annotations(annotations: list[Any], document: dict[str, Any]) -> None:
    """Check the annotations of a response: one for each mark that refers to a passage."""
    marks = [place for place in range(len(TEXT)) if TEXT.startswith("[1]", place)]
    assert [one["index"] for one in annotations] == marks
    for one in annotations:
        assert (one["type"], one["filename"], one["quote"]) == ("file_citation", "Staff handbook", QUOTE)
        assert (one["file_id"], one["document_id"]) == (str(document["id"]), document["id"])


def test_responses_have_annotations(client: Client, agent: str, document: dict[str, Any]) -> None:
    answer = respond(client, QUESTION["content"], model=agent)
    check_annotations(answer.model_dump(warnings=False)["output"][0]["content"][0]["annotations"], document)
    stored = official(client).responses.retrieve(answer.id)
    assert stored.model_dump(warnings=False)["output"] == answer.model_dump(warnings=False)["output"]


def test_streamed_responses_have_annotations(client: Client, agent: str, document: dict[str, Any]) -> None:
    events: list[Any] = list(official(client).responses.create(model=agent, input=QUESTION["content"], stream=True))
    for event in events:
        type(event).model_validate(event.model_dump(warnings=False), strict=False)
    added = [event for event in events if event.type == "response.output_text.annotation.added"]
    annotations = [event.model_dump(warnings=False)["annotation"] for event in added]
    assert [event.annotation_index for event in added] == [0, 1]
    check_annotations(annotations, document)
    part, ended = [event for event in events if event.type == "response.content_part.done"], events[-1].response
    assert part[0].part.model_dump(warnings=False)["annotations"] == annotations
    assert ended.output[0].content[0].model_dump(warnings=False)["annotations"] == annotations
    again: list[Any] = list(official(client).responses.retrieve(ended.id, stream=True))
    assert [
        event.model_dump(warnings=False)["annotation"] for event in again if "annotation" in event.type
    ] == annotations


def test_completions_have_citations(client: Client, agent: str, document: dict[str, Any]) -> None:
    message = ask(client, QUESTION, model=agent).choices[0].message
    (citation,) = message.model_dump()["citations"]
    assert (citation["number"], citation["document_id"], citation["quote"]) == (1, document["id"], QUOTE)


def test_streamed_completions_have_citations(client: Client, agent: str, document: dict[str, Any]) -> None:
    with official(client).chat.completions.stream(model=agent, messages=[QUESTION]) as stream:
        stream.until_done()
        message = stream.get_final_completion().choices[0].message
    assert message.content == TEXT
    (citation,) = message.model_dump(warnings=False)["citations"]
    assert (citation["number"], citation["document_id"], citation["quote"]) == (1, document["id"], QUOTE)


def check_message(message: Any, document: dict[str, Any]) -> None:
    """Check the citation of a message."""
    type(message).model_validate(message.model_dump(warnings=False), strict=False)
    (block,) = message.content
    (citation,) = block.citations
    assert (block.text, citation.type, citation.cited_text) == (TEXT, "search_result_location", QUOTE)
    assert (citation.source, citation.title) == (str(document["id"]), "Staff handbook")


def test_messages_have_citations(client: Client, agent: str, document: dict[str, Any]) -> None:
    check_message(test_anthropic.ask(client, QUESTION, model=agent), document)


def test_streamed_messages_have_citations(client: Client, agent: str, document: dict[str, Any]) -> None:
    sdk = test_anthropic.official(client)
    with sdk.messages.stream(model=agent, max_tokens=100, messages=[QUESTION]) as stream:
        check_message(stream.get_final_message(), document)


def test_a_model_without_knowledge_cites_nothing(client: Client, model: ModelServer) -> None:
    model.answers += [Answer(TEXT)] * 3
    (item,) = respond(client, "Hello").model_dump(warnings=False)["output"]
    assert item["content"][0]["annotations"] == []
    assert "citations" not in ask(client, QUESTION).choices[0].message.model_dump()
    (block,) = test_anthropic.ask(client, QUESTION).content
    assert (block.type, block.model_dump().get("citations")) == ("text", None)
