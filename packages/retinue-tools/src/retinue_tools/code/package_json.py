"""The package.json of npm projects."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool
from retinue_tools.code._sources import Document, json_object, optional_text, text_mapping

NPM_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
"""Where a package.json lists dependencies."""


class Script(TypedDict):
    """A script of a package.json."""

    name: Annotated[str, About("Name after npm run")]
    command: Annotated[str, About("What it runs")]
    runs: Annotated[list[str], About("Other scripts that it runs, pre and post scripts among them")]


class PackageJson(TypedDict):
    """A package.json looked over."""

    name: Annotated[str | None, About("Name of the package")]
    version: Annotated[str | None, About("Its version")]
    module_type: Annotated[str, About("module or commonjs")]
    engines: Annotated[dict[str, str], About("Versions of runtimes that it needs")]
    scripts: Annotated[list[Script], About("Its scripts")]
    counts: Annotated[dict[str, int], About("How many dependencies of each kind")]
    problems: Annotated[list[str], About("What is wrong or risky")]


@tool(
    tags="npm package.json scripts check lint node engines dependencies problems",
    use_when=(
        "What scripts does this package.json have, and what do they run?",
        "Is anything wrong with my package.json?",
        "Is this package ESM or CommonJS?",
    ),
    examples=(
        Example(
            {
                "text": '{"name": "My App", "version": "1.0", "type": "module", "scripts": {"build": "tsc", '
                '"prebuild": "npm run clean", "clean": "rm -rf dist"}, "dependencies": {"a": "*", "b": "1.0.0"}, '
                '"devDependencies": {"b": "1.0.0"}}'
            },
            {
                "module_type": "module",
                "counts": {"dependencies": 2, "devDependencies": 1},
                "scripts": [
                    {"name": "build", "command": "tsc", "runs": ["prebuild"]},
                    {"name": "prebuild", "command": "npm run clean", "runs": ["clean"]},
                    {"name": "clean", "command": "rm -rf dist", "runs": []},
                ],
                "problems": [
                    "name: My App must be lower case and fit for a URL",
                    "version: 1.0 is not a semantic version as 1.0.0",
                    "dependencies: a allows any version",
                    "b stands in dependencies and in devDependencies",
                ],
            },
            source="documentation of npm, package.json",
        ),
        Refusal({"text": "[1]"}, "must be an object"),
    ),
)
def package_json_check(text: Document) -> PackageJson:
    """Look over a package.json: scripts and what they run, module type, engines, and mistakes.

    Use it before publishing or when taking over a project. Problems are invalid names and versions, dependencies
    without bounds or in two groups, and scripts that run missing ones.
    """
    package = json_object(text)
    groups = {name: text_mapping(package.get(name)) for name in NPM_GROUPS if package.get(name)}
    scripts = text_mapping(package.get("scripts"))
    return {
        "name": optional_text(package.get("name")),
        "version": optional_text(package.get("version")),
        "module_type": "module" if package.get("type") == "module" else "commonjs",
        "engines": text_mapping(package.get("engines")),
        "scripts": [
            {"name": name, "command": line, "runs": _runs(name, line, scripts)} for name, line in scripts.items()
        ],
        "counts": {name: len(group) for name, group in groups.items()},
        "problems": [*_package_problems(package, groups), *_script_problems(scripts)],
    }


def _runs(name: str, command: str, scripts: Mapping[str, str]) -> list[str]:
    called = re.findall(r"\b(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?([\w:.-]+)", command)
    around = [f"pre{name}", f"post{name}"]
    return [one for one in dict.fromkeys([around[0], *called, around[1]]) if one in scripts]


def _package_problems(package: dict[str, Any], groups: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    name, version = optional_text(package.get("name")), optional_text(package.get("version"))
    if name is None or version is None:
        yield "name and version are needed for publishing"
    if name and not re.fullmatch(r"(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*", name):
        yield f"name: {name} must be lower case and fit for a URL"
    if version and not re.fullmatch(r"\d+\.\d+\.\d+([-+].+)?", version):
        yield f"version: {version} is not a semantic version as 1.0.0"
    for group, dependencies in groups.items():
        free = [one for one, constraint in dependencies.items() if constraint in ("", "*", "x", "latest")]
        yield from (f"{group}: {one} allows any version" for one in free)
    for one in groups.get("dependencies", {}):
        if one in groups.get("devDependencies", {}):
            yield f"{one} stands in dependencies and in devDependencies"


def _script_problems(scripts: Mapping[str, str]) -> Iterator[str]:
    for name, command in scripts.items():
        for called in re.findall(r"\b(?:npm|pnpm|yarn|bun)\s+run\s+([\w:.-]+)", command):
            if called not in scripts:
                yield f"scripts: {name} runs {called}, which is missing"
