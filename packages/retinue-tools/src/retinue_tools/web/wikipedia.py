"""Articles of Wikipedia and other MediaWikis."""

import re
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue.sdk.http import fetch
from retinue_tools.web._pages import parsed_html, text_of, tidy

Language = Annotated[str, About("Language of the Wikipedia", pattern=r"^[a-z][a-z-]{1,11}$", max_length=12)]
Wiki = Annotated[
    str | None,
    About("Another MediaWiki, given by the URL of its api.php", "https://en.wiktionary.org/w/api.php", max_length=500),
]
_JSON = {"Content-Type": "application/json"}


class Hit(TypedDict):
    """An article found."""

    title: Annotated[str, About("Title of the article")]
    snippet: Annotated[str, About("Snippet with the search words")]
    words: Annotated[int, About("Length in words")]
    changed: Annotated[str, About("Date of the last change")]


class Hits(TypedDict):
    """Articles found."""

    articles: Annotated[list[Hit], About("Best first")]
    total: Annotated[int, About("Total number of matching articles")]
    suggestion: Annotated[str, About("Suggested spelling, if the wiki has one")]


@tool(
    tags="wikipedia search encyclopedia articles knowledge facts mediawiki",
    use_when=(
        "Find Wikipedia articles about green tea.",
        "Search Wikipedia for the Battle of Hastings.",
        "Which article of the German Wikipedia is about this?",
        "Look it up on Wikipedia",
    ),
    examples=(
        Example(
            {"query": "green tea", "most": 2, "wiki": "{site}/w/api.php"},
            {
                "total": 9,
                "suggestion": "",
                "articles": [{"title": "Green tea", "snippet": "Green tea is a tea", "words": 5}],
            },
            source="the documentation of MediaWiki, API:Search, for the form of question and answer",
            site={
                "/w/api.php?action=query&list=search&srsearch=green%20tea&srlimit=2&format=json"
                "&formatversion=2": MockResponse(
                    '{"query": {"searchinfo": {"totalhits": 9}, "search": [{"title": "Green tea", "wordcount": 5, '
                    '"snippet": "<span class=\\"searchmatch\\">Green</span> tea is a tea", "timestamp": ""}]}}',
                    200,
                    _JSON,
                )
            },
        ),
        Example(
            {"query": "grene", "wiki": "{site}/api", "most": 1},
            {"total": 0, "articles": [], "suggestion": "green"},
            source="the documentation of MediaWiki, API:Search",
            site={
                "/api?action=query&list=search&srsearch=grene&srlimit=1&format=json&formatversion=2": MockResponse(
                    '{"query": {"searchinfo": {"totalhits": 0, "suggestion": "green"}, "search": []}}', 200, _JSON
                )
            },
        ),
        Refusal({"query": ""}, "query must"),
    ),
    reply={
        "articles": "I found {total|article}: {articles}",
        "suggestion": "I found no such article; perhaps \u201c{suggestion}\u201d is meant.",
        "": "I found no such article.",
    },
    open_world=True,
    pace="normal",
)
def wikipedia_search_articles(
    query: Annotated[str, About("Words to search for", "green tea", min_length=1, max_length=300)],
    language: Language = "en",
    most: Annotated[int, About("Maximum number of articles", minimum=1, maximum=50)] = 10,
    wiki: Wiki = None,
) -> Hits:
    """Search the articles of Wikipedia in any language, or of another MediaWiki, by words.

    Use it to find the title of an article before reading it. Returns titles with matching snippets.
    """
    fields = {"list": "search", "srsearch": query, "srlimit": str(most)}
    found = _ask(_place(language, wiki), fields)
    about = _object(found.get("searchinfo"))
    hits = found.get("search")
    return {
        "articles": [
            {
                "title": str(hit.get("title", "")),
                "snippet": _unmark(str(hit.get("snippet", ""))),
                "words": _number(hit.get("wordcount")),
                "changed": str(hit.get("timestamp", "")),
            }
            for hit in map(_object, hits if isinstance(hits, list) else [])
        ],
        "total": _number(about.get("totalhits")),
        "suggestion": str(about.get("suggestion") or ""),
    }


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _unmark(text: str) -> str:
    return text_of(parsed_html(f"<div>{text}</div>"))


def _place(language: str, wiki: str | None) -> str:
    return wiki or f"https://{language}.wikipedia.org/w/api.php"


def _ask(place: str, fields: dict[str, str]) -> dict[str, Any]:
    """Return the response of a MediaWiki's query module."""
    query = urlencode({"action": "query", **fields, "format": "json", "formatversion": "2"}, quote_via=quote)
    answer = fetch(f"{place}?{query}", timeout_s=15.0).raise_for_status().json()
    found = answer.get("query") if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        raise ToolError(f"{place} is not a MediaWiki. Give the URL of its api.php.")
    return found


