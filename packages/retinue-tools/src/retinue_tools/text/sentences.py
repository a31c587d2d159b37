"""Segmentation of text: sentences, words, stems, and passages for search and language models."""

from typing import Annotated, Literal

import snowballstemmer
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._segments import Prose, Span, need_words, sentence_spans, sentences_of, word_spans

_MOST_CHUNKS = 5000

StemLanguage = Literal[
    "arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "finnish", "french", "german", "greek",
    "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "norwegian", "portuguese", "romanian",
    "russian", "serbian", "spanish", "swedish", "tamil", "turkish",
]  # fmt: skip


class Sentences(TypedDict):
    """Sentences of a text."""

    sentences: Annotated[list[str], About("Sentences in order")]
    count: Annotated[int, About("Number of sentences")]
    mean_words: Annotated[float, About("Mean length in words")]


class Tokens(TypedDict):
    """Words of a text."""

    tokens: Annotated[list[str], About("Words in order")]
    count: Annotated[int, About("Number of words")]
    distinct: Annotated[int, About("Number of distinct words in the returned form")]


class Stem(TypedDict):
    """A word with its stem."""

    word: Annotated[str, About("Word as given")]
    stem: Annotated[str, About("Stem, which need not be a word")]


class Stems(TypedDict):
    """Words with their stems."""

    stems: Annotated[list[Stem], About("Words in order")]
    families: Annotated[dict[str, list[str]], About("Distinct words by stem")]


class Chunk(TypedDict):
    """A passage of a text."""

    text: Annotated[str, About("Passage")]
    start: Annotated[int, About("Position of its first character in the text, from 0")]
    end: Annotated[int, About("Position after its last character")]
    words: Annotated[int, About("Number of words")]


class Chunks(TypedDict):
    """Passages of a text."""

    chunks: Annotated[list[Chunk], About("Passages in order")]
    count: Annotated[int, About("Number of passages")]


@tool(
    tags="sentence boundary segmentation split nlp abbreviations corpus",
    use_when=(
        "Break this paragraph into single sentences",
        "Put every sentence on its own line without cutting at 'Dr.' or 'e.g.'",
        "How many sentences has this article, and how long are they?",
    ),
    examples=(
        Example(
            {
                "text": "Dr. Smith met J. R. Jones, e.g. on Monday."
                " Was it late? \u201cYes!\u201d she said. It cost 3.50 euros."
            },
            {
                "sentences": [
                    "Dr. Smith met J. R. Jones, e.g. on Monday.",
                    "Was it late?",
                    "\u201cYes!\u201d she said.",
                    "It cost 3.50 euros.",
                ],
                "count": 4,
            },
            source="read by a person",
        ),
        Example(
            {"text": "今日は晴れ。明日は雨\uff01"}, {"sentences": ["今日は晴れ。", "明日は雨\uff01"]}, source="by hand"
        ),
        Refusal({"text": " . "}, "contains no words"),
    ),
    reply={
        "sentences.1": "There are {count|sentence}: {sentences}",
        "sentences": "There is only one sentence: {sentences.0}",
        "": "There are no sentences in the text.",
    },
)
def text_split_sentences(text: Prose) -> Sentences:
    """Split prose into sentences, taking into account abbreviations, initials, decimals, quotations and blank lines.

    It supports English and other languages that end sentences with . ! ? or 。. Returns the sentences and their mean
    length.
    """
    words = need_words(text)
    sentences = sentences_of(text)
    return {"sentences": sentences, "count": len(sentences), "mean_words": round(len(words) / len(sentences), 2)}


@tool(
    tags="tokenizer tokens words list stemming lowercase nlp preprocessing",
    use_when=(
        "Tokenise this sentence into lower-case words",
        "Give me a list of all the words in this paragraph",
        "Prepare this text for a bag-of-words model with stemming",
    ),
    examples=(
        Example(
            {"text": "Don't panic: the state-of-the-art ship cost \u20ac1,250.50!"},
            {"tokens": ["don't", "panic", "the", "state-of-the-art", "ship", "cost", "1,250.50"], "count": 7},
            source="by hand",
        ),
        Example(
            {"text": "Running runners ran", "stem": "english", "lowercase": False},
            {"tokens": ["Run", "runner", "ran"]},
            source="Snowball's English vocabulary: running -> run, runners -> runner, ran -> ran",
        ),
        Refusal({"text": "?!"}, "contains no words"),
    ),
    reply={
        "tokens": "I found {count|word}: {tokens}",
        "": "There are no words in the text.",
    },
)
def text_tokenize_words(
    text: Prose,
    lowercase: Annotated[bool, About("Whether to convert to lower case")] = True,
    stem: Annotated[StemLanguage | None, About("Language for stemming; default: no stemming")] = None,
    min_length: Annotated[int, About("Omit shorter words", minimum=1, maximum=30)] = 1,
) -> Tokens:
    """Tokenize (cut) a text into its words and numbers without punctuation, as the first step of counting or searching.

    Words keep inner apostrophes and hyphens; Chinese and Japanese characters are separate. It can convert words to
    lower case, stem them and drop short ones. Returns the words in order.
    """
    words = [word for word in need_words(text) if len(word) >= min_length]
    words = [word.lower() for word in words] if lowercase else words
    words = snowballstemmer.stemmer(stem).stemWords(words) if stem else words
    return {"tokens": words, "count": len(words), "distinct": len(set(words))}


