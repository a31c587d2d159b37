"""Page audits for search engines (SEO) and for people with disabilities (accessibility)."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, tool
from retinue_tools.web._pages import Html, PageUrl, page_of, text_of, tidy

Severity = Literal["error", "warning", "hint"]


class Finding(TypedDict):
    """A finding."""

    severity: Annotated[Severity, About("Severity")]
    rule: Annotated[str, About("Violated rule")]
    message: Annotated[str, About("Problem and recommended fix")]
    where: Annotated[str, About("Affected element; empty for the whole page")]


class Seo(TypedDict):
    """SEO audit of a page."""

    score: Annotated[int, About("Score from 0 to 100: errors cost 15, warnings 7, hints 2")]
    title: Annotated[str, About("Title of the page")]
    description: Annotated[str, About("Meta description")]
    words: Annotated[int, About("Number of words")]
    indexable: Annotated[bool, About("Whether search engines may index it")]
    findings: Annotated[list[Finding], About("Findings, most severe first")]


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
            site={"/": MockResponse("<meta name=robots content=noindex><p>one two three")},
        ),
        Refusal({}, "either url or html"),
    ),
    reply={
        "not indexable, findings": "Search engines may not index the page; it scores {score} of 100: {findings}",
        "findings": "The page scores {score} of 100: {findings}",
        "": "The page scores {score} of 100.",
    },
    open_world=True,
    pace="normal",
    tier="starter",
)
def web_audit_seo(url: PageUrl = None, html: Html = None) -> Seo:
    """Review a web page or HTML text for search engines: title, description, headings, canonical address, indexing.

    Use it to see what to improve on a page. It only examines the page, not its rank or external links.
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


class Accessibility(TypedDict):
    """Accessibility audit of a page."""

    errors: Annotated[int, About("Number of findings that violate a criterion of WCAG level A")]
    warnings: Annotated[int, About("Number of possible violations")]
    findings: Annotated[list[Finding], About("Findings, at most 300")]


@tool(
    tags="accessibility a11y wcag audit alt labels html screen reader page review",
    use_when=(
        "Is https://example.com accessible for screen readers?",
        "Check this HTML against WCAG.",
        "Which form fields of the page have no label?",
    ),
    examples=(
        Example(
            {
                "html": "<html><head><title>T</title></head><body><img src=a><a href=/x></a><input name=q>"
                "<button></button><p id=a></p><p id=a></p><table><tr><td>1</table><iframe src=x></iframe></body></html>"
            },
            {"errors": 6, "warnings": 3},
            source="WCAG 2.2: 3.1.1, 1.1.1, 2.4.4, 1.3.1 and twice 4.1.2; warnings: 2.4.1, 1.3.1 and WCAG 2.0, 4.1.1",
        ),
        Example(
            {
                "url": "{site}/",
            },
            {"errors": 0, "warnings": 0, "findings": []},
            source="by hand: each element has its name",
            site={
                "/": MockResponse(
                    "<html lang=en><title>T</title><main><h1>T</h1><img src=a alt=''><label>Name <input></label>"
                    "<input aria-label=x><a href=/x><img src=b alt=Home></a><input type=hidden></main>"
                )
            },
        ),
        Refusal({"html": ""}, "not HTML"),
    ),
    reply={
        "findings": "I found {errors|error} and {warnings|warning}: {findings}",
        "not errors, not warnings": "I found no barriers on the page.",
        "": "I found {errors|error} and {warnings|warning}.",
    },
    open_world=True,
    pace="normal",
    tier="starter",
)
def web_audit_accessibility(url: PageUrl = None, html: Html = None) -> Accessibility:
    """Review a web page or HTML text for barriers to people with disabilities, according to WCAG 2.2.

    Use it to find missing alternative texts, labels, names and languages. Colours, contrast and scripts need a browser.
    """
    root = page_of(url, html).root
    findings = [*_page_barriers(root), *_element_barriers(root)]
    return {
        "errors": sum(finding["severity"] == "error" for finding in findings),
        "warnings": sum(finding["severity"] == "warning" for finding in findings),
        "findings": findings[:300],
    }


def _page_barriers(root: Any) -> Iterator[Finding]:
    if not (root.get("lang") or "").strip():
        yield finding_of("error", "3.1.1", "The language of the page is not stated: add lang to html.")
    if not tidy(root.xpath("string(//title)")):
        yield finding_of("error", "2.4.2", "The page has no title.")
    if not root.xpath("//main|//*[@role='main']"):
        yield finding_of("warning", "2.4.1", "There is no main region to jump to: put the content into main.")
    names = [element.get("id") for element in root.xpath("//*[@id]")]
    for name in sorted({name for name in names if names.count(name) > 1} if len(names) < 5000 else ()):
        yield finding_of("warning", "4.1.1", f"The id {name[:60]} is used more than once: labels may go astray.")
    scale = root.xpath("string(//meta[@name='viewport']/@content)").replace(" ", "")
    if "user-scalable=no" in scale or "maximum-scale=1" in scale:
        yield finding_of("error", "1.4.4", "The viewport forbids zooming.")


def _element_barriers(root: Any) -> Iterator[Finding]:
    rules = (
        ("1.1.1", "The image has no alt attribute: describe it, or leave alt empty for decoration.", _nameless_images),
        ("2.4.4", "The link has no text.", _nameless_links),
        ("4.1.2", "The button has no text.", _nameless_buttons),
        ("1.3.1", "The field has no label.", _nameless_fields),
        ("4.1.2", "The frame has no title.", lambda root: root.xpath("//iframe[not(@title)]")),
    )
    for rule, message, search in rules:
        for element in search(root):
            yield finding_of("error", rule, message, visible_text(element))
    for table in root.xpath("//table[not(.//th)][not(@role='presentation')]"):
        yield finding_of("warning", "1.3.1", "The table has no heading cells: use th.", visible_text(table))


def _name_of(element: Any) -> bool:
    inner = text_of(element) or any((image.get("alt") or "").strip() for image in element.iter("img"))
    return bool(inner or element.get("aria-label") or element.get("aria-labelledby") or element.get("title"))


def _nameless_images(root: Any) -> list[Any]:
    return list(root.xpath("//img[not(@alt)][not(@aria-label)][not(@role='presentation')]"))


def _nameless_links(root: Any) -> list[Any]:
    return [link for link in root.xpath("//a[@href]") if not _name_of(link)]


def _nameless_buttons(root: Any) -> list[Any]:
    own = [button for button in root.iter("button") if not _name_of(button)]
    return own + [
        field for field in root.xpath("//input[@type='button']") if not field.get("value") and not _name_of(field)
    ]


def _nameless_fields(root: Any) -> list[Any]:
    labels = {label.get("for") for label in root.xpath("//label[@for]")}
    silent = {"hidden", "submit", "reset", "button", "image"}
    return [
        field
        for field in root.iter("input", "select", "textarea")
        if (field.get("type") or "").lower() not in silent
        and not any(field.get(name) for name in ("aria-label", "aria-labelledby", "title"))
        and field.get("id") not in labels
        and next(field.iterancestors("label"), None) is None
    ]
