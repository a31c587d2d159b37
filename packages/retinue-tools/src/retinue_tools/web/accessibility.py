"""Barriers of pages to people with disabilities."""

from collections.abc import Iterator
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, tool
from retinue_tools.web._pages import Html, PageUrl, page_of, text_of, tidy
from retinue_tools.web.seo import Finding, finding_of, visible_text


class Accessibility(TypedDict):
    """How accessible a page is."""

    errors: Annotated[int, About("Findings that break a criterion of WCAG level A")]
    warnings: Annotated[int, About("Findings that may")]
    findings: Annotated[list[Finding], About("What to mend, at most 300")]


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
                "/": Served(
                    "<html lang=en><title>T</title><main><h1>T</h1><img src=a alt=''><label>Name <input></label>"
                    "<input aria-label=x><a href=/x><img src=b alt=Home></a><input type=hidden></main>"
                )
            },
        ),
        Refusal({"html": ""}, "no HTML"),
    ),
    open_world=True,
    pace="normal",
    tier="starter",
)
def web_audit_accessibility(url: PageUrl = None, html: Html = None) -> Accessibility:
    """Review a web page or HTML text for barriers to people with disabilities, by criteria of WCAG 2.2.

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
