"""Words with combining marks, and emoji."""

import pytest

from retinue_tools.text.extraction import text_extract_social_tags
from retinue_tools.text.letter_case import Style, text_apply_title_style, text_convert_case, text_create_acronym

RESUME = "re\u0301sume\u0301"
HINDI = "\u0939\u093f\u0928\u094d\u0926\u0940"
PARTY = "\u092d\u093e\u0930\u0924\u0940\u092f \u091c\u0928\u0924\u093e \u092a\u093e\u0930\u094d\u091f\u0940"


@pytest.mark.parametrize(
    ("text", "style", "expected"),
    [
        (f"my {RESUME}", "title", "My Re\u0301sume\u0301"),
        (f"my {RESUME}", "snake", "my_r\u00e9sum\u00e9"),
        (f"{HINDI} {HINDI}", "snake", f"{HINDI}_{HINDI}"),
    ],
)
def test_words_keep_their_marks(text: str, style: Style, expected: str) -> None:
    assert text_convert_case(text, style)["result"] == expected


def test_titles_and_acronyms_keep_marks() -> None:
    assert text_apply_title_style(f"my {RESUME}", "ap")["result"] == "My Re\u0301sume\u0301"
    assert text_create_acronym(PARTY)["acronym"] == "\u092d\u093e\u091c\u092a\u093e"
    assert text_create_acronym("e\u0301cole normale")["acronym"] == "\u00c9N"


def test_hashtags_keep_marks() -> None:
    tags = text_extract_social_tags(f"#{HINDI}, #{RESUME} #r\u00e9sum\u00e9")
    assert tags["hashtags"] == [HINDI, "r\u00e9sum\u00e9"]
    assert tags["text_without"] == ","


@pytest.mark.parametrize(
    "emoji",
    ["\u2b50", "\u23f0", "\u231a", "1\ufe0f\u20e3", "\u2764\ufe0f", "\u25b6\ufe0f", "\U0001f426\u200d\u2b1b"],
)
def test_emoji_are_found(emoji: str) -> None:
    found = text_extract_social_tags(f"at 10 #tag{emoji} \u25b6")
    assert (found["hashtags"], found["emoji"]) == (["tag"], [emoji])
