"""Dependencies of projects: manifests of many ecosystems."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from lxml import etree
from packaging.requirements import InvalidRequirement, Requirement
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import (
    Document,
    json_object,
    optional_text,
    text_mapping,
    toml_object,
    yaml_object,
)
from retinue_tools.code.package_files import NPM_GROUPS, requirement_lines
from retinue_tools.data_formats._xml_trees import malformed_at

_MOST = 5000


_GO_LINE = re.compile(
    r"^\s*(?:require\s+)?([\w.\-~]+\.[\w.\-~]+/[^\s]+|[\w.\-]+\.\w+)\s+(v\S+)(\s*//\s*indirect)?", re.MULTILINE
)


_GEM = re.compile(r"""^\s*gem\s+['"]([^'"]+)['"]((?:\s*,\s*['"][^'"]+['"])*)""", re.MULTILINE)


_GRADLE = re.compile(
    r"""\b(\w*(?:[iI]mplementation|api|[cC]ompileOnly|[rR]untimeOnly))[\s(]+['"]([\w.\-]+:[\w.\-]+)(?::([^'"]+))?['"]"""
)


Manifest = Annotated[
    Literal[
        "package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "go.mod", "composer.json", "Gemfile",
        "pom.xml", "build.gradle", "pubspec.yaml",
    ],
    About("Type of the manifest"),
]  # fmt: skip


class Dependency(TypedDict):
    """A declared dependency."""

    name: Annotated[str, About("Name of the package")]
    constraint: Annotated[str, About("Allowed versions as written; empty for any")]
    group: Annotated[str, About("Group as named in the file, such as dependencies or dev")]


class Dependencies(TypedDict):
    """Dependencies of a manifest."""

    project: Annotated[str | None, About("Name of the project")]
    version: Annotated[str | None, About("Version of the project")]
    requires: Annotated[str | None, About("Required version of the language or runtime")]
    dependencies: Annotated[list[Dependency], About("Dependencies in file order")]
    count: Annotated[int, About("Total number of dependencies")]


@tool(
    tags="dependencies manifest package.json pyproject cargo go.mod composer gemfile pom gradle requirements list",
    use_when=(
        "List the dependencies in this Cargo.toml",
        "What does this go.mod require directly?",
        "Which development dependencies has this pyproject.toml?",
        "Read the dependencies of this pom.xml",
    ),
    examples=(
        Example(
            {
                "text": '{"name": "a", "version": "1.0.0", "engines": {"node": ">=20"}, "dependencies": {"x": "^1"}, '
                '"devDependencies": {"y": "2.0.0"}}',
                "manifest": "package.json",
            },
            {
                "project": "a",
                "requires": ">=20",
                "dependencies": [
                    {"name": "x", "constraint": "^1", "group": "dependencies"},
                    {"name": "y", "constraint": "2.0.0", "group": "devDependencies"},
                ],
            },
            source="by hand",
        ),
        Example(
            {
                "text": "module example.org/m\n\ngo 1.22\n\nrequire (\n\tgolang.org/x/net v0.30.0\n"
                "\tgopkg.in/yaml.v3 v3.0.1 // indirect\n)\n",
                "manifest": "go.mod",
            },
            {
                "project": "example.org/m",
                "requires": "1.22",
                "dependencies": [
                    {"name": "golang.org/x/net", "constraint": "v0.30.0", "group": "direct"},
                    {"name": "gopkg.in/yaml.v3", "constraint": "v3.0.1", "group": "indirect"},
                ],
            },
            source="Go Modules Reference, go.mod files",
        ),
        Example(
            {
                "text": '[project]\nname = "p"\nrequires-python = ">=3.11"\ndependencies = ["httpx[http2]>=0.27"]\n'
                '[dependency-groups]\ndev = ["pytest"]\n',
                "manifest": "pyproject.toml",
            },
            {
                "requires": ">=3.11",
                "dependencies": [
                    {"name": "httpx", "constraint": ">=0.27", "group": "dependencies"},
                    {"name": "pytest", "constraint": "", "group": "dev"},
                ],
            },
            source="PEP 621 and PEP 735",
        ),
        Example(
            {
                "text": '[package]\nname = "c"\n[dependencies]\nserde = { version = "1.0" }\nlog = "0.4"\n',
                "manifest": "Cargo.toml",
            },
            {
                "count": 2,
                "dependencies": [{"name": "serde", "constraint": "1.0"}, {"name": "log", "constraint": "0.4"}],
            },
            source="The Cargo Book, Specifying Dependencies",
        ),
        Example(
            {
                "text": "<project><artifactId>m</artifactId><version>2</version><dependencies><dependency>"
                "<groupId>org.junit</groupId><artifactId>junit</artifactId><version>5</version><scope>test</scope>"
                "</dependency></dependencies></project>",
                "manifest": "pom.xml",
            },
            {"project": "m", "dependencies": [{"name": "org.junit:junit", "constraint": "5", "group": "test"}]},
            source="Maven POM reference",
        ),
        Refusal({"text": "[project", "manifest": "pyproject.toml"}, "not TOML"),
        Refusal({"text": "<project>", "manifest": "pom.xml"}, "not XML"),
    ),
    reply={
        "project, dependencies": "{project} has {count|dependency|dependencies}: {dependencies}",
        "dependencies": "I found {count|dependency|dependencies}: {dependencies}",
        "": "There are no dependencies.",
    },
)
def manifest_list_dependencies(text: Document, manifest: Manifest) -> Dependencies:
    """List the dependencies that a project's manifest declares, in ten ecosystems.

    Use it for package.json, pyproject.toml (PEP 621, Poetry), requirements.txt, Cargo.toml, go.mod, composer.json,
    Gemfile, pom.xml, build.gradle and pubspec.yaml. Returns each with its constraint and group, and the project's name,
    version and runtime.
    """
    read = _READERS[manifest](text)
    return {**read, "dependencies": read["dependencies"][:_MOST]}


def _read(project: Any, version: Any, requires: Any, found: Iterator[tuple[str, Any, str]]) -> Dependencies:
    listed: list[Dependency] = [
        {"name": name, "constraint": _constraint(constraint), "group": group} for name, constraint, group in found
    ]
    return {
        "project": optional_text(project),
        "version": optional_text(version),
        "requires": optional_text(requires),
        "dependencies": listed,
        "count": len(listed),
    }


def _constraint(value: Any) -> str:
    """Return a version, or the other source of the package."""
    if isinstance(value, Mapping):
        keys = ("version", "git", "path", "url", "workspace", "sdk", "hosted")
        return next((str(value[key]) for key in keys if key in value), "")
    return "" if value is None else str(value)


def _groups(document: Any, names: tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
    for group in names:
        part = document.get(group)
        if isinstance(part, Mapping):
            yield from ((str(name), constraint, group) for name, constraint in part.items())


def _package_json(text: str) -> Dependencies:
    package = json_object(text)
    return _read(
        package.get("name"),
        package.get("version"),
        text_mapping(package.get("engines")).get("node"),
        _groups(package, NPM_GROUPS),
    )


def _composer(text: str) -> Dependencies:
    package = json_object(text)
    needed = text_mapping(package.get("require")).get("php")
    return _read(package.get("name"), package.get("version"), needed, _groups(package, ("require", "require-dev")))


def _pubspec(text: str) -> Dependencies:
    package = yaml_object(text)
    groups = ("dependencies", "dev_dependencies", "dependency_overrides")
    needed = text_mapping(package.get("environment")).get("sdk")
    return _read(package.get("name"), package.get("version"), needed, _groups(package, groups))


def _cargo(text: str) -> Dependencies:
    document = toml_object(text)
    package = document.get("package", {}) if isinstance(document.get("package", {}), dict) else {}
    groups = ("dependencies", "dev-dependencies", "build-dependencies")
    return _read(package.get("name"), package.get("version"), package.get("rust-version"), _groups(document, groups))


def _pyproject(text: str) -> Dependencies:
    document = toml_object(text)
    project, tools = _table(document, "project"), _table(document, "tool")
    poetry = _table(tools, "poetry")
    needed = project.get("requires-python") or text_mapping(poetry.get("dependencies")).get("python")
    name, version = (project.get(key) or poetry.get(key) for key in ("name", "version"))
    return _read(name, version, needed, _python_dependencies(document, project, poetry))


def _python_dependencies(
    document: dict[str, Any], project: dict[str, Any], poetry: dict[str, Any]
) -> Iterator[tuple[str, Any, str]]:
    lists = {"dependencies": project.get("dependencies", [])}
    lists |= _table(project, "optional-dependencies") | _table(document, "dependency-groups")
    for group, lines in lists.items():
        for line in lines if isinstance(lines, list) else []:
            if isinstance(line, str):
                yield (*_name_and_constraint(line), group)
    poetry_groups = {"dependencies": poetry.get("dependencies")}
    poetry_groups |= {name: _table(part, "dependencies") for name, part in _tables(_table(poetry, "group"))}
    yield from (one for one in _groups(poetry_groups, tuple(poetry_groups)) if one[0] != "python")


def _table(document: dict[str, Any], name: str) -> dict[str, Any]:
    part = document.get(name)
    return part if isinstance(part, dict) else {}


def _tables(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, part) for name, part in document.items() if isinstance(part, dict)]


def _requirements(text: str) -> Dependencies:
    lines = [line for line in requirement_lines(text) if line and not line.startswith("-")]
    return _read(None, None, None, ((*_name_and_constraint(line), "requirements") for line in lines))


def _name_and_constraint(line: str) -> tuple[str, str]:
    try:
        requirement = Requirement(re.sub(r"\s+--hash=\S+", "", line))
    except InvalidRequirement as error:
        raise ToolError(
            f"{line[:200]} is not a requirement in the sense of PEP 508. Write it as requests>=2.32."
        ) from error
    return requirement.name, str(requirement.specifier) or requirement.url or ""


def _go_mod(text: str) -> Dependencies:
    body = re.sub(r"^(replace|exclude|retract|tool)\b(\s*\([^)]*\)|.*)", "", text, flags=re.MULTILINE)
    found = ((one[1], one[2], "indirect" if one[3] else "direct") for one in _GO_LINE.finditer(body))
    module, go = (re.search(rf"^{word}\s+(\S+)", text, re.MULTILINE) for word in ("module", "go"))
    return _read(module and module[1], None, go and go[1], found)


def _gemfile(text: str) -> Dependencies:
    found = ((one[1], ", ".join(re.findall(r"""['"]([^'"]+)['"]""", one[2])), "gems") for one in _GEM.finditer(text))
    ruby = re.search(r"""^\s*ruby\s+['"]([^'"]+)""", text, re.MULTILINE)
    return _read(None, None, ruby and ruby[1], found)


def _gradle(text: str) -> Dependencies:
    return _read(None, None, None, ((one[2], one[3], one[1]) for one in _GRADLE.finditer(text)))


def _pom(text: str) -> Dependencies:
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(text.encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ToolError(f"This is not XML.{malformed_at(error)}") from error

    def value(node: Any, name: str) -> str | None:
        found = node.find(f"{{*}}{name}")
        return found.text if found is not None else None

    nodes = root.findall("{*}dependencies/{*}dependency")
    found = (
        (
            f"{value(node, 'groupId')}:{value(node, 'artifactId')}",
            value(node, "version"),
            value(node, "scope") or "compile",
        )
        for node in nodes
    )
    return _read(value(root, "artifactId"), value(root, "version"), None, found)


_READERS: Mapping[str, Callable[[str], Dependencies]] = {
    "package.json": _package_json,
    "pyproject.toml": _pyproject,
    "requirements.txt": _requirements,
    "Cargo.toml": _cargo,
    "go.mod": _go_mod,
    "composer.json": _composer,
    "Gemfile": _gemfile,
    "pom.xml": _pom,
    "build.gradle": _gradle,
    "pubspec.yaml": _pubspec,
}
