"""Parts of pages: contacts, forms and tables."""

import re
from typing import Annotated, Any
from urllib.parse import unquote

import phonenumbers
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, MockResponse, Refusal, ToolError, tool
from retinue_tools.web._pages import Html, Page, PageUrl, host_of, once_each, page_of, text_of

_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_SOCIAL = {
    "facebook.com": "Facebook",
    "instagram.com": "Instagram",
    "linkedin.com": "LinkedIn",
    "x.com": "X",
    "twitter.com": "X",
    "youtube.com": "YouTube",
    "tiktok.com": "TikTok",
    "github.com": "GitHub",
    "gitlab.com": "GitLab",
    "mastodon.social": "Mastodon",
    "bsky.app": "Bluesky",
    "threads.net": "Threads",
    "pinterest.com": "Pinterest",
    "xing.com": "XING",
    "wa.me": "WhatsApp",
    "t.me": "Telegram",
}


class Profile(TypedDict):
    """A profile in a social network."""

    network: Annotated[str, About("Name of the network")]
    url: Annotated[str, About("Address of the profile")]


class Contacts(TypedDict):
    """Contact details on a page."""

    emails: Annotated[list[str], About("E-mail addresses, at most 200")]
    phones: Annotated[list[str], About("Telephone numbers in international format, at most 200")]
    profiles: Annotated[list[Profile], About("Profiles in social networks, at most 200")]
    addresses: Annotated[list[str], About("Postal addresses marked as such, at most 20")]


