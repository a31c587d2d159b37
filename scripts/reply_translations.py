"""Collect the sentences of tools into the catalogues that translators fill in: `make translations` runs this, too."""

from pathlib import Path

from babel.messages import Catalog
from babel.messages.pofile import write_po

from retinue.language.translation import LANGUAGES, SOURCE, read_catalogue
from retinue.tools.catalogue.build_catalogue import compiled_tools
from scripts.translations import HEADER

REPLIES = Path(__file__).parents[1] / "packages" / "retinue-tools" / "src" / "retinue_tools" / "replies"


def main() -> None:
    """Bring the catalogues of all languages up to date. Sentences that no tool has any more are removed."""
    sentences = extract_sentences()
    for language in LANGUAGES:
        if language != SOURCE:
            update_catalogue(language, sentences)


def extract_sentences() -> dict[str, str]:
    """Return the sentences of the tools, each with the name of the first tool that declares it."""
    found: dict[str, str] = {}
    for tool in compiled_tools():
        for sentence in tool.reply.values():
            found.setdefault(sentence, f"{tool.category}/{tool.name}")
    return dict(sorted(found.items(), key=lambda one: (one[1], one[0])))


def sentences_of(language: str) -> Catalog:
    """Read the catalogue of a language. A new language has an empty one."""
    path = REPLIES / f"{language}.po"
    return read_catalogue(path, language) if path.exists() else Catalog(locale=language)


def update_catalogue(language: str, sentences: dict[str, str]) -> None:
    """Add new sentences to a catalogue and remove old ones. Translations stay."""
    old, new = sentences_of(language), Catalog(locale=language)
    for sentence, tool in sentences.items():
        before = old.get(sentence)
        new.add(sentence, before.string if before else "", auto_comments=[tool])
    REPLIES.mkdir(exist_ok=True)
    with (REPLIES / f"{language}.po").open("wb") as target:
        target.write(HEADER.format(language=language, plurals=new.plural_forms).encode())
        write_po(target, new, width=0, omit_header=True)


if __name__ == "__main__":
    main()
