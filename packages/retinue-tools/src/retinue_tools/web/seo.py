"""Pages as search engines see them."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, tool
from retinue_tools.web._pages import Html, PageUrl, page_of, tidy

Severity = Literal["error", "warning", "hint"]


class Finding(TypedDict):
    """Something to mend."""

    severity: Annotated[Severity, About("How grave it is")]
    rule: Annotated[str, About("Which rule it breaks")]
    message: Annotated[str, About("What is wrong and what to do")]
    where: Annotated[str, About("Element that it is about; empty for the whole page")]


class Seo(TypedDict):
    """How a page stands with search engines."""

    score: Annotated[int, About("From 0 to 100: errors take 15, warnings 7, hints 2")]
    title: Annotated[str, About("Its title")]
    description: Annotated[str, About("Its description")]
    words: Annotated[int, About("Words of its text")]
    indexable: Annotated[bool, About("Whether it lets search engines list it")]
    findings: Annotated[list[Finding], About("What to mend, gravest first")]


_GOOD = (
    '<html lang="en"><head><meta charset="utf-8"><title>Green tea from the hills of Uji</title>'
    '<meta name="description" content="How green tea is grown, steamed and rolled in Uji, and how to brew it well at '
    'home."><meta name="viewport" content="width=device-width"><link rel="canonical" href="https://example.com/tea">'
    '<meta property="og:title" content="Green tea"></head><body><h1>Green tea</h1><p>'
    + "leaf " * 300
    + "</p></body></html>"
)


@tool(
    tags="seo audit search engine title description h1 canonical noindex page review",
    use_when=(
        "Review the SEO of https://example.com.",
        "Why is my page not found in search engines?",
        "Are title and meta description of this page good?",
    ),
    examples=(
        Example(
            {"html": _GOOD},
            {"score": 100, "indexable": True, "words": 302, "findings": []},
            source="by hand: no rule is broken",
        ),
        Example(
            {"url": "{site}/"},
            {"score": 36, "indexable": False, "title": "", "words": 3},
            source="by hand: 100 - 2·15 (noindex, no title) - 4·7 (no description, viewport, h1, little text) - 3·2 "
            "(no canonical address, preview, language)",
            site={"/": Served("<meta name=robots content=noindex><p>one two three")},
        ),
        Refusal({}, "either url or html"),
    ),
    open_world=True,
    pace="normal",
    tier="starter",
)
def web_audit_seo(url: PageUrl = None, html: Html = None) -> Seo:
    """Review a web page or HTML text for search engines: title, description, headings, canonical address, indexing.

    Use it to see what to improve on a page. Looks at the page alone, not at its rank or at links from elsewhere.
    """
    page = page_of(url, html)
    root = page.root
    title = tidy(root.xpath("string(//title)"))
    description = tidy(root.xpath("string(//meta[translate(@name,'DESCRIPTON','descripton')='description']/@content)"))
    robots = " ".join(root.xpath("//meta[translate(@name,'ROBTS','robts')='robots']/@content")).lower()
    header = page.answer.headers.get("x-robots-tag", "").lower() if page.answer else ""
    indexable = "noindex" not in robots + header and "none" not in re.split(r"[\s,]+", robots + " " + header)
    words = len(_visible(root).split())
    findings = sorted(
        [*_head_findings(root, title, description, indexable), *_body_findings(root, words)],
        key=lambda finding: ("error", "warning", "hint").index(finding["severity"]),
    )
    costs = {"error": 15, "warning": 7, "hint": 2}
    return {
        "score": max(100 - sum(costs[finding["severity"]] for finding in findings), 0),
        "title": title,
        "description": description,
        "words": words,
        "indexable": indexable,
        "findings": findings,
    }


def finding_of(severity: Severity, rule: str, message: str, where: str = "") -> Finding:
    return {"severity": severity, "rule": rule, "message": message, "where": where[:300]}


def _visible(root: Any) -> str:
    body = root.find("body")
    hidden = {"script", "style", "noscript", "template", "title"}
    texts = (root if body is None else body).xpath(".//text()")
    return " ".join(str(text) for text in texts if text.getparent().tag not in hidden)


def _head_findings(root: Any, title: str, description: str, indexable: bool) -> Iterator[Finding]:
    if not indexable:
        yield finding_of(
            "error", "noindex", "The page asks search engines not to list it. Remove noindex if that is wrong."
        )
    if not title:
        yield finding_of("error", "title", "The title is missing. Say in 15 to 60 characters what the page is about.")
    elif not 15 <= len(title) <= 60:
        yield finding_of("warning", "title", f"The title has {len(title)} characters. 15 to 60 are shown in full.")
    if not description:
        yield finding_of(
            "warning", "description", "The meta description is missing. Sum the page up in 50 to 160 characters."
        )
    elif not 50 <= len(description) <= 160:
        yield finding_of("hint", "description", f"The description has {len(description)} characters. Aim at 50 to 160.")
    if not root.xpath("//link[@rel='canonical']"):
        yield finding_of(
            "hint", "canonical", "No canonical address is stated. Add one where the page has several addresses."
        )
    if not root.xpath("//meta[@name='viewport']"):
        yield finding_of("warning", "viewport", "The viewport is missing: the page is hard to read on telephones.")
    if not root.xpath("//meta[starts-with(@property,'og:')]"):
        yield finding_of("hint", "open-graph", "There are no Open Graph tags: links to it have no preview.")


def _body_findings(root: Any, words: int) -> Iterator[Finding]:
    heads = root.xpath("//h1")
    if len(heads) != 1:
        yield finding_of("warning", "h1", f"The page has {len(heads)} headings of level one. It should have one.")
    if words < 200:
        yield finding_of("warning", "text", f"The page has only {words} words of text.")
    if not root.get("lang"):
        yield finding_of("hint", "language", "The language is not stated: add lang to html.")
    missing = [image for image in root.iter("img") if image.get("alt") is None]
    if missing:
        yield finding_of("warning", "alt", f"{len(missing)} images have no alt text.", visible_text(missing[0]))


def visible_text(element: Any) -> str:
    return str(etree.tostring(element, encoding="unicode", method="html", with_tail=False))[:200]