@tool(
    tags="stemmer snowball porter lemma root word family morphology",
    use_when=(
        "What is the stem of 'generalizations'?",
        "Which of these words have the same root: connect, connected, connecting, connection?",
        "Reduce these German words to their stems",
    ),
    examples=(
        Example(
            {"words": ["consignment", "consigned", "knightly", "knights"], "language": "english"},
            {
                "stems": [
                    {"word": "consignment", "stem": "consign"},
                    {"word": "consigned", "stem": "consign"},
                    {"word": "knightly", "stem": "knight"},
                    {"word": "knights", "stem": "knight"},
                ],
                "families": {"consign": ["consignment", "consigned"], "knight": ["knightly", "knights"]},
            },
            source="Snowball project, sample vocabulary of the English stemmer",
        ),
        Example(
            {"words": ["aufeinanderfolgenden"], "language": "german"},
            {"stems": [{"word": "aufeinanderfolgenden", "stem": "aufeinanderfolg"}]},
            source="Snowball project, sample vocabulary of the German stemmer",
        ),
        Refusal({"words": [" "], "language": "english"}, "is empty"),
    ),
    reply={
        "stems.1": "The stems: {stems}",
        "": "The stem of {stems.0.word} is {stems.0.stem}.",
    },
)
def text_stem_words(
    words: Annotated[
        list[Annotated[str, About("A word", max_length=100)]],
        About("The words", ["connected", "connection"], min_items=1, max_items=5000),
    ],
    language: Annotated[StemLanguage, About("Language of the words")],
) -> Stems:
    """Reduce words to their stems by the Snowball algorithm of their language.

    Use it to group the forms of one word. Returns each word's stem, and the word families by stem.
    """
    plain = [word.strip().lower() for word in words]
    if "" in plain:
        raise ToolError("One of the words is empty. Omit it.")
    stems: list[str] = snowballstemmer.stemmer(language).stemWords(plain)
    families: dict[str, list[str]] = {}
    for word, stem in zip(words, stems, strict=True):
        family = families.setdefault(stem, [])
        family += [] if word in family else [word]
    pairs: list[Stem] = [{"word": word, "stem": stem} for word, stem in zip(words, stems, strict=True)]
    return {"stems": pairs, "families": families}


@tool(
    tags="chunking rag embedding retrieval passages overlap context window split document",
    use_when=(
        "Split this manual into overlapping passages of 200 words for a vector store",
        "Cut this long article into pieces that fit a model's context",
        "Divide the text into parts without breaking sentences",
    ),
    examples=(
        Example(
            {"text": "One two three. Four five six. Seven eight nine.", "max_words": 6, "overlap_sentences": 1},
            {
                "chunks": [
                    {"text": "One two three. Four five six.", "start": 0, "end": 29, "words": 6},
                    {"text": "Four five six. Seven eight nine.", "start": 15, "end": 47, "words": 6},
                ],
                "count": 2,
            },
            source="by hand",
        ),
        Example(
            {"text": "a b c d e f g", "max_words": 5, "overlap_sentences": 0},
            {"chunks": [{"text": "a b c d e", "start": 0, "end": 9}, {"text": "f g", "start": 10, "end": 13}]},
            source="by hand: a sentence that is too long is cut between words",
        ),
        Refusal({"text": "...", "max_words": 10}, "contains no words"),
    ),
    reply={
        "chunks": "The text makes {count|passage}: {chunks}",
        "": "The text is empty.",
    },
)
def text_chunk_passages(
    text: Annotated[str, About("Text to divide", "First sentence. Second one.", min_length=1, max_length=500_000)],
    max_words: Annotated[int, About("Maximum number of words per passage", 200, minimum=5, maximum=5000)] = 200,
    overlap_sentences: Annotated[
        int, About("Number of sentences repeated from the previous passage", minimum=0, maximum=10)
    ] = 1,
) -> Chunks:
    """Divide a long text into passages with a maximum number of words for retrieval, embedding or step-wise reading.

    Passages contain whole sentences if possible, and may overlap by some sentences. Returns each passage with its
    position in the text.
    """
    pieces = [piece for span in sentence_spans(text) for piece in _fitting(text, span, max_words)]
    if not any(size for _, size in pieces):
        raise ToolError("The text contains no words. Give text with letters or digits.")
    chunks: list[Chunk] = []
    for first, last in _groups([size for _, size in pieces], max_words, overlap_sentences):
        start, end = pieces[first][0][0], pieces[last][0][1]
        words = sum(size for _, size in pieces[first : last + 1])
        chunks.append({"text": text[start:end], "start": start, "end": end, "words": words})
        if len(chunks) > _MOST_CHUNKS:
            raise ToolError(
                f"The result has more than {_MOST_CHUNKS} passages. Increase their length, or reduce the overlap."
            )
    return {"chunks": chunks, "count": len(chunks)}


def _groups(sizes: list[int], most: int, overlap: int) -> list[Span]:
    """Return the first and last index of each run of pieces whose sizes add up to at most `most`."""
    groups, first = [], 0
    while first < len(sizes):
        last, total = first, sizes[first]
        while last + 1 < len(sizes) and total + sizes[last + 1] <= most:
            last += 1
            total += sizes[last]
        groups.append((first, last))
        following = last + 1
        if following >= len(sizes):
            break
        first = max(first + 1, following - overlap)
    return groups


def _fitting(text: str, span: Span, most: int) -> list[tuple[Span, int]]:
    """Return a sentence with its number of words, in several pieces if it has too many."""
    start, end = span
    words = word_spans(text[start:end])
    if len(words) <= most:
        return [(span, len(words))]
    pieces, cut = [], start
    for index in range(0, len(words), most):
        stop = start + words[index + most][0] if index + most < len(words) else end
        pieces.append(((cut, cut + len(text[cut:stop].rstrip())), min(most, len(words) - index)))
        cut = stop
    return pieces
