"""Lists and tables of words, written down as running text."""


def word_list(words: str) -> list[str]:
    """The words between spaces."""
    return words.split()


def word_pairs(pairs: str, mark: str) -> dict[str, str]:
    """From pairs between spaces, the mark between key and value."""
    parts = (pair.partition(mark) for pair in pairs.split())
    return {key: value for key, _, value in parts}