@tool(
    tags="contacts email phone telephone social media profiles address page scrape",
    use_when=(
        "What is the e-mail address on https://example.com/contact?",
        "Find the phone numbers and social links of this page.",
        "How can I reach this company by its website?",
    ),
    examples=(
        Example(
            {
                "html": '<a href="mailto:Info@example.org?subject=Hi">write</a> or sales@example.com, call '
                '<a href="tel:+442079460000">us</a> or 030 901820. <a href="https://github.com/example">code</a>'
                "<address>1 High Street</address>",
                "region": "DE",
            },
            {
                "emails": ["info@example.org", "sales@example.com"],
                "phones": ["+44 20 7946 0000", "+49 30 901820"],
                "profiles": [{"network": "GitHub", "url": "https://github.com/example"}],
                "addresses": ["1 High Street"],
            },
            source="the text itself; ITU-T E.123 for the form of the numbers",
        ),
        Example(
            {"url": "{site}/"},
            {"emails": [], "phones": [], "profiles": []},
            source="the page names none",
            site={"/": MockResponse("<p>Nothing here: a@b, 12 34</p><script>x@example.com</script>")},
        ),
        Refusal({"html": "<p>x", "region": "Germany"}, "region must"),
    ),
    reply={
        "emails, phones": "The page shows the e-mail addresses {emails} and the telephone numbers {phones}.",
        "emails": "The page shows the e-mail addresses {emails}.",
        "phones": "The page shows the telephone numbers {phones}.",
        "profiles": "The page shows these profiles: {profiles}",
        "addresses": "The page shows these addresses: {addresses}",
        "": "The page shows no contact data.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_contacts(
    url: PageUrl = None,
    html: Html = None,
    region: Annotated[
        str | None,
        About("Country of telephone numbers without a country code", "DE", pattern="^[A-Z]{2}$", max_length=2),
    ] = None,
) -> Contacts:
    """Collect e-mail addresses, telephone numbers, social profiles and postal addresses that a page shows.

    Use it to find contact details. Numbers without a country code are only found with a region.
    """
    page = page_of(url, html)
    links = [element.get("href").strip() for element in page.root.xpath("//a[@href]")]
    mails = [unquote(link[7:].partition("?")[0]) for link in links if link.lower().startswith("mailto:")]
    etree.strip_elements(page.root, "script", "style", "noscript", with_tail=False)
    text = text_of(page.root)[:300_000]
    mails = [mail for link in mails for mail in _EMAIL.findall(link)] + _EMAIL.findall(text)
    calls = " ; ".join(unquote(link[4:]) for link in links if link.lower().startswith("tel:"))
    found = [*phonenumbers.PhoneNumberMatcher(calls, region), *phonenumbers.PhoneNumberMatcher(text, region)]
    style = phonenumbers.PhoneNumberFormat.INTERNATIONAL
    networks = {link: _SOCIAL.get(host_of(link).removeprefix("www."), "") for link in links}
    profiles: list[Profile] = [{"network": name, "url": link} for link, name in networks.items() if name]
    return {
        "emails": once_each(mail.lower() for mail in mails)[:200],
        "phones": once_each(phonenumbers.format_number(match.number, style) for match in found)[:200],
        "profiles": profiles[:200],
        "addresses": once_each(text_of(element)[:500] for element in page.root.iter("address"))[:20],
    }


class Field(TypedDict):
    """A field of a form."""

    name: Annotated[str, About("Name of the field in the request")]
    type: Annotated[str, About("Type of the field, such as text, email, select, textarea")]
    label: Annotated[str, About("Label of the field")]
    required: Annotated[bool, About("Whether it is required")]
    value: Annotated[str, About("Initial value")]
    choices: Annotated[list[str], About("Options of a selection, at most 100")]


class Form(TypedDict):
    """A form."""

    action: Annotated[str, About("URL of the action")]
    method: Annotated[str, About("GET or POST")]
    fields: Annotated[list[Field], About("Fields, at most 200")]


class Forms(TypedDict):
    """The forms of a page."""

    forms: Annotated[list[Form], About("Forms, at most 50")]
    total: Annotated[int, About("Total number of forms")]


@tool(
    tags="forms form fields inputs login search html page action",
    use_when=(
        "Which fields has the contact form of this page?",
        "Where does the login form of https://example.com/login send to?",
        "What parameters does this search form take?",
    ),
    examples=(
        Example(
            {
                "html": '<form method=post action="/in"><label for=m>E-mail</label><input id=m name=mail type=email '
                "required><label>Size <select name=s><option value=1>S<option>L</select></label><button>Go</form>"
            },
            {
                "total": 1,
                "forms": [
                    {
                        "action": "/in",
                        "method": "POST",
                        "fields": [
                            {
                                "name": "mail",
                                "type": "email",
                                "label": "E-mail",
                                "required": True,
                                "value": "",
                                "choices": [],
                            },
                            {"name": "s", "type": "select", "required": False, "value": "", "choices": ["1", "L"]},
                        ],
                    }
                ],
            },
            source="the text itself, read by eye",
        ),
        Example(
            {"url": "{site}/search"},
            {"forms": [{"action": "{site}/search", "method": "GET", "fields": []}]},
            source="HTML, section 4.10.21.3: without an action a form is sent to its page, by GET",
            site={"/search": MockResponse("<form></form>")},
        ),
        Refusal({"url": "{site}/none"}, "404", site={"/": MockResponse("x")}),
    ),
    reply={
        "forms": "The page has {total|form}: {forms}",
        "": "There are no forms on the page.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_forms(url: PageUrl = None, html: Html = None) -> Forms:
    """Describe the forms of a web page or HTML text: where they are sent and which fields they have.

    Use it before submitting a form with a request, or to review one. Labels and options are included.
    """
    page = page_of(url, html)
    forms: list[Form] = [
        {
            "action": page.link(form.get("action") or page.url),
            "method": (form.get("method") or "get").upper(),
            "fields": [_field(page, field) for field in form.iter("input", "select", "textarea") if field.get("name")][
                :200
            ],
        }
        for form in page.root.iter("form")
    ]
    return {"forms": forms[:50], "total": len(forms)}


def _field(page: Page, field: Any) -> Field:
    kind = (field.get("type") or "text").lower() if field.tag == "input" else field.tag
    around = next(field.iterancestors("label"), None)
    labels = page.root.xpath("//label[@for=$id]", id=field.get("id")) if field.get("id") else []
    label = labels[0] if labels else around
    choices = [option.get("value", text_of(option)) for option in field.iter("option")]
    return {
        "name": field.get("name"),
        "type": kind,
        "label": "" if label is None else text_of(label)[:200],
        "required": field.get("required") is not None,
        "value": (text_of(field) if kind == "textarea" else field.get("value") or "")[:1000],
        "choices": choices[:100],
    }


class Table(TypedDict):
    """A table."""

    caption: Annotated[str, About("Caption")]
    columns: Annotated[list[str], About("Column names; generated if the table has none")]
    rows: Annotated[list[list[str]], About("Texts of the cells, at most 2,000 rows")]
    row_count: Annotated[int, About("Total number of rows, without the heading")]


class Tables(TypedDict):
    """The tables of a page."""

    tables: Annotated[list[Table], About("Tables with at least the minimum number of rows, at most 50")]
    total: Annotated[int, About("Total number of tables")]


@tool(
    tags="tables table rows columns cells html page scrape records",
    use_when=(
        "Get the table on https://example.com/prices as data.",
        "Which tables does this page hold?",
        "Turn the HTML table into rows and columns.",
    ),
    examples=(
        Example(
            {
                "html": "<table><caption>Prices<tr><th>Item<th>EUR<tr><td rowspan=2>Tea<td>3<tr><td>4</table>"
                "<table><tr><td>a<td>b</table>"
            },
            {
                "total": 2,
                "tables": [
                    {
                        "caption": "Prices",
                        "columns": ["Item", "EUR"],
                        "rows": [["Tea", "3"], ["Tea", "4"]],
                        "row_count": 2,
                    },
                    {"caption": "", "columns": ["column 1", "column 2"], "rows": [["a", "b"]], "row_count": 1},
                ],
            },
            source="the text itself; HTML, section 4.9.12: a cell with rowspan covers the rows below it",
        ),
        Example(
            {"url": "{site}/t", "least_rows": 2},
            {"total": 0, "tables": []},
            source="the only table has one row",
            site={"/t": MockResponse("<table><tr><th>a<tr><td>1</table>")},
        ),
        Refusal({"html": "<p>none", "least_rows": 0}, "least_rows must be at least 1"),
    ),
    reply={
        "tables": "The page has {total|table}: {tables}",
        "": "There are no such tables on the page.",
    },
    open_world=True,
    pace="normal",
)
def web_extract_tables(
    url: PageUrl = None,
    html: Html = None,
    least_rows: Annotated[int, About("Minimum number of rows", minimum=1, maximum=1000)] = 1,
) -> Tables:
    """Read the tables of a web page or HTML text as columns and rows of text.

    Use it to extract data from a page. Cells that span rows or columns are repeated in each of them; rows are padded to
    the width of the table.
    """
    page = page_of(url, html)
    tables = [table for element in page.root.iter("table") if (table := _table(element))["row_count"] >= least_rows]
    return {"tables": tables[:50], "total": len(tables)}


def _table(element: Any) -> Table:
    rows = [row for row in element.iter("tr") if next(row.iterancestors("table")) is element][:2001]
    headed = bool(rows) and all(cell.tag == "th" for cell in rows[0].xpath("./th|./td"))
    grid = _grid(rows)
    width = max(map(len, grid), default=0)
    grid = [[*row, *[""] * (width - len(row))] for row in grid]
    columns = grid[0] if headed else [f"column {number}" for number in range(1, width + 1)]
    body = grid[1:] if headed else grid
    caption = element.find("caption")
    return {
        "caption": "" if caption is None else text_of(caption),
        "columns": columns,
        "rows": body,
        "row_count": len(body),
    }


def _grid(rows: list[Any]) -> list[list[str]]:
    """Return the texts of all cells, with spanning ones repeated (the algorithm of HTML, section 4.9.12, bounded)."""
    grid: list[list[str]] = []
    above: dict[int, tuple[str, int]] = {}
    for row in rows:
        line: list[str] = []
        below: dict[int, tuple[str, int]] = {}
        for cell in row.xpath("./th|./td"):
            _fill(line, above, below)
            text, tall = text_of(cell)[:5000], _span(cell, "rowspan")
            for _ in range(_span(cell, "colspan")):
                below |= {len(line): (text, tall - 1)} if tall > 1 else {}
                line.append(text)
        while above:
            _fill(line, above, below)
            line += [""] if above else []
        if len(line) > 500:
            raise ToolError("A table of the page is wider than 500 columns.")
        above = below
        grid.append(line)
    return grid


def _fill(line: list[str], above: dict[int, tuple[str, int]], below: dict[int, tuple[str, int]]) -> None:
    """Insert the cells that extend down from the row above."""
    while len(line) in above:
        text, left = above.pop(len(line))
        below |= {len(line): (text, left - 1)} if left > 1 else {}
        line.append(text)


def _span(cell: Any, name: str) -> int:
    value = cell.get(name) or "1"
    return min(int(value), 200) if value.isdecimal() and len(value) < 6 and int(value) else 1
