"""Translate the sentences that tools declare for their results, by catalogues of the libraries.

A library has them in `replies/<language>.po`. A tool without a translation is worded in English.
"""

from collections.abc import Mapping
from functools import cache

from retinue.language.reply_templates import ReplyTemplates
from retinue.language.translation import SOURCE, messages_of, read_catalogue
from retinue.tools.authoring.libraries import libraries


def translate_replies(templates: Mapping[str, str], language: str) -> ReplyTemplates:
    """Return the sentences of a tool in a language, or as they are if one has no translation.

    The first call for a language reads files: call it in a compute thread.
    """
    if language == SOURCE:
        return ReplyTemplates(SOURCE, templates)
    known = _translations(language)
    if not all(template in known for template in templates.values()):
        return ReplyTemplates(SOURCE, templates)
    return ReplyTemplates(language, {condition: known[template] for condition, template in templates.items()})


@cache
def _translations(language: str) -> Mapping[str, str]:
    """Return the translated sentences of all libraries by the English ones."""
    paths = [library.folder / "replies" / f"{language}.po" for library in libraries()]
    found = [messages_of(read_catalogue(path, language)) for path in paths if path.is_file()]
    return {template: text for messages in found for template, text in messages.items()}
