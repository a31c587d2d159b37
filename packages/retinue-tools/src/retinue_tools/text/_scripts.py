"""Romanisation tables: Latin equivalents of letters or groups of letters of other scripts."""

# This module is about letters of other scripts.
# ruff: noqa: RUF001, RUF002

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Literal

System = Literal[
    "cyrillic_iso9", "russian_passport", "ukrainian_national", "bulgarian_law", "greek_elot743", "japanese_hepburn"
]


def _table(pairs: str) -> dict[str, str]:
    """Build a table from alternating words: a letter and its romanisation; `-` means none."""
    words = pairs.split()
    return {key: "" if value == "-" else value for key, value in zip(words[::2], words[1::2], strict=True)}


_SLAVIC = _table(
    "а a б b в v г g д d е e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh"
)
_ISO9 = _table(
    "а a б b в v г g ґ g̀ д d ђ đ ѓ ǵ е e ё ë є ê ж ž з z ѕ ẑ и i і ì ї ï й j ј ǰ к k л l љ l̂ м m н n њ n̂ о o п p"
    " р r с s т t ћ ć ќ ḱ у u ў ŭ ф f х h ц c ч č џ d̂ ш š щ ŝ ъ ʺ ы y ь ʹ э è ю û я â"
)
_PASSPORT = {**_SLAVIC, **_table("ё e й i щ shch ъ ie ы y ь - э e ю iu я ia")}
_UKRAINIAN = {
    **_SLAVIC, **_table("г h ґ gh є ie и y і i ї i й i щ shch ь - ю iu я ia зг zgh ' - ’ - ʼ -")
}  # fmt: skip
_UKRAINIAN_FIRST = _table("є ye ї yi й y ю yu я ya")
_BULGARIAN = {**_SLAVIC, **_table("х h щ sht ъ a ь y ю yu я ya")}
_GREEK = _table(
    "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"
    " ου ou γγ ng γξ nx γχ nch"
)
_KANA = _table(
    "あ a い i う u え e お o か ka き ki く ku け ke こ ko さ sa し shi す su せ se そ so た ta ち chi つ tsu て"
    " te と to な na に ni ぬ nu ね ne の no は ha ひ hi ふ fu へ he ほ ho ま ma み mi む mu め me も mo や ya ゆ"
    " yu よ yo ら ra り ri る ru れ re ろ ro わ wa ゐ i ゑ e を o ん n が ga ぎ gi ぐ gu げ ge ご go ざ za じ ji ず"
    " zu ぜ ze ぞ zo だ da ぢ ji づ zu で de ど do ば ba び bi ぶ bu べ be ぼ bo ぱ pa ぴ pi ぷ pu ぺ pe ぽ po ゔ"
    " vu ぁ a ぃ i ぅ u ぇ e ぉ o きゃ kya きゅ kyu きょ kyo しゃ sha しゅ shu しょ sho ちゃ cha ちゅ chu ちょ cho"
    " にゃ nya にゅ nyu にょ nyo ひゃ hya ひゅ hyu ひょ hyo みゃ mya みゅ myu みょ myo りゃ rya りゅ ryu りょ ryo"
    " ぎゃ gya ぎゅ gyu ぎょ gyo じゃ ja じゅ ju じょ jo ぢゃ ja ぢゅ ju ぢょ jo びゃ bya びゅ byu びょ byo ぴゃ"
    " pya ぴゅ pyu ぴょ pyo ふぁ fa ふぃ fi ふぇ fe ふぉ fo てぃ ti でぃ di うぃ wi うぇ we うぉ wo しぇ she じぇ"
    " je ちぇ che つぁ tsa とぅ tu どぅ du ゔぁ va ゔぃ vi ゔぇ ve ゔぉ vo"
)
_LONG = {"a": "ā", "i": "ī", "u": "ū", "e": "ē", "o": "ō"}
_VOICED_GREEK = "αβγδεζηιλμνορυω"


def romanize(text: str, system: System) -> str:
    """Return the text with the letters of that script romanised; other characters are unchanged."""
    return _SYSTEMS[system](unicodedata.normalize("NFC", text))


def replace(text: str, table: Mapping[str, str]) -> str:
    """Replace the longest matching keys of the table in a text; capitals are preserved, including words in capitals."""
    keys = sorted(table, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, keys)), re.IGNORECASE)
    return pattern.sub(lambda match: _apply_case(match, table.get(match[0].lower(), match[0])), text)


def _apply_case(match: re.Match[str], value: str) -> str:
    if match[0].islower() or not match[0][0].isupper():
        return value
    text, end = match.string, match.end()
    beside = text[end : end + 1] + text[max(0, match.start() - 1) : match.start()]
    shouts = beside.strip().isupper() and not text[end : end + 1].islower()
    return value.upper() if shouts or (len(match[0]) > 1 and match[0].isupper()) else value[:1].upper() + value[1:]


def _ukrainian(text: str) -> str:
    first = re.compile(r"(?<![\w'’ʼ])[єїйюя]", re.IGNORECASE)
    text = first.sub(lambda match: _apply_case(match, _UKRAINIAN_FIRST[match[0].lower()]), text)
    return replace(text, _UKRAINIAN)


def _bulgarian(text: str) -> str:
    return replace(re.sub(r"(?i)(?<=и)я\b", lambda match: "a" if match[0] == "я" else "A", text), _BULGARIAN)


def _greek(text: str) -> str:
    """ELOT 743: υ after α, ε, η is v or f depending on the following sound; μπ at the start of a word is b."""
    apart = unicodedata.normalize("NFD", text)
    apart = re.sub(r"(?i)([αεη])(\u0301?)υ(?=\u0308)", "\\1\\2\u200bυ", apart)
    plain = re.sub("[\u0300\u0301\u0308\u0313\u0314\u0342\u0345]", "", apart)
    voiced = re.compile(rf"(?i)(?<=[αεη])υ(?=[{_VOICED_GREEK}])")
    plain = voiced.sub(lambda match: _apply_case(match, "v"), plain)
    plain = re.sub(r"(?i)(?<=[αεη])υ", lambda match: _apply_case(match, "f"), plain)
    plain = re.sub(r"(?i)\bμπ", lambda match: _apply_case(match, "b"), plain)
    return unicodedata.normalize("NFC", replace(plain, _GREEK).replace("\u200b", ""))


def _kana(text: str) -> str:
    """Modified Hepburn: long vowels with macrons, n' before vowels, doubled consonants for the small tsu."""
    hiragana = re.sub("[\u30a1-\u30f4]", lambda match: chr(ord(match[0]) - 0x60), text)
    hiragana = re.sub("ん(?=[あいうえおやゆよ])", "n'", hiragana)
    latin = replace(hiragana, _KANA)
    latin = re.sub("っ(?=ch)", "t", latin)
    latin = re.sub("っ([b-df-hj-np-tv-z])", r"\1\1", latin)
    latin = re.sub("([aiueo])ー", lambda match: _LONG[match[1]], latin)
    return re.sub("ou|oo|uu", lambda match: _LONG[match[0][0]], latin)


_SYSTEMS: Mapping[System, Callable[[str], str]] = {
    "cyrillic_iso9": lambda text: replace(text, _ISO9),
    "russian_passport": lambda text: replace(text, _PASSPORT),
    "ukrainian_national": _ukrainian,
    "bulgarian_law": _bulgarian,
    "greek_elot743": _greek,
    "japanese_hepburn": _kana,
}