class Article(TypedDict):
    """An article."""

    title: Annotated[str, About("Title, after redirects")]
    url: Annotated[str, About("URL of the article")]
    text: Annotated[str, About("Text without markup; headings are marked with ==")]
    cut: Annotated[bool, About("Whether the text is truncated")]
    summary: Annotated[str, About("First paragraph")]
    changed: Annotated[str, About("Date of the last change")]
    sections: Annotated[list[str], About("Headings, if the whole text is read")]


@tool(
    tags="wikipedia read article summary encyclopedia knowledge facts text",
    use_when=(
        "What does Wikipedia say about Alan Turing?",
        "Read the Wikipedia article on photosynthesis.",
        "Give me the summary of the French article Paris.",
        "What does Wikipedia say about Vienna?",
    ),
    examples=(
        Example(
            {"title": "tea", "wiki": "{site}/api"},
            {
                "title": "Tea",
                "url": "https://en.wikipedia.org/wiki/Tea",
                "summary": "Tea is a drink.",
                "text": "Tea is a drink.\nIt is hot.\n\n== History ==\nOld.",
                "sections": ["History"],
                "cut": False,
            },
            source="the documentation of MediaWiki, Extension:TextExtracts, for the form of question and answer",
            site={
                "/api?action=query&prop=extracts%7Cinfo&titles=tea&explaintext=1&redirects=1&inprop=url&format=json"
                "&formatversion=2": MockResponse(
                    '{"query": {"pages": [{"title": "Tea", "fullurl": "https://en.wikipedia.org/wiki/Tea", '
                    '"touched": "", "extract": "Tea is a drink.\\nIt is hot.\\n\\n== History ==\\nOld."}]}}',
                    200,
                    _JSON,
                )
            },
        ),
        Example(
            {"title": "Tea", "wiki": "{site}/api", "summary_only": True},
            {"text": "A drink.", "sections": []},
            source="the documentation of MediaWiki, Extension:TextExtracts",
            site={
                "/api?action=query&prop=extracts%7Cinfo&titles=Tea&explaintext=1&redirects=1&inprop=url&exintro=1"
                "&format=json&formatversion=2": MockResponse(
                    '{"query": {"pages": [{"title": "Tea", "extract": "A drink."}]}}', 200, _JSON
                )
            },
        ),
        Refusal(
            {"title": "None", "wiki": "{site}/api"},
            "no article",
            site={
                "/api?action=query&prop=extracts%7Cinfo&titles=None&explaintext=1&redirects=1&inprop=url&format=json"
                "&formatversion=2": MockResponse(
                    '{"query": {"pages": [{"title": "None", "missing": true}]}}', 200, _JSON
                )
            },
        ),
    ),
    reply={
        "args.summary_only, text": "{text}",
        "summary": "{summary}",
        "text": "{title}: {text}",
    },
    open_world=True,
    pace="normal",
)
def wikipedia_read_article(
    title: Annotated[str, About("Title of the article", "Alan Turing", min_length=1, max_length=255)],
    language: Language = "en",
    summary_only: Annotated[bool, About("Whether to read only the part before the first heading")] = False,
    most_characters: Annotated[int, About("Maximum number of characters", minimum=100, maximum=500_000)] = 50_000,
    wiki: Wiki = None,
) -> Article:
    """Read a Wikipedia article in any language as plain text, in whole or only its summary.

    Use it for facts about people, places and things. If the title is not known, search first.
    """
    fields = {"prop": "extracts|info", "titles": title, "explaintext": "1", "redirects": "1", "inprop": "url"}
    if summary_only:
        fields["exintro"] = "1"
    pages = _ask(_place(language, wiki), fields).get("pages")
    page = pages[0] if isinstance(pages, list) and pages and isinstance(pages[0], dict) else {"missing": True}
    if page.get("missing") or page.get("invalid"):
        raise ToolError(f"There is no article with the title {title}. Search for it first.")
    text = str(page.get("extract") or "").strip()
    return {
        "title": str(page.get("title", "")),
        "url": str(page.get("fullurl") or ""),
        "text": text[:most_characters],
        "cut": len(text) > most_characters,
        "summary": text.partition("\n")[0][:5000],
        "changed": str(page.get("touched") or ""),
        "sections": [tidy(name) for name in re.findall(r"^==+ ([^=\n]{1,300}) ==+$", text, re.MULTILINE)][:500],
    }
