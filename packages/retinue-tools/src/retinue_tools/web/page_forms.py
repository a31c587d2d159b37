"""Forms of pages."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, tool
from retinue_tools.web._pages import Html, Page, PageUrl, page_of, text_of


class Field(TypedDict):
    """A field of a form."""

    name: Annotated[str, About("Under which name it is sent")]
    type: Annotated[str, About("Type of the field, as text, email, select, textarea")]
    label: Annotated[str, About("What stands beside it")]
    required: Annotated[bool, About("Whether it must be filled in")]
    value: Annotated[str, About("What it holds at first")]
    choices: Annotated[list[str], About("Values of a selection, at most 100")]


class Form(TypedDict):
    """A form."""

    action: Annotated[str, About("Where it is sent")]
    method: Annotated[str, About("GET or POST")]
    fields: Annotated[list[Field], About("Its fields, at most 200")]


class Forms(TypedDict):
    """The forms of a page."""

    forms: Annotated[list[Form], About("At most 50")]
    total: Annotated[int, About("How many there are")]


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
            site={"/search": Served("<form></form>")},
        ),
        Refusal({"url": "{site}/none"}, "404", site={"/": Served("x")}),
    ),
    open_world=True,
    pace="normal",
)
def web_extract_forms(url: PageUrl = None, html: Html = None) -> Forms:
    """Describe the forms of a web page or HTML text: where they are sent and which fields they have.

    Use it before sending a form by a request, or to review one. Labels and the choices of selections come along.
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
