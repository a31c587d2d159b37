"""Template rendering."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

import jinja2
from jinja2 import meta, sandbox
from jinja2.exceptions import SecurityError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_MOST_RESULT = 1_000_000
_FIELD = re.compile(r"\{\{\s*([^{}|]+?)\s*(?:\|\s*([^{}]*?)\s*)?\}\}")
_IN_ONE_BRACE = re.compile(r"\{([A-Za-z][\w ]{0,60})\}")

Values = dict[str, Any]


class Rendered(TypedDict):
    """A filled template."""

    result: Annotated[str, About("The text")]
    variables: Annotated[list[str], About("Variables of the template")]
    unused: Annotated[list[str], About("Unused values")]


class Letters(TypedDict):
    """A template filled in for each record."""

    results: Annotated[list[str], About("One text per record, in order")]
    fields: Annotated[list[str], About("Fields of the template")]
    missing: Annotated[list[str], About("Empty fields, such as 'record 2: Name'")]


@tool(
    tags="template jinja jinja2 render variables loop placeholder generate text html email",
    use_when=(
        "Render this Jinja template with my JSON values",
        "Fill in 'Dear {{ name }}, …' with a loop over order items",
        "Generate a configuration file from a template",
    ),
    examples=(
        Example(
            {
                "template": "Hi {{ name|upper }}!{% for item in items %} {{ loop.index }}.{{ item }}{% endfor %}",
                "values": {"name": "Ada", "items": ["a", "b"], "x": 1},
            },
            {"result": "Hi ADA! 1.a 2.b", "variables": ["items", "name"], "unused": ["x"]},
            source="the documentation of Jinja",
        ),
        Example(
            {"template": "<p>{{ a }}</p>", "values": {"a": "<b>"}, "escape": "html"},
            {"result": "<p>&lt;b&gt;</p>"},
            source="HTML: < and > are escaped",
        ),
        Refusal({"template": "{{ a }", "values": {}}, "line 1"),
        Refusal({"template": "{{ a }}", "values": {}}, "'a' is undefined"),
        Refusal({"template": "{{ ''.__class__.__mro__ }}", "values": {}}, "forbidden operation"),
        Refusal({"template": "{{ 'a' * 9999999999 }}", "values": {}}, "too"),
    ),
    reply="The text: {result}",
)
def text_render_template(
    template: Annotated[str, About("Jinja template", "Dear {{ name }},", min_length=1, max_length=100_000)],
    values: Annotated[Values, About("Values of the variables", {"name": "Ada"})],
    missing: Annotated[Literal["refuse", "empty", "keep"], About("Handling of missing values")] = "refuse",
    escape: Annotated[Literal["none", "html"], About("Whether to escape values for HTML")] = "none",
) -> Rendered:
    """Render a Jinja template with JSON values: variables, filters, conditions, loops and macros, in a sandbox.

    Other templates cannot be included. Returns the text, the variables of the template and unused values.
    """
    kinds = {"refuse": jinja2.StrictUndefined, "empty": jinja2.ChainableUndefined, "keep": jinja2.DebugUndefined}
    environment = sandbox.ImmutableSandboxedEnvironment(
        undefined=kinds[missing], autoescape=escape == "html", keep_trailing_newline=True
    )
    try:
        names = sorted(str(name) for name in meta.find_undeclared_variables(environment.parse(template)))
        result = _join(environment.from_string(template).generate(values))
    except jinja2.TemplateSyntaxError as error:
        raise ToolError(f"The template is invalid in line {error.lineno}: {error.message}.") from error
    except SecurityError as error:
        raise ToolError(f"The template uses a forbidden operation: {error}.") from error
    except (MemoryError, OverflowError, RecursionError) as error:
        raise ToolError(
            "The template produces a text that is too long, a number that is too large or nesting that is too deep."
        ) from error
    except Exception as error:
        raise ToolError(f"The template cannot be rendered: {error}. Correct it or give the missing values.") from error
    return {"result": result, "variables": names, "unused": sorted(set(values) - set(names))}


@tool(
    tags="mail merge serial letter placeholder fill records template batch personalize",
    use_when=(
        "Write this letter for each customer of my list",
        "Fill {{Name}} and {{City}} from these rows",
        "Make 50 personalised messages from a template",
    ),
    examples=(
        Example(
            {
                "template": "Dear {{ First Name | friend }}, see you in {{City}}.",
                "records": [{"First Name": "Ada", "City": "Rome"}, {"city": "Oslo"}, {"First Name": "Li", "City": ""}],
            },
            {
                "results": ["Dear Ada, see you in Rome.", "Dear friend, see you in Oslo.", "Dear Li, see you in ."],
                "fields": ["First Name", "City"],
                "missing": ["record 3: City"],
            },
            source="by hand",
        ),
        Example(
            {"template": "Dear {title} {name}", "records": [{"title": "Mrs", "name": "Iyer"}]},
            {"results": ["Dear Mrs Iyer"], "fields": ["title", "name"]},
            source="by hand",
        ),
        Refusal({"template": "no fields", "records": [{"a": "b"}]}, "no fields"),
    ),
    reply={
        "missing": "These values are missing: {missing}. The texts: {results}",
        "results.1": "The texts: {results}",
        "": "The text: {results.0}",
    },
)
def text_merge_records(
    template: Annotated[
        str,
        About(
            "Text with fields as {{Name}} or {Name}, or {{Name | default}} for empty ones",
            "Dear {{Name}}",
            min_length=1,
            max_length=50_000,
        ),
    ],
    records: Annotated[
        list[dict[str, str | float | bool | None]],
        About("Values of each text", [{"Name": "Ada"}], min_items=1, max_items=2000),
    ],
) -> Letters:
    """Fill a template in for each record, as in mail merge; case of field names is ignored.

    Returns one text per record, and the missing values. For loops and conditions use text_render_template.
    """
    template = template if _FIELD.search(template) else _IN_ONE_BRACE.sub(r"{{\1}}", template)
    fields = list(dict.fromkeys(match[1] for match in _FIELD.finditer(template)))
    if not fields:
        raise ToolError("The template has no fields. Write them as {{Name}}.")
    results, missing, size = [], [], 0
    for number, record in enumerate(records, 1):
        values = {key.casefold().strip(): "" if value is None else str(value) for key, value in record.items()}
        fallbacks = {match[1] for match in _FIELD.finditer(template) if match[2]}
        missing += [
            f"record {number}: {name}" for name in fields if not values.get(name.casefold()) and name not in fallbacks
        ]
        results.append(_FIELD.sub(_filler(values), template))
        size += len(results[-1])
        if size > _MOST_RESULT:
            raise ToolError("The texts exceed 1,000,000 characters in total. Give fewer records at a time.")
    return {"results": results, "fields": fields, "missing": missing[:1000]}


def _filler(values: dict[str, str]) -> Callable[[re.Match[str]], str]:
    return lambda match: values.get(match[1].casefold()) or match[2] or ""


def _join(pieces: Any) -> str:
    """Join the pieces to one text of bounded length."""
    pieces_so_far, size = [], 0
    for piece in pieces:
        pieces_so_far.append(str(piece))
        size += len(pieces_so_far[-1])
        if size > _MOST_RESULT:
            raise ToolError("The template produces a text that is too long: more than 1,000,000 characters.")
    return "".join(pieces_so_far)
