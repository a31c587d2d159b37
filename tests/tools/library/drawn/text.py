"""Tools for text: answers of published algorithms, and read off the text."""

import base64

from retinue.sdk import Example

_FILE = "file_01k9z4m2n8q6r5t3v7w1x0y2za"


def _bytes(content: bytes) -> dict[str, str]:
    return {_FILE: base64.b64encode(content).decode()}


CALLS = [
    *(
        ("text_check_wordplay", Example(args, wanted, source="sorted letters"))
        for args, wanted in (
            ({"text": "Dormitory", "other": "dirty room", "kind": "anagram"}, {"holds": True}),
            ({"text": "uncopyrightable", "kind": "isogram"}, {"holds": True, "distinct_letters": 15}),
            (
                {"text": "The quick brown fox jumps over the dog", "kind": "pangram"},
                {"holds": False, "missing_letters": ["a", "l", "y", "z"]},
            ),
            ({"text": "abcde", "other": "cdeab", "kind": "rotation"}, {"holds": True}),
        )
    ),
    (
        "text_cluster_documents",
        Example(
            {
                "documents": ["rain snow hail", "bread cheese butter", "snow rain storm", "cheese bread jam"],
                "groups": 2,
            },
            {"groups": [{"members": [0, 2]}, {"members": [1, 3]}]},
            source="no word in common",
        ),
    ),
    (
        "text_compare_documents",
        Example(
            {"documents": ["one two", "two one", "three"], "language": "none"},
            {
                "pairs": [
                    {"first": 0, "second": 1, "similarity": 1.0},
                    {"first": 0, "second": 2, "similarity": 0.0},
                    {"first": 1, "second": 2, "similarity": 0.0},
                ],
                "mean_similarity": 1 / 3,
            },
            source="parallel and orthogonal vectors",
            tolerance=1e-3,
        ),
    ),
    *(
        ("text_detect_encoding", Example({"file": _FILE}, wanted, source="Python's codecs", files=_bytes(content)))
        for content, wanted in (
            ("naïve\n".encode(), {"encoding": "utf-8", "certain": True, "line_endings": "LF", "preview": "naïve\n"}),
            ("Привет, мир! Как дела?".encode("cp1251"), {"encoding": "cp1251", "certain": False}),
            ("a\r\nb".encode("utf-16"), {"certain": True, "line_endings": "CRLF", "preview": "a\r\nb"}),
        )
    ),
    (
        "text_encode_phonetic",
        Example(
            {"names": ["Müller-Lüdenscheidt", "Wikipedia", "Breschnew"], "system": "cologne"},
            {"codes": [{"code": "65752682"}, {"code": "3412"}, {"code": "17863"}]},
            source="Wikipedia, Kölner Phonetik",
        ),
    ),
    (
        "text_encode_phonetic",
        Example(
            {"names": ["Jackson", "Pfister", "Lloyd"], "system": "soundex"},
            {"codes": [{"code": "J250"}, {"code": "P236"}, {"code": "L300"}]},
            source="National Archives, Soundex System",
        ),
    ),
    (
        "text_extract_between",
        Example(
            {"text": "<b>x</b> <b></b>", "opening": "<b>", "closing": "</b>"},
            {"passages": [{"text": "x", "start": 3, "end": 4}, {"text": "", "start": 12, "end": 12}], "count": 2},
            source="str.find",
        ),
    ),
    (
        "text_filter_lines",
        Example(
            {"text": "a1\nb\nc2", "pattern": r"\d$", "kind": "regex", "keep": "not_matching"},
            {"result": "b", "kept": 1, "of_lines": 3},
            source="grep -v",
        ),
    ),
    (
        "text_filter_lines",
        Example(
            {"text": "1\n2\n3\n4", "pattern": "2", "kind": "whole_line", "context": 1},
            {"result": "1\n2\n3"},
            source="grep -x -C1",
        ),
    ),
    (
        "text_find_common_ends",
        Example(
            {"texts": ["nation", "station", "ration"]},
            {"prefix": "", "suffix": "ation", "suffix_length": 5},
            source="os.path.commonprefix",
        ),
    ),
    (
        "text_match_fuzzy",
        Example(
            {"query": "aple", "choices": ["pear", "apple"], "metric": "levenshtein"},
            {"matches": [{"choice": "apple", "index": 1, "score": 80.0}]},
            source="1 - 1 / 5",
        ),
    ),
    *(
        (
            "text_measure_edit_distance",
            Example({"first": first, "second": second, "kind": kind}, {"distance": distance}, source="Wikipedia"),
        )
        for first, second, kind, distance in (
            ("flaw", "lawn", "levenshtein", 2),
            ("karolin", "kathrin", "hamming", 3),
            ("ca", "ac", "damerau", 1),
            ("", "abc", "levenshtein", 3),
        )
    ),
    (
        "text_pick_words",
        Example(
            {"text": "It's a well-known fact: 3 dogs bark", "begins_with": "b"},
            {"words": ["bark"], "count": 1, "details": [{"length": 4}]},
            source="read off the text",
        ),
    ),
    (
        "text_pick_words",
        Example({"text": "one two three", "nth": -1}, {"words": ["three"], "mean_length": 5.0}, source="the last"),
    ),
    *(
        ("text_redact_personal_data", Example({"text": text}, {"result": result}, source="ISO 7064 and Luhn"))
        for text, result in (
            ("IBAN DE89 3704 0044 0532 0130 00 ok", "IBAN [IBAN] ok"),
            ("number 4111 1111 1111 1112 is no card", "number 4111 1111 1111 1112 is no card"),
            ("write to a.b+c@mail.example.org now", "write to [EMAIL] now"),
            ("from 2001:db8::1 today", "from [IP] today"),
            ("from 192.168.1.100:8080 today", "from [IP]:8080 today"),
            ("Card 4111 1111 1111 1111 12/27", "Card [CARD] 12/27"),
            ("IBAN BE68 5390 0754 7034 EUR 5", "IBAN [IBAN] EUR 5"),
            ("write to kim@m\u00fcnchen.de now", "write to [EMAIL] now"),
        )
    ),
    *(
        (
            "text_stem_words",
            Example({"words": [word], "language": language}, {"stems": [{"stem": stem}]}, source="snowballstem.org"),
        )
        for word, language, stem in (
            ("generously", "english", "generous"),
            ("häuser", "german", "haus"),
            ("continuellement", "french", "continuel"),
        )
    ),
    ("text_write_scripts", Example({"text": "x2", "style": "superscript"}, {"text": "x²"}, source="Unicode")),
    ("text_write_scripts", Example({"text": "H₂O¹⁰", "style": "plain"}, {"text": "H2O10"}, source="unicodedata")),
]
