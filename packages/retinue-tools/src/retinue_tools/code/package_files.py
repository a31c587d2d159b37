"""Requirements of Python projects (PEP 508), names of wheels (PEP 427), and the package.json of npm projects."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, NotRequired

from packaging.markers import default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, json_object, optional_text, text_mapping

NPM_GROUPS = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies")
"""Groups of dependencies in a package.json."""


class Script(TypedDict):
    """A script of a package.json."""

    name: Annotated[str, About("Name after npm run")]
    command: Annotated[str, About("Command of the script")]
    runs: Annotated[list[str], About("Other scripts that it runs, including pre and post scripts")]


class PackageJson(TypedDict):
    """Overview of a package.json."""

    name: Annotated[str | None, About("Name of the package")]
    version: Annotated[str | None, About("Version of the package")]
    module_type: Annotated[str, About("module or commonjs")]
    engines: Annotated[dict[str, str], About("Required versions of runtimes")]
    scripts: Annotated[list[Script], About("Scripts of the package")]
    counts: Annotated[dict[str, int], About("Number of dependencies in each group")]
    problems: Annotated[list[str], About("Errors and risks")]


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
    reply={
        "problems": "There is something to mend: {problems}",
        "scripts": "The scripts: {scripts}",
        "": "The package.json has no scripts and no problems.",
    },
)
def package_json_check(text: Document) -> PackageJson:
    """Check and look over a package.json: scripts and their commands, module type, engines, and mistakes.

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


class ParsedRequirement(TypedDict):
    """One requirement of a Python project."""

    name: Annotated[str, About("Normalised name of the package")]
    extras: Annotated[list[str], About("Requested extras")]
    constraint: Annotated[str, About("Allowed versions")]
    pinned: Annotated[str | None, About("Version, if exactly one is allowed")]
    marker: Annotated[str | None, About("Condition under which it is needed")]
    applies: Annotated[bool, About("Whether the condition holds on Linux with the given version of Python")]
    url: NotRequired[Annotated[str, About("Source, if not an index")]]


class Requirements(TypedDict):
    """A requirements file."""

    requirements: Annotated[list[ParsedRequirement], About("Requirements in file order")]
    settings: Annotated[list[str], About("Option lines, such as -r or --index-url")]
    unpinned: Annotated[list[str], About("Packages that allow more than one version")]
    invalid: Annotated[list[str], About("Lines that are not requirements, with reasons")]
    duplicates: Annotated[list[str], About("Packages named more than once")]


class Wheel(TypedDict):
    """Parts of a wheel's file name."""

    name: Annotated[str, About("Normalised name of the package")]
    version: Annotated[str, About("Version of the package")]
    build: Annotated[str | None, About("Build number")]
    tags: Annotated[list[str], About("Python, ABI and platform tags, each combination")]
    pure: Annotated[bool, About("Whether it runs on any platform")]
    explanation: Annotated[str, About("Platforms on which it can be installed, in words")]


@tool(
    tags="python requirements pip parse pep508 marker extras pinned unpinned",
    use_when=(
        "Which of my requirements are not pinned?",
        "Parse this requirements.txt",
        "Are there invalid or duplicate lines in my requirements?",
    ),
    examples=(
        Example(
            {
                "text": "-r base.txt\nrequests[security]==2.32.3  # http\nDjango>=5,<6\n"
                'tomli; python_version < "3.11"\nbad requirement==\ndjango\n'
            },
            {
                "settings": ["-r base.txt"],
                "unpinned": ["django", "tomli", "django"],
                "duplicates": ["django"],
                "requirements": [
                    {"name": "requests", "extras": ["security"], "pinned": "2.32.3", "applies": True},
                    {"name": "django", "pinned": None, "constraint": "<6,>=5"},
                    {"name": "tomli", "applies": False, "marker": 'python_version < "3.11"'},
                    {"name": "django", "constraint": ""},
                ],
            },
            source="PEP 508 and the requirements file format",
        ),
        Example(
            {"text": 'tomli; python_version < "3.11"', "python_version": "3.9"},
            {"requirements": [{"name": "tomli", "applies": True}]},
            source="PEP 508: the marker holds for 3.9",
        ),
        Refusal({"text": "# nothing\n"}, "no requirement"),
    ),
    reply={
        "unpinned": "Not pinned: {unpinned}. All requirements: {requirements}",
        "requirements": "All requirements are pinned: {requirements}",
        "": "There are no requirements.",
    },
)
def python_parse_requirements(
    text: Document,
    python_version: Annotated[
        str, About("Version of Python for evaluating conditions", pattern=r"^3\.\d{1,2}$", max_length=5)
    ] = "3.12",
) -> Requirements:
    """Parse a requirements.txt line by line according to PEP 508.

    Use it to check a file, or to see which packages are not pinned, named twice or only needed under a condition.
    Returns the parts of each requirement, option lines, and invalid lines with the reason.
    """
    lines = [line for line in requirement_lines(text) if line]
    settings = [line for line in lines if line.startswith("-")]
    requirements, invalid = [], []
    for line in lines:
        if line.startswith("-"):
            continue
        try:
            requirements.append(_requirement(Requirement(re.sub(r"\s+--hash=\S+", "", line)), python_version))
        except InvalidRequirement as error:
            invalid.append(f"{line}: {str(error).partition(chr(10))[0]}")
    if not lines:
        raise ToolError("The text contains no requirement. Write one per line, such as requests==2.32.3.")
    names = [one["name"] for one in requirements]
    return {
        "requirements": requirements,
        "settings": settings,
        "unpinned": [one["name"] for one in requirements if one["pinned"] is None and "url" not in one],
        "invalid": invalid,
        "duplicates": sorted({name for name in names if names.count(name) > 1}),
    }


