"""Patterns that web addresses fit or not."""

import re
from typing import Annotated, Any
from urllib.parse import unquote

import regex
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.web.addresses import split_address


class Match(TypedDict):
    """Whether an address fits a pattern."""

    url: Annotated[str, About("The address or path")]
    matches: Annotated[bool, About("Whether it fits")]
    parameters: Annotated[dict[str, str], About("What stands in the places of the names")]


class Matches(TypedDict):
    """Which addresses fit a pattern."""

    results: Annotated[list[Match], About("One for each address, in order")]
    matching: Annotated[int, About("How many fit")]


@tool(
    tags="url route pattern match path parameters wildcard router",
    use_when=(
        "Does /users/42/posts fit the route /users/:id/posts?",
        "Which of these paths match /blog/*?",
        "Get the id out of the URL by the route pattern.",
    ),
    examples=(
        Example(
            {
                "pattern": "/users/:id/posts/{post}",
                "urls": ["/users/42/posts/a%20b?x=1", "/users/42", "/users//posts/1"],
            },
            {
                "matching": 1,
                "results": [
                    {"url": "/users/42/posts/a%20b?x=1", "matches": True, "parameters": {"id": "42", "post": "a b"}},
                    {"url": "/users/42", "matches": False, "parameters": {}},
                    {"url": "/users//posts/1", "matches": False, "parameters": {}},
                ],
            },
            source="by hand: a name stands for one segment that is not empty",
        ),
        Example(
            {
                "pattern": "https://*.example.com/blog/**",
                "urls": ["https://de.example.com/blog/a/b", "https://example.com/blog/"],
            },
            {"matching": 1},
            source="by hand: * stands for one label or segment, ** for any number of segments",
        ),
        Refusal({"pattern": "/:a/:a", "urls": ["/"]}, "twice"),
    ),
)
def url_match_pattern(
    pattern: Annotated[
        str,
        About("Route as /users/:id or /users/{id}; * for one segment, ** for any rest", "/users/:id", max_length=500),
    ],
    urls: Annotated[
        list[Annotated[str, About("Address or path", "/users/42", max_length=2000)]],
        About("Addresses or paths to test", ["/users/42"], min_items=1, max_items=1000),
    ],
) -> Matches:
    """Test web addresses or paths against a route pattern and read the parameters out of those that fit.

    Use it to check the routes of a server or to sort addresses. A pattern without a scheme looks at the path alone.
    """
    form = _route(pattern)
    results: list[Match] = []
    for url in urls:
        path = url.split("?")[0].split("#")[0]
        if "://" in path and "://" not in pattern:
            path = split_address(path)[0].path or "/"
        try:
            found = form.fullmatch(path, timeout=0.3)
        except TimeoutError as error:
            raise ToolError("The pattern is too hard to match. Put a / or a word between its parameters.") from error
        parameters = {name: unquote(value) for name, value in found.groupdict().items()} if found else {}
        results.append({"url": url, "matches": found is not None, "parameters": parameters})
    return {"results": results, "matching": sum(result["matches"] for result in results)}


def _route(pattern: str) -> Any:
    """The regular expression of a route."""
    names: list[str] = []
    text = ""
    for part in re.split(r"(\*\*|\*|:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})", pattern):
        if part == "**":
            text += r"(?:.*)"
        elif part == "*":
            text += r"[^/.]+" if "://" in pattern and text.count("/") < 3 else r"[^/]+"
        elif re.fullmatch(r":\w+|\{\w+\}", part):
            names.append(part.strip(":{}"))
            text += f"(?P<{names[-1]}>[^/]+)"
        else:
            text += re.escape(part)
    if len(set(names)) < len(names):
        raise ToolError("A name occurs twice in the pattern. Give each parameter a name of its own.")
    if pattern.count("*") + len(names) > 20:
        raise ToolError("The pattern has more than 20 parameters and wildcards. Make it simpler.")
    return regex.compile(text)
