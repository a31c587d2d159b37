"""`python -m training FOLDER`: train on all precedents with the weights in FOLDER, and write the files of the heads."""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, zip_longest
from pathlib import Path

import numpy as np

from retinue.models.encoder import Encoded
from retinue.models.heads import FILE as CLASSIFIER_FILE
from retinue.models.heads import Head, write_heads
from retinue.models.request_classification import NO_TOOL
from retinue.tools.authoring.example_requests import talk
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue import Catalogue
from retinue_assistant.heads.request_hints import FILE as HEADS_FILE
from training.descent import Array, unit_rows
from training.encodings import encodings
from training.passages import Passage, passages
from training.roles import NumberExample, descriptions, learn_roles, number_examples
from training.texts import learn_texts
from training.tools import learn_tools

Encode = Callable[[Sequence[str]], Iterable[Encoded]]


def main() -> None:
    """Train, and write the files of the server and of the assistant."""
    folder = Path(sys.argv[1]).expanduser()
    tools = [tool for tool in Catalogue.load() if tool.precedents and not tool.alias_of]
    heads = learn(tools, talk(), lambda texts: encodings(folder, folder, texts))
    write_heads({"tool_classifier": heads.pop("tool_classifier")}, CLASSIFIER_FILE)
    write_heads(heads, HEADS_FILE)


def learn(tools: Sequence[Tool], plain: Sequence[str], encode: Encode) -> dict[str, Head]:
    """Train the heads on the precedents of tools, the classifier also on their questions (`use_when`), and on requests
    that need no tool (`plain`).
    """
    requests_of = {tool.name: [*(request for request, _ in tool.precedents), *tool.use_when] for tool in tools}
    requests_of[NO_TOOL] = [*plain]
    described = {tool.name: [*descriptions(tool)] for tool in tools}
    precedents = chain.from_iterable(
        [*((tool, arguments) for _, arguments in tool.precedents), *(None for _ in tool.use_when)] for tool in tools
    )
    rows: list[Array] = []
    numbers: list[NumberExample] = []
    found: list[Passage] = []
    for one, precedent in zip_longest(encode([*chain(*requests_of.values(), *described.values())]), precedents):
        rows.append(np.array(one.embedding, np.float32))
        if precedent:
            tool, arguments = precedent
            numbers.extend(number_examples(tool.name, arguments, one))
            found.extend(passages(tool, arguments, one))
    embeddings, requests = np.array(rows), sum(map(len, requests_of.values()))
    names = {tool.name: [*tool.input_schema.get("properties", {})] for tool in tools}
    own = unit_rows(embeddings[requests:])
    return {
        "tool_classifier": learn_tools(embeddings[:requests], requests_of),
        "number_matcher": learn_roles(numbers, names, own),
        "span_extractor": learn_texts(found, names, own),
    }


if __name__ == "__main__":
    main()