@tool(
    tags="python wheel filename tags platform abi manylinux compatible install",
    use_when=(
        "What does the name numpy-2.1.0-cp312-cp312-manylinux_2_17_x86_64.whl mean?",
        "On which platforms does this wheel install?",
        "Which Python version does this wheel need?",
    ),
    examples=(
        Example(
            {"filename": "numpy-2.1.0-cp312-cp312-macosx_11_0_arm64.whl"},
            {"name": "numpy", "version": "2.1.0", "tags": ["cp312-cp312-macosx_11_0_arm64"], "pure": False},
            source="PEP 427, file name convention",
        ),
        Example(
            {"filename": "six-1.16.0-py2.py3-none-any.whl"},
            {"tags": ["py2-none-any", "py3-none-any"], "pure": True, "build": None},
            source="PEP 425, compressed tag sets",
        ),
        Refusal({"filename": "six.tar.gz"}, "not a wheel file name"),
    ),
    reply="{name} {version}: {explanation}",
)
def python_explain_wheel(
    filename: Annotated[str, About("Name of a wheel file", "six-1.16.0-py2.py3-none-any.whl", max_length=300)],
) -> Wheel:
    """Explain the file name of a Python wheel.

    Use it when an install picks the wrong file or none. Returns package, version, build and all tags, with the
    platforms in words.
    """
    try:
        name, version, build, tags = parse_wheel_filename(filename)
    except InvalidWheelFilename as error:
        raise ToolError(
            f"{filename} is not a wheel file name. The format is name-version-python-abi-platform.whl."
        ) from error
    platforms = sorted({tag.platform for tag in tags})
    interpreters = ", ".join(sorted({_interpreter(tag.interpreter) for tag in tags}))
    where = "any platform" if platforms == ["any"] else ", ".join(platforms)
    return {
        "name": str(name),
        "version": str(version),
        "build": "".join(map(str, build)) or None,
        "tags": sorted(map(str, tags)),
        "pure": platforms == ["any"],
        "explanation": f"{interpreters} on {where}",
    }


def requirement_lines(text: str) -> list[str]:
    """Return the lines of a requirements file, with continued lines joined and comments removed."""
    joined = re.sub(r"\\\r?\n", " ", text)
    return [re.sub(r"(^|\s+)#.*", "", line).strip() for line in joined.splitlines()]


def _requirement(requirement: Any, python_version: str) -> ParsedRequirement:
    environment = default_environment() | {
        "python_version": python_version,
        "python_full_version": f"{python_version}.0",
    }
    exact = [one.version for one in requirement.specifier if one.operator in ("==", "===") and "*" not in one.version]
    parsed: ParsedRequirement = {
        "name": canonicalize_name(requirement.name),
        "extras": sorted(requirement.extras),
        "constraint": str(requirement.specifier),
        "pinned": exact[0] if exact else None,
        "marker": str(requirement.marker) if requirement.marker else None,
        "applies": not requirement.marker or requirement.marker.evaluate(environment | {"extra": ""}),
    }
    if requirement.url:
        parsed["url"] = requirement.url
    return parsed


def _interpreter(tag: str) -> str:
    names = {"py": "any Python", "cp": "CPython", "pp": "PyPy"}
    digits = tag[2:]
    version = f" {digits[0]}.{digits[1:]}" if len(digits) > 1 else f" {digits}"
    return names.get(tag[:2], tag[:2]) + version
