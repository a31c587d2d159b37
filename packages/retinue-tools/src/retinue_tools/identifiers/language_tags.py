"""Tags of languages."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_TAG = re.compile(
    r"(?P<language>[a-z]{2,3}|[a-z]{5,8})"
    r"(?P<extended>(?:-[a-z]{3}){0,3})"
    r"(?:-(?P<script>[a-z]{4}))?"
    r"(?:-(?P<region>[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)"
    r"(?P<extensions>(?:-[0-9a-wy-z](?:-[a-z0-9]{2,8})+)*)"
    r"(?:-x-(?P<private>[a-z0-9]{1,8}(?:-[a-z0-9]{1,8})*))?",
    re.IGNORECASE,
)
"""RFC 5646, section 2.1, without the grandfathered tags."""


class LanguageTag(TypedDict):
    """The parts of a language tag."""

    tag: Annotated[str, About("In the usual letter case: zh-Hant-TW")]
    language: str
    script: str | None
    region: str | None
    variants: list[str]
    extensions: list[str]
    private: str | None


@tool(
    tags="bcp47 language tag locale ietf rfc5646 script region subtag parse zh-hant-tw en-gb hreflang",
    use_when=(
        "Take apart zh-Hant-TW: language, script, region",
        "Is en_gb a right language tag, and how is it written?",
        "Which region and variant has de-CH-1996?",
    ),
    examples=(
        Example(
            {"tag": "ZH-hant-tw"},
            {"tag": "zh-Hant-TW", "language": "zh", "script": "Hant", "region": "TW"},
            source="RFC 5646, sections 2.1.1 and appendix A",
        ),
        Example({"tag": "de-CH-1996"}, {"region": "CH", "variants": ["1996"]}, source="RFC 5646, appendix A"),
        Refusal({"tag": "a-DE"}, "not a language tag"),
    ),
)
def language_tag_parse(
    tag: Annotated[str, About("Language tag", "zh-Hant-TW", min_length=1, max_length=200)],
) -> LanguageTag:
    """Take apart a language tag (BCP 47, RFC 5646): language, script, region and variants, in the usual letter case.

    Use it for web pages and translations. Whether the parts are registered is not looked up.
    """
    match = _TAG.fullmatch(tag.strip().replace("_", "-"))
    if match is None:
        raise ToolError(f"{tag} is not a language tag. Write it as en, en-GB or zh-Hant-TW.")
    language, script, region = match["language"].lower(), match["script"], match["region"]
    variants, extensions = _parts(match["variants"]), re.findall(r"\w(?:-\w{2,})+", match["extensions"].lower())
    private = match["private"]
    written = [language, *_parts(match["extended"])]
    written += [script.title()] if script else []
    written += [region.upper()] if region else []
    written += [*variants, *extensions, *([f"x-{private.lower()}"] if private else [])]
    return {
        "tag": "-".join(written),
        "language": language,
        "script": script and script.title(),
        "region": region and region.upper(),
        "variants": variants,
        "extensions": extensions,
        "private": private and private.lower(),
    }


def _parts(text: str) -> list[str]:
    return [part.lower() for part in text.split("-") if part]
