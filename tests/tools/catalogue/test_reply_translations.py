"""The sentences of the tools' results are translated, and their translations can be filled."""

from collections.abc import Iterator

import pytest

from retinue.language.reply_templates import PLACEHOLDER, fill_template
from retinue.language.translation import LANGUAGES, SOURCE
from retinue.tools.catalogue.build_catalogue import compiled_tools
from retinue.tools.catalogue.reply_translations import translate_replies
from scripts.reply_translations import extract_sentences, sentences_of

SOME = 12
"""How many faults a failure lists."""


def faults(sentence: str, translation: str) -> Iterator[str]:
    """Yield the ways in which a translation cannot be filled as its sentence can."""
    places = [*PLACEHOLDER.finditer(sentence)]
    translated = [*PLACEHOLDER.finditer(translation)]
    values, others = (sorted((one["path"], bool(one["one"])) for one in found) for found in (places, translated))
    if values != others:
        yield f"other values: {sentence} -> {translation}"
    if any(one["one"] and not one["many"] for one in translated):
        yield f"no plural: {translation}"
    if sentence.endswith("}") and sentence[: places[-1].start()].rstrip()[-1:] in ("", ":"):
        beginning = translation[: translated[-1].start()].rstrip() if translated else "."
        if (
            not translation.endswith("}")
            or beginning[-1:] not in ("", ":")
            or translated[-1]["path"] != places[-1]["path"]
        ):
            yield f"a block stands elsewhere: {sentence} -> {translation}"


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {SOURCE}))
def test_every_sentence_is_translated(language: str) -> None:
    catalogue, sentences = sentences_of(language), extract_sentences()
    known = {str(one.id): str(one.string) for one in catalogue if one.id}
    assert known.keys() == sentences.keys(), "run `make translations`"
    assert [sentence for sentence, text in known.items() if not text][:SOME] == []
    assert [fault for sentence, text in known.items() for fault in faults(sentence, text)][:SOME] == []


@pytest.mark.parametrize("language", sorted(LANGUAGES.keys() - {SOURCE}))
def test_a_result_that_has_a_sentence_has_one_in_each_language(language: str) -> None:
    for tool in compiled_tools():
        wording = translate_replies(tool.reply, language)
        for example in (one for one in tool.examples if "result" in one):
            english = fill_template(tool.reply, example["result"], example["args"])[1]
            other = fill_template(wording.templates, example["result"], example["args"], language=wording.language)[1]
            assert bool(english) == bool(other), (tool.name, example)


def test_a_tool_without_translations_keeps_its_words() -> None:
    assert translate_replies({"": "It is {made} up."}, "de") == ("en", {"": "It is {made} up."})
    assert translate_replies({"": "It is {made} up."}, "en") == ("en", {"": "It is {made} up."})
