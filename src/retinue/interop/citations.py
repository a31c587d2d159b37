"""Writes the citations of a run in the fields that other protocols have for them."""

from collections.abc import Mapping, Sequence

from retinue.runs.execution.knowledge import find_references

Citation = Mapping[str, object]


def file_citations(text: str, citations: Sequence[Citation]) -> list[dict[str, object]]:
    """Return an annotation of OpenAI for each mark of a text, such as [1]. `index` is the place of the mark.

    `file_id` is the id of the document. The annotations also have all fields of the citation.
    """
    known = {one["number"]: one for one in citations}
    return [
        {
            **known[number],
            "type": "file_citation",
            "file_id": str(known[number]["document_id"]),
            "filename": known[number]["title"],
            "index": place,
        }
        for place, numbers in find_references(text)
        for number in numbers
        if number in known
    ]


def search_result_citations(citations: Sequence[Citation]) -> list[dict[str, object]]:
    """Return citations as those of Anthropic that refer to a block of a search result, with all of their fields."""
    return [
        {
            **one,
            "type": "search_result_location",
            "cited_text": one["quote"],
            "source": str(one["document_id"]),
            "search_result_index": place,
            "start_block_index": 0,
            "end_block_index": 1,
        }
        for place, one in enumerate(citations)
    ]
