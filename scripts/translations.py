"""Collect the messages of the user interface into the catalogues that translators fill in: `make translations`."""

from functools import cache
from pathlib import Path
from typing import Any

from babel.messages import Catalog
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import write_po

from retinue.language.translation import LANGUAGES, SOURCE, read_catalogue
from scripts.error_messages import extract_errors, extract_reasons, extract_texts
from scripts.interface_words import extract_descriptions, extract_portal

ROOT = Path(__file__).parents[1] / "src" / "retinue"
CATALOGUES = ROOT / "language" / "catalogues"
PAGES = ("portal/templates", "oauth/pages", "voice/rooms/pages")
SCRIPTS = ("portal/static", "portal/widget", "voice/rooms/pages")

SERVICES = (
    "account_data",
    "agents",
    "auth",
    "chat",
    "connections",
    "core/database",
    "core/http",
    "core/network",
    "files",
    "fleets",
    "gate",
    "interop/agui",
    "knowledge",
    "marketplace",
    "memory",
    "models",
    "oauth",
    "providers",
    "request_log",
    "runs",
    "sandbox",
    "schedules",
    "sharing",
    "simulations",
    "skills",
    "tools/catalogue",
    "tools/execution",
    "tools/imports",
    "tools/outbound",
    "tools/schemas",
    "usage",
    "voice/batches",
    "voice/calls",
    "voice/do_not_call",
    "voice/livekit",
    "voice/media",
    "voice/rooms",
    "voice/speech",
    "voice/worker",
    "webhooks",
)
"""The packages whose errors pages and the widget show."""

MODULES = (
    "core/errors.py",
    "core/runtime/fair_semaphore.py",
    "core/work/notifier.py",
    "interop/attachments.py",
    "interop/lenient.py",
    "platform/readiness.py",
)
"""Single modules of other packages whose errors they show."""

EVENTS = (
    "agents",
    "fleets",
    "marketplace",
    "runs",
    "schedules",
    "simulations",
    "tools",
    "usage",
    "voice/batches",
    "voice/calls",
    "voice/rooms",
    "webhooks",
)
"""The packages whose events the webhook pages describe."""

NOT_SHOWN = (
    "auth/caller.py",
    "auth/plans.py",
    "files/forms.py",
    "files/ranges.py",
    "gate/cross_origin.py",
    "gate/hosts.py",
    "gate/window_persistence.py",
    "interop/agui/front_end_tools.py",
    "marketplace/shipped.py",
    "models/encoder.py",
    "models/test_model.py",
    "runs/execution/nesting_limits.py",
    "runs/execution/session_tools.py",
    "runs/execution/tool_calls.py",
    "runs/tool_selection/run_tools.py",
    "skills/tools.py",
    "tools/imports/mcp/direct_answers.py",
    "tools/imports/mcp/questions.py",
    "voice/calls/call_tools.py",
    "voice/calls/inbound.py",
)
"""Their modules whose errors only programs and models get."""

ERRORS_ALONE = (
    *(f"{package}/**/{name}.py" for package in SERVICES for name in ("prompts", "resource", "router", "schemas")),
    "agents/agent_tools.py",
    "connections/kinds.py",
    "core/database/**.py",
    "core/http/**.py",
    "files/sweep.py",
    "interop/agui/**.py",
    "knowledge/sources/aws_signature.py",
    "models/providers/**.py",
    "models/recommendation.py",
    "models/streams.py",
    "oauth/clients.py",
    "oauth/endpoints.py",
    "oauth/forms.py",
    "oauth/grants.py",
    "oauth/limits.py",
    "oauth/registration.py",
    "oauth/resources.py",
    "runs/execution/compaction.py",
    "runs/execution/knowledge.py",
    "runs/execution/long_results.py",
    "runs/execution/memory.py",
    "runs/tool_selection/**.py",
    "schedules/consistency.py",
    "tools/catalogue/argument_validation.py",
    "tools/catalogue/build_catalogue.py",
    "tools/imports/a2a/card.py",
    "tools/imports/mcp/messages.py",
    "tools/imports/mcp/tools.py",
    "tools/imports/openapi.py",
    "voice/calls/analysis.py",
    "voice/calls/manner.py",
    "voice/calls/replies.py",
    "voice/media/self_call.py",
    "voice/rooms/replies.py",
    "voice/worker/digest.py",
    "voice/worker/session_timers.py",
)
"""Modules with other sentences, such as prompts, descriptions and answers to programs. Only their errors are shown."""

METHODS: dict[str, list[tuple[str, Any]]] = {
    "portal": [
        *((f"{folder}/**.html", "jinja2") for folder in PAGES),
        *((f"{package}/events.py", extract_descriptions) for package in EVENTS),
        ("portal/**.py", extract_portal),
        ("**.py", "python"),
    ],
    "errors": [
        *((path, "ignore") for path in NOT_SHOWN),
        ("core/http/pattern_words.py", extract_reasons),
        ("core/http/validation_messages.py", extract_reasons),
        ("tools/catalogue/argument_validation.py", extract_reasons),
        *((path, extract_errors) for path in ERRORS_ALONE),
        *((path, extract_texts) for path in (*MODULES, *(f"{package}/**.py" for package in SERVICES))),
    ],
    "scripts": [("**/vendor/**", "ignore"), *((f"{folder}/**.js", "javascript") for folder in SCRIPTS)],
}
"""The files of each domain, as patterns of paths below `src/retinue`, and the method of Babel for them."""

OPTIONS = {f"{folder}/**.html": {"trimmed": "true", "newstyle_gettext": "true"} for folder in PAGES}
KEYWORDS = {**DEFAULT_KEYWORDS, "gettext_noop": None}

HEADER = """msgid ""
msgstr ""
"Language: {language}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {plurals}\\n"

"""
"""The header has no dates and names: a run that changes no message changes no file."""


def main() -> None:
    """Bring the catalogues of all languages up to date. Messages that no code has any more are removed."""
    for domain in METHODS:
        messages = extract_messages(domain)
        for language in LANGUAGES:
            if language != SOURCE:
                update_catalogue(language, domain, messages)


@cache
def extract_messages(domain: str) -> Catalog:
    """Return the messages of a domain as they stand in the code, which takes seconds once in each process."""
    messages = Catalog()
    for file, _, message, comments, context in extract_from_dir(ROOT, METHODS[domain], OPTIONS, KEYWORDS):
        messages.add(message, None, [(file, 0)], auto_comments=comments, context=context)
    return messages


def catalogue_of(language: str, domain: str) -> Catalog:
    """Read a catalogue. A new language has an empty one."""
    path = _path(language, domain)
    return read_catalogue(path, language) if path.exists() else Catalog(locale=language)


def update_catalogue(language: str, domain: str, messages: Catalog) -> None:
    """Add new messages to a catalogue and remove old ones. Translations stay."""
    old, new = catalogue_of(language, domain), Catalog(locale=language)
    for message in sorted(messages, key=lambda one: (one.locations, str(one.id), one.context or "")):
        if message.id:
            before = old.get(message.id, message.context)
            new.add(message.id, before.string if before else "", message.locations, context=message.context)
    path = _path(language, domain)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as target:
        target.write(HEADER.format(language=language, plurals=new.plural_forms).encode())
        write_po(target, new, width=0, omit_header=True, include_lineno=False)


def _path(language: str, domain: str) -> Path:
    return CATALOGUES / language / f"{domain}.po"


if __name__ == "__main__":
    main()
