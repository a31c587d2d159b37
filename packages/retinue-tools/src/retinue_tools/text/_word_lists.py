"""Lists and tables of words, written as running text."""


def word_list(words: str) -> list[str]:
    """Return the words separated by spaces."""
    return words.split()


def word_pairs(pairs: str, mark: str) -> dict[str, str]:
    """Return pairs separated by spaces, with a mark between key and value."""
    parts = (pair.partition(mark) for pair in pairs.split())
    return {key: value for key, _, value in parts}
