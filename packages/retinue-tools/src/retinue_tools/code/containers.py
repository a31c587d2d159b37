"""Containers and pipelines: Dockerfiles, compose files, workflows."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, yaml_object

_MOST = 500


_INSTRUCTIONS = frozenset(
    ["FROM", "RUN", "CMD", "LABEL", "EXPOSE", "ENV", "ADD", "COPY", "ENTRYPOINT", "VOLUME", "USER", "WORKDIR", "ARG",
     "ONBUILD", "STOPSIGNAL", "HEALTHCHECK", "SHELL", "MAINTAINER"]
)  # fmt: skip


Level = Literal["error", "warning", "info"]


class Remark(TypedDict):
    """A problem in a file."""

    level: Annotated[str, About("error, warning or info")]
    where: Annotated[str, About("Line, service, job or step")]
    message: Annotated[str, About("The problem and how to fix it")]


class DockerfileCheck(TypedDict):
    """Result of checking a Dockerfile."""

    remarks: Annotated[list[Remark], About("Remarks in file order")]
    stages: Annotated[list[str], About("Base image and name of each stage")]
    instructions: Annotated[int, About("Number of instructions")]


class ComposeCheck(TypedDict):
    """Result of checking a compose file."""

    valid: Annotated[bool, About("Whether there are no errors")]
    remarks: Annotated[list[Remark], About("Errors first")]
    services: Annotated[list[str], About("Services in a possible start order")]
    ports: Annotated[dict[str, list[str]], About("Published ports by service")]


class WorkflowCheck(TypedDict):
    """Result of checking a workflow."""

    valid: Annotated[bool, About("Whether there are no errors")]
    remarks: Annotated[list[Remark], About("Errors first")]
    triggers: Annotated[list[str], About("Triggers of the workflow")]
    jobs: Annotated[list[str], About("Jobs of the workflow")]
    actions: Annotated[list[str], About("Actions used by the workflow")]


@tool(
    tags="dockerfile lint check hadolint best practices docker image build security",
    use_when=(
        "What can be improved in this Dockerfile?",
        "Lint my Dockerfile",
        "Is this Dockerfile secure and cache-friendly?",
    ),
    examples=(
        Example(
            {"text": "FROM python:latest AS b\nRUN apt-get update && \\\n    apt-get install curl\n"
                "ADD app.py /app\nCMD python app.py\n"},
            {
                "stages": ["python:latest AS b"],
                "instructions": 4,
                "remarks": [
                    {"level": "warning", "where": "line 1"},
                    {"level": "warning", "where": "line 2"},
                    {"level": "info", "where": "line 2"},
                    {"level": "info", "where": "line 4"},
                    {"level": "warning", "where": "line 5"},
                    {"level": "warning", "where": "file"},
                ],
            },
            source="Docker's guide to building best practices",
        ),
        Example(
            {"text": 'FROM alpine:3.20\nUSER app\nCMD '
                '["run"]\n'}, {"remarks": [], "stages": ["alpine:3.20"]}, source="by hand"
        ),
        Refusal({"text": "hello world"}, "no FROM"),
    ),
    reply={
        "remarks": "This can be improved: {remarks}",
        "": "I found nothing to improve in the Dockerfile.",
    },
)  # fmt: skip
def dockerfile_check_rules(text: Document) -> DockerfileCheck:
    """Check a Dockerfile against common rules for small, safe and repeatable images.

    Use it in a review: unpinned bases, ADD for plain files, apt-get without -y or clean-up, shell-form CMD, secrets in
    ENV, root as the user. Returns remarks with lines, and the stages.
    """
    steps = list(_instructions(text))
    bases = [argument for _, word, argument in steps if word == "FROM"]
    if not bases:
        raise ToolError("The text has no FROM instruction, so it is not a Dockerfile.")
    remarks = [remark for line, word, argument in steps for remark in _docker_remarks(line, word, argument)]
    if not any(word == "USER" and argument not in ("root", "0") for _, word, argument in steps):
        remarks.append(_remark("warning", "file", "The container runs as root. Add USER with a name of its own."))
    return {"remarks": remarks, "stages": bases, "instructions": len(steps)}


@tool(
    tags="docker compose validate check services ports volumes depends_on yaml",
    use_when=(
        "Is this docker-compose.yml valid?",
        "In which order do these compose services start?",
        "Do two services publish the same port?",
    ),
    examples=(
        Example(
            {
                "text": "services:\n  web:\n    image: a:1\n    ports: ['80:80']\n    depends_on: [db]\n"
                "    volumes: ['data:/d']\n  db:\n    image: b\n    ports: ['80:5432']\n"
            },
            {
                "valid": False,
                "services": ["db", "web"],
                "ports": {"web": ["80:80"], "db": ["80:5432"]},
                "remarks": [
                    {"level": "error", "where": "web", "message": "The volume data is not declared under volumes."},
                    {"level": "error", "where": "db", "message": "The port 80 of the host is published twice."},
                    {"level": "warning", "where": "db", "message": "The image b has no tag. Name a version."},
                ],
            },
            source="Compose Specification",
        ),
        Example(
            {"text": "services:\n  a: {build: ., depends_on: {b: {condition: service_started}}}\n  "
                "b: {image: 'x:1', depends_on: [a]}\n"},
            {"valid": False, "remarks": [{"level": "error", "message": "The services a, b wait for each other."}]},
            source="by hand",
        ),
        Refusal({"text": "version: '3'\n"}, "no services"),
    ),
    reply={
        "valid, remarks": "The compose file is valid, with these remarks: {remarks}",
        "valid, services": "The compose file is valid; the services start in the order {services}.",
        "valid": "The compose file is valid.",
        "remarks": "The compose file has errors: {remarks}",
        "": "The compose file is not valid.",
    },
)  # fmt: skip
def compose_validate_file(text: Document) -> ComposeCheck:
    """Check a compose file: images, references to services and volumes, published ports, cycles.

    Use it before docker compose up. Returns errors and warnings, and the services in an order in which they can start.
    """
    document = yaml_object(text)
    services = document.get("services")
    if not isinstance(services, dict) or not services:
        raise ToolError("The file has no services. A compose file has a mapping named services.")
    parts = {name: part if isinstance(part, dict) else {} for name, part in services.items()}
    volumes = document.get("volumes")
    remarks = list(_compose_remarks(parts, set(volumes) if isinstance(volumes, dict) else set()))
    ordered, stuck = _start_order(parts)
    if stuck:
        remarks.append(_remark("error", stuck[0], f"The services {', '.join(stuck)} wait for each other."))
    remarks.sort(key=lambda remark: remark["level"] != "error")
    return {
        "valid": not any(remark["level"] == "error" for remark in remarks),
        "remarks": remarks[:_MOST],
        "services": ordered,
        "ports": {name: published for name, part in parts.items() if (published := _texts(part, "ports"))},
    }


@tool(
    tags="github actions workflow lint check ci yaml pipeline jobs steps pin security",
    use_when=(
        "Is this GitHub Actions workflow correct?",
        "Which actions in my workflow are not pinned?",
        "Check this CI file for script injection",
    ),
    examples=(
        Example(
            {
                "text": "on: [push]\njobs:\n  a:\n    runs-on: ubuntu-latest\n    needs: b\n    steps:\n"
                "      - uses: actions/checkout@main\n      - run: echo ${{ github.event.issue.title }}\n"
            },
            {
                "valid": False,
                "triggers": ["push"],
                "jobs": ["a"],
                "actions": ["actions/checkout@main"],
                "remarks": [
                    {"level": "error", "where": "a", "message": "The job needs b, which is missing."},
                    {"level": "error", "where": "a, step 2"},
                    {"level": "warning", "where": "file"},
                    {"level": "warning", "where": "a, step 1"},
                ],
            },
            source="documentation of GitHub Actions: workflow syntax, and secure use reference",
        ),
        Example(
            {"text": "on: {push: {}}\npermissions: {}\njobs: {t: {runs-on: x, steps: [{run: make}]}}\n"},
            {"valid": True, "remarks": [], "triggers": ["push"]},
            source="documentation of GitHub Actions: workflow syntax",
        ),
        Example(
            {
                "text": "on: pull_request_target\npermissions: {}\njobs:\n  t:\n    runs-on: x\n    steps:\n"
                "      - uses: actions/checkout@v4\n"
                "      - uses: actions/cache@0123456789abcdef0123456789abcdef01234567\n"
            },
            {
                "valid": True,
                "remarks": [{"level": "warning", "where": "file"}, {"level": "info", "where": "t, step 1"}],
            },
            source="documentation of GitHub Actions: secure use reference",
        ),
        Refusal({"text": "on: push\n"}, "no jobs"),
    ),
    reply={
        "valid, remarks": "The workflow is correct, with these remarks: {remarks}",
        "valid": "The workflow is correct.",
        "remarks": "The workflow has errors: {remarks}",
        "": "The workflow has errors.",
    },
)
def workflow_check_rules(text: Document) -> WorkflowCheck:
    """Check a GitHub Actions workflow for faults and risks.

    Use it before pushing: missing jobs, steps that do nothing, unpinned actions, missing permissions, and untrusted
    values in scripts. Returns remarks, triggers, jobs and actions.
    """
    document = yaml_object(text)
    jobs = document.get("jobs")
    if not isinstance(jobs, dict) or not jobs:
        raise ToolError("The file has no jobs, so it is not a workflow.")
    trigger = document.get("on")
    triggers = [trigger] if isinstance(trigger, str) else list(trigger or [])
    remarks = [] if triggers else [_remark("error", "file", "Nothing starts the workflow. Add on.")]
    if "pull_request_target" in triggers:
        remarks.append(_remark("warning", "file", _PRIVILEGED))
    if "permissions" not in document:
        remarks.append(
            _remark("warning", "file", "The token has default permissions. Add permissions with the least needed.")
        )
    parts = {name: part if isinstance(part, dict) else {} for name, part in jobs.items()}
    for name, part in parts.items():
        remarks += _job_remarks(name, part, set(parts))
    steps = [step for part in parts.values() for step in _steps(part)]
    remarks.sort(key=lambda remark: remark["level"] != "error")
    return {
        "valid": not any(remark["level"] == "error" for remark in remarks),
        "remarks": remarks[:_MOST],
        "triggers": [str(one) for one in triggers],
        "jobs": list(parts),
        "actions": sorted({str(step["uses"]) for step in steps if "uses" in step}),
    }


_PRIVILEGED = (
    "pull_request_target gives the pull requests of strangers secrets and a token that can write. Use pull_request, or "
    "never check out or run their code in it."
)


def _remark(level: Level, where: str, message: str) -> Remark:
    return {"level": level, "where": where, "message": message}


def _instructions(text: str) -> Iterator[tuple[int, str, str]]:
    """Return the instructions of a Dockerfile with the numbers of their first lines; continued lines are joined."""
    pending_text, start = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        start = start if pending_text else number
        pending_text += line.strip()
        if pending_text.endswith("\\"):
            pending_text = pending_text[:-1].rstrip() + " "
            continue
        word, _, argument = pending_text.partition(" ")
        if word.upper() in _INSTRUCTIONS:
            yield start, word.upper(), argument.strip()
        pending_text = ""


def _docker_remarks(line: int, word: str, argument: str) -> Iterator[Remark]:
    where = f"line {line}"
    image = argument.partition(" ")[0]
    floating = ":" not in image.rpartition("/")[2] or image.endswith(":latest")
    if word == "FROM" and "$" not in image and image != "scratch" and floating:
        yield _remark("warning", where, f"The base {image} has no fixed version. Name a tag or digest.")
    if word == "RUN" and re.search(r"apt-get install(?!.*(-y|--yes|-qq))", argument):
        yield _remark("warning", where, "apt-get install waits for an answer. Add -y.")
    if word == "RUN" and "apt-get install" in argument and "/var/lib/apt/lists" not in argument:
        yield _remark("info", where, "The package lists stay in the layer. End with rm -rf /var/lib/apt/lists/*.")
    if word == "RUN" and re.search(r"\bsudo\b|curl[^|]*\|\s*(ba)?sh", argument):
        yield _remark(
            "warning", where, "sudo, or a script piped from the network, is not needed or not safe in a build."
        )
    if word == "ADD" and not re.search(r"https?://|\.(tar|tgz|gz|xz|bz2)\b|\bgit@", argument):
        yield _remark("info", where, "Use COPY for plain files: ADD also unpacks and downloads.")
    if word in ("CMD", "ENTRYPOINT") and not argument.startswith("["):
        yield _remark(
            "warning", where, f'The shell form of {word} keeps signals from the program. Write ["program", "argument"].'
        )
    if word in ("ENV", "ARG") and re.search(r"(?i)(password|secret|token|api_?key)\w*[= ]\S", argument):
        yield _remark("error", where, "A secret stays readable in the image. Use a build secret.")
    if word == "WORKDIR" and not argument.startswith(("/", "$", '"', "C:")):
        yield _remark("warning", where, "WORKDIR should be an absolute path.")
    if word == "MAINTAINER":
        yield _remark("info", where, "MAINTAINER is deprecated. Use LABEL.")


def _texts(part: dict[str, Any], name: str) -> list[str]:
    value = part.get(name)
    items = value if isinstance(value, list) else list(value) if isinstance(value, dict) else []
    return [
        f"{one.get('published', '')}:{one.get('target', '')}" if isinstance(one, dict) else str(one) for one in items
    ]


def _compose_remarks(parts: dict[str, dict[str, Any]], volumes: set[str]) -> Iterator[Remark]:
    taken: set[str] = set()
    for name, part in parts.items():
        yield from _image_remarks(name, part)
        for other in _texts(part, "depends_on"):
            if other not in parts:
                yield _remark("error", name, f"The service waits for {other}, which is missing.")
        for mount in _texts(part, "volumes"):
            source = mount.partition(":")[0]
            if ":" in mount and re.fullmatch(r"[A-Za-z0-9][\w.-]*", source) and source not in volumes:
                yield _remark("error", name, f"The volume {source} is not declared under volumes.")
        for port in _texts(part, "ports"):
            host = port.partition("/")[0].rpartition(":")[0]
            if host and host in taken:
                yield _remark("error", name, f"The port {host} of the host is published twice.")
            taken.add(host)


def _image_remarks(name: str, part: dict[str, Any]) -> Iterator[Remark]:
    if not part.keys() & {"image", "build", "extends"}:
        yield _remark("error", name, "The service has neither image nor build.")
    image = str(part.get("image", ""))
    if image and ":" not in image.rpartition("/")[2] and "$" not in image and "@" not in image:
        yield _remark("warning", name, f"The image {image} has no tag. Name a version.")
    if part.get("privileged") is True:
        yield _remark("warning", name, "The service is privileged: it can take over the host.")


def _start_order(parts: dict[str, dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the services ordered by their dependencies, and those in a dependency cycle."""
    ordered: list[str] = []
    pending = dict(parts)
    while pending:
        free = [name for name, part in pending.items() if not set(_texts(part, "depends_on")) & pending.keys()]
        if not free:
            return ordered + list(pending), list(pending)
        ordered += free
        pending = {name: part for name, part in pending.items() if name not in free}
    return ordered, []


