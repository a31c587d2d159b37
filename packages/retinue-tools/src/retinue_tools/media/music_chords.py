"""Chords: spelling, identification and transposition."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.media.music_notes import SHARPS, Note, letter_above, pitch_class, spell_note

_FLATS = ("C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B")

_FLAT_KEYS = {"F", "Bb", "Eb", "Ab", "Db", "Gb", "Cb"}

_CHORD = re.compile(r"([A-G](?:##|bb|[#b♯♭])?)([^/\s]{0,12})(?:/([A-G](?:##|bb|[#b♯♭])?))?")

_CHORDS: dict[str, tuple[tuple[int, int], ...]] = {
    "": ((0, 0), (4, 2), (7, 4)),
    "m": ((0, 0), (3, 2), (7, 4)),
    "dim": ((0, 0), (3, 2), (6, 4)),
    "aug": ((0, 0), (4, 2), (8, 4)),
    "sus2": ((0, 0), (2, 1), (7, 4)),
    "sus4": ((0, 0), (5, 3), (7, 4)),
    "5": ((0, 0), (7, 4)),
    "6": ((0, 0), (4, 2), (7, 4), (9, 5)),
    "m6": ((0, 0), (3, 2), (7, 4), (9, 5)),
    "7": ((0, 0), (4, 2), (7, 4), (10, 6)),
    "maj7": ((0, 0), (4, 2), (7, 4), (11, 6)),
    "m7": ((0, 0), (3, 2), (7, 4), (10, 6)),
    "mmaj7": ((0, 0), (3, 2), (7, 4), (11, 6)),
    "dim7": ((0, 0), (3, 2), (6, 4), (9, 6)),
    "m7b5": ((0, 0), (3, 2), (6, 4), (10, 6)),
    "7sus4": ((0, 0), (5, 3), (7, 4), (10, 6)),
    "add9": ((0, 0), (4, 2), (7, 4), (14, 8)),
    "9": ((0, 0), (4, 2), (7, 4), (10, 6), (14, 8)),
    "maj9": ((0, 0), (4, 2), (7, 4), (11, 6), (14, 8)),
    "m9": ((0, 0), (3, 2), (7, 4), (10, 6), (14, 8)),
    "13": ((0, 0), (4, 2), (7, 4), (10, 6), (14, 8), (21, 12)),
}
"""Semitones and staff steps above the root, by the suffix of the symbol."""
_SUFFIXES = {"min": "m", "-": "m", "maj": "", "M": "", "M7": "maj7", "Δ": "maj7", "°": "dim", "o": "dim", "+": "aug"}
_SUFFIXES |= {"°7": "dim7", "ø": "m7b5", "min7": "m7", "-7": "m7", "mM7": "mmaj7", "sus": "sus4", "M9": "maj9"}


class Chord(TypedDict):
    """A chord."""

    notes: Annotated[list[str], About("Notes from the root upwards; a separate bass note comes first")]
    root: Annotated[str, About("Root of the chord")]
    midi: Annotated[list[int], About("MIDI numbers in close position, the root around middle C")]
    frequencies_hz: Annotated[list[float], About("Frequencies with A4 at 440 Hz")]


@tool(
    tags="music chord notes spell symbol triad seventh guitar piano",
    use_when=(
        "Which notes are in Cmaj7?",
        "Spell the chord F#m7b5.",
        "What do I play for G/B on the piano?",
        "Which notes are in a guitar chord?",
    ),
    examples=(
        Example(
            {"chord": "Cmaj7"},
            {"notes": ["C", "E", "G", "B"], "midi": [60, 64, 67, 71], "root": "C"},
            source="a major seventh chord stacks a major, a minor and a major third",
        ),
        Example(
            {"chord": "G/B"},
            {"notes": ["B", "G", "B", "D"], "root": "G"},
            source="G major over its third",
        ),
        Refusal({"chord": "Cfoo"}, "not a known chord"),
    ),
    reply="{args.chord} consists of {notes}.",
)
def music_spell_chord(
    chord: Annotated[str, About("Chord symbol", "F#m7b5", min_length=1, max_length=20)],
) -> Chord:
    """Spell a chord symbol: triads, sixths, sevenths, ninths, suspended chords and slash chords.

    Use it to play or analyse chords. Returns the correctly spelled notes, MIDI numbers and frequencies.
    """
    match = _CHORD.fullmatch(chord.strip())
    suffix = _SUFFIXES.get(match[2], match[2]) if match else None
    if not match or suffix not in _CHORDS:
        raise ToolError(f"{chord} is not a known chord. Write it as C, F#m, Bbmaj7, G7sus4 or D/F#.")
    letter, root = pitch_class(match[1])
    notes = [spell_note(letter_above(letter, steps), root + semitones) for semitones, steps in _CHORDS[suffix]]
    midi = [60 + root + semitones for semitones, _ in _CHORDS[suffix]]
    if match[3]:
        bass_letter, bass = pitch_class(match[3])
        notes.insert(0, spell_note(bass_letter, bass))
        midi.insert(0, 48 + bass % 12)
    frequencies = [round(440 * 2 ** ((number - 69) / 12), 3) for number in midi]
    return {"notes": notes, "root": spell_note(letter, root), "midi": midi, "frequencies_hz": frequencies}


class ChordNames(TypedDict):
    """Possible chords of notes."""

    chords: Annotated[list[str], About("Symbols, the one over the lowest note first; empty if none is known")]


@tool(
    tags="music chord identify recognise name from notes",
    use_when=(
        "Which chord is E, G and C?",
        "Name the chord A C E G.",
        "What am I playing with the notes D F# A C?",
    ),
    examples=(
        Example({"notes": ["E", "G", "C"]}, {"chords": ["C/E"]}, source="C major in first inversion"),
        Example(
            {"notes": ["A", "C", "E", "G"]},
            {"chords": ["Am7", "C6/A"]},
            source="A minor seven and C six have the same notes",
        ),
        Refusal({"notes": ["A", "X", "C"]}, "not a note"),
    ),
    reply={
        "chords.1": "The chord is {chords.0}, or {chords.1}.",
        "chords": "The chord is {chords.0}.",
        "": "I know no chord of these notes.",
    },
)
def music_identify_chord(
    notes: Annotated[list[Note], About("Notes, lowest first", ["E", "G", "C"], min_items=2, max_items=12)],
) -> ChordNames:
    """Identify the chord that notes form, in any inversion.

    Use it to name played notes. Returns all symbols that match exactly, with the lowest note as slash bass if it is not
    the root.
    """
    names = {pitch_class(note)[1] % 12: spell_note(*pitch_class(note)) for note in reversed(notes)}
    bass = pitch_class(notes[0])[1] % 12
    found = []
    for root in sorted(names, key=lambda pitch: (pitch != bass, (pitch - bass) % 12)):
        above = {(pitch - root) % 12 for pitch in names}
        for suffix, parts in _CHORDS.items():
            if {semitones % 12 for semitones, _ in parts} == above:
                found.append(names[root] + suffix + ("" if root == bass else f"/{names[bass]}"))
    return {"chords": found}


class Transposed(TypedDict):
    """Chords in another key."""

    text: Annotated[str, About("Text with transposed chords")]
    chords: Annotated[int, About("Number of chords found")]


@tool(
    tags="music transpose chords song key capo semitones lead sheet",
    use_when=(
        "Transpose C Am F G up two semitones.",
        "Put this chord sheet from G into E flat.",
        "What are these chords with a capo on the 3rd fret?",
        "Change the key of a song",
        "Chords a tone higher so that I can sing along",
    ),
    examples=(
        Example(
            {"text": "C Am F G7", "semitones": 2},
            {"text": "D Bm G A7", "chords": 4},
            source="by hand: a whole tone up",
        ),
        Example(
            {"text": "| D  A/C# | Bm  G |\nA song line stays", "semitones": -2, "spelling": "flats"},
            {"text": "| C  G/B | Am  F |\nA song line stays", "chords": 4},
            source="by hand: a whole tone down; lines with other words are lyrics",
        ),
        Refusal({"text": "C", "semitones": 20}, "semitones"),
    ),
    reply={
        "chords": "The transposed chords: {text}",
        "": "There are no chords in the text.",
    },
)
def music_transpose_chords(
    text: Annotated[str, About("Chords or a chord sheet with lyrics", "C Am F G7", min_length=1, max_length=50_000)],
    semitones: Annotated[int, About("Number of semitones; negative is down", 2, minimum=-11, maximum=11)],
    spelling: Annotated[Literal["auto", "sharps", "flats"], About("Spelling of black keys")] = "auto",
) -> Transposed:
    """Transpose the chords of a song by semitones; a line counts as chords if all its words are chord symbols.

    Use it to change keys or for a capo. By default, spelling follows the new first chord. Returns the text with
    unchanged lyrics.
    """
    lines, count = text.split("\n"), 0
    names: tuple[str, ...] | None = None
    if spelling != "auto":
        names = SHARPS if spelling == "sharps" else _FLATS
    for number, line in enumerate(lines):
        words = line.replace("|", " ").split()
        if not words or not all(_is_chord(word) for word in words):
            continue
        names = names or _spelling_of(words[0], semitones)
        lines[number] = " ".join([_move(part, semitones, names) for part in line.split(" ")])
        count += len(words)
    return {"text": "\n".join(lines), "chords": count}


def _is_chord(word: str) -> bool:
    match = _CHORD.fullmatch(word)
    return bool(match) and _SUFFIXES.get(match[2], match[2]) in _CHORDS if match else False


def _spelling_of(chord: str, semitones: int) -> tuple[str, ...]:
    match = _CHORD.fullmatch(chord)
    if match is None:
        return SHARPS
    root = (pitch_class(match[1])[1] + semitones) % 12
    major = (root + 3) % 12 if match[2].startswith("m") and not match[2].startswith("maj") else root
    return _FLATS if _FLATS[major] in _FLAT_KEYS else SHARPS


def _move(word: str, semitones: int, names: tuple[str, ...]) -> str:
    match = _CHORD.fullmatch(word)
    if not match:
        return word
    root = names[(pitch_class(match[1])[1] + semitones) % 12]
    bass = "/" + names[(pitch_class(match[3])[1] + semitones) % 12] if match[3] else ""
    return root + match[2] + bass
