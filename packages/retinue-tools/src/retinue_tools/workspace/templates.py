"""Templates for prompts and messages."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import RecordKind, ToolContext
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Most, Query, Skipped, Title

_PLACE = re.compile(r"\{\{ ?([A-Za-z_][A-Za-z0-9_]{0,39}) ?\}\}")
_LONGEST = 200_000


class Template(Kept):
    """A template."""

    name: Annotated[str, About("Name of the template")]
    text: Annotated[str, About("Text with placeholders such as {{name}}")]
    places: Annotated[list[str], About("Names of the placeholders, in order")]


class Templates(TypedDict):
    """Some templates."""

    templates: list[Template]


class Rendered(TypedDict):
    """A rendered template."""

    text: Annotated[str, About("Complete text")]


TEMPLATES: RecordKind[Template] = RecordKind("template", "name", ("name", "text"))

TemplateId = Annotated[Id, About("ID as shown in lists, or the exact name")]


@tool(
    tags="template save prompt message letter reusable placeholder",
    use_when=(
        "Save this letter as a template with a place for the name",
        "Keep my prompt for reviews for reuse",
        "Store a message with {{name}} and {{date}} to fill in later",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"name": "Greeting proof", "text": "Dear {{name}}, see you on {{ day }}, {{name}}."},
            {"id": "greeting-proof", "places": ["name", "day"]},
            source="by hand",
        ),
        Refusal({"name": "Empty", "text": ""}, "text must have at least 1 character"),
    ),
    reply={
        "places": "I saved the template \u201c{name}\u201d with the placeholders {places}.",
        "": "I saved the template \u201c{name}\u201d.",
    },
)
async def template_save(
    context: ToolContext,
    name: Annotated[Title, About("Name of the template")],
    text: Annotated[
        str, About("Text with placeholders such as {{name}}", "Dear {{name}},", min_length=1, max_length=50_000)
    ],
) -> Template:
    """Save a prompt, message or letter with placeholders to fill, such as {{name}}, for template_render_saved.

    Returns the template with its id and the names of its placeholders.
    """
    fields = {"name": name, "text": text, "places": list(dict.fromkeys(_PLACE.findall(text)))}
    return await context.items(TEMPLATES).add(fields)


@tool(
    tags="template render saved fill placeholder message letter prompt",
    use_when=(
        "Fill in my greeting template for Ada",
        "Write the saved letter with these values",
        "Render the template renewal with the date of today",
    ),
    examples=(
        Example(
            {"template": "Rendering proof", "values": {"name": "Ada", "day": "{{name}}"}},
            {"text": "Dear Ada, see you on {{name}}."},
            source="by hand: what is filled in is not looked at again",
            before=(
                ExampleCall("template_save", {"name": "Rendering proof", "text": "Dear {{name}}, see you on {{day}}."}),
            ),
        ),
        Refusal(
            {"template": "Lacking proof", "values": {}},
            "The value of name is missing",
            before=(ExampleCall("template_save", {"name": "Lacking proof", "text": "Dear {{name}}"}),),
        ),
    ),
    reply="The complete text: {text}",
)
async def template_render_saved(
    context: ToolContext,
    template: TemplateId,
    values: Annotated[
        dict[str, Annotated[str, About("Text", "Ada", max_length=20_000)]],
        About("Texts by placeholder name", {"name": "Ada"}),
    ],
) -> Rendered:
    """Fill the placeholders of a saved template with texts, each wherever it occurs. Every placeholder needs a value.

    Returns the complete text; nothing is sent or saved.
    """
    text: str = (await context.items(TEMPLATES).get(template)).body["text"]
    places = _PLACE.findall(text)
    if missing := sorted(set(places) - set(values)):
        raise ToolError(f"The value of {', '.join(missing)} is missing.")
    if len(text) + sum(len(values[place]) for place in places) > _LONGEST:
        raise ToolError(f"The text would have more than {_LONGEST:,} characters. Shorten the values.")
    return {"text": _PLACE.sub(lambda place: values[place.group(1)], text)}


@tool(
    tags="template list find show saved prompt message",
    use_when=("Which templates have I saved?", "Find the template for renewals", "Show my saved prompts"),
    examples=(
        Example(
            {"query": "syzygy"},
            {"templates": [{"name": "Syzygy proof", "places": []}]},
            source="by hand: no other template has the word",
            before=(ExampleCall("template_save", {"name": "Syzygy proof", "text": "Hello"}),),
        ),
        Example({"skip": 10_000}, {"templates": []}, source="by hand: there are fewer"),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "templates": "The saved templates: {templates}",
        "": "There are no such templates.",
    },
)
async def template_list(
    context: ToolContext, query: Query | None = None, limit: Most = 20, skip: Skipped = 0
) -> Templates:
    """List saved templates with their texts and placeholders: those that contain some words, or the newest."""
    return {"templates": await context.items(TEMPLATES).find(query, limit, skip)}


@tool(
    tags="template delete remove saved",
    use_when=("Delete the greeting template", "Remove this saved prompt", "Throw the old letter template away"),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"template": "Doomed template"},
            {"id": "doomed-template", "deleted": True},
            source="by hand",
            before=(ExampleCall("template_save", {"name": "Doomed template", "text": "x"}),),
        ),
        Refusal({"template": "doomed-template"}, "There is no template"),
    ),
    reply="I deleted the template \u201c{args.template}\u201d.",
)
async def template_delete(context: ToolContext, template: TemplateId) -> Deleted:
    """Permanently delete a saved template. Returns the id of the deleted template."""
    return {"id": (await context.items(TEMPLATES).remove(template))["id"], "deleted": True}