def _steps(job: dict[str, Any]) -> list[dict[str, Any]]:
    steps = job.get("steps")
    return [step for step in steps if isinstance(step, dict)] if isinstance(steps, list) else []


def _job_remarks(name: str, job: dict[str, Any], jobs: set[str]) -> Iterator[Remark]:
    if "uses" not in job and not _steps(job):
        yield _remark("error", name, "The job has no steps.")
    if "uses" not in job and "runs-on" not in job:
        yield _remark("error", name, "The job has no runs-on.")
    needs = job.get("needs")
    for other in [needs] if isinstance(needs, str) else needs or []:
        if other not in jobs:
            yield _remark("error", name, f"The job needs {other}, which is missing.")
    for number, step in enumerate(_steps(job), 1):
        yield from _step_remarks(f"{name}, step {number}", step)


def _step_remarks(where: str, step: dict[str, Any]) -> Iterator[Remark]:
    if ("uses" in step) == ("run" in step):
        yield _remark("error", where, "A step has either uses or run.")
    action = str(step.get("uses", ""))
    if action and not action.startswith(("./", "docker://")) and not re.search(r"@(v?\d|[0-9a-f]{40}$)", action):
        yield _remark("warning", where, f"{action} moves under you. Pin it to a version or commit.")
    elif re.search(r"@v?\d(?![0-9a-f]{39}$)", action):
        yield _remark("info", where, f"The tag of {action} can be moved. Pin it to the full hash of a commit.")
    if re.search(
        r"\$\{\{\s*github\.(event\.\S*(title|body|message|name|ref|label|email)|head_ref)", str(step.get("run", ""))
    ):
        yield _remark("error", where, "A value that strangers write stands in the script. Pass it by env and quote it.")
