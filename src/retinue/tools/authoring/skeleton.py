"""Generate the source of a new tool."""

import re

from retinue.core.errors import ValidationFailed
from retinue.tools.authoring.tool import CATEGORIES

_NAME = re.compile(r"[a-z][a-z0-9]{0,47}(?:_[a-z0-9]{1,47}){1,23}")


def skeleton(name: str, category: str) -> str:
    """Return a module with one working tool. Raises `ValidationFailed`."""
    if not _NAME.fullmatch(name) or len(name) > 48:
        raise ValidationFailed("The name must be two or more lower-case words joined by _, such as weather_show_today.")
    if category not in CATEGORIES:
        raise ValidationFailed(f"There is no category {category}. There are {', '.join(CATEGORIES)}.")
    title = "".join(word.capitalize() for word in name.split("_"))
    return _TEXT.format(name=name, category=category, title=title, tags=name.replace("_", " "))


_TEXT = '''"""Say here what the tools of this module are about."""

from retinue.sdk import About, Annotated, Example, Refusal, ToolError, TypedDict, tool


class {title}(TypedDict):
    """What the tool returns."""

    greeting: Annotated[str, About("The greeting")]


@tool(
    category="{category}",
    tags="{tags}",
    use_when=("Greet Ada",),
    examples=(
        Example({{"name": "Ada"}}, {{"greeting": "Hello, Ada!"}}, source="by hand"),
        Refusal({{"name": " "}}, "name"),
    ),
    reply="{{greeting}}",
)
def {name}(name: Annotated[str, About("Who is greeted", "Ada", min_length=1, max_length=100)]) -> {title}:
    """Greet somebody by name. Say here what the tool does and returns: models choose it by this text."""
    if not name.strip():
        raise ToolError("name: give a name that is not empty.")
    return {{"greeting": f"Hello, {{name.strip()}}!"}}
'''
