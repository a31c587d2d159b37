"""Notes, scales, chords and their transposition."""

import math
import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SHARPS = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")
_FLATS = ("C", "Db", "D", "Eb", "E", "F", "Gb", "G", "Ab", "A", "Bb", "B")
_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}
_FLAT_KEYS = {"F", "Bb", "Eb", "Ab", "Db", "Gb", "Cb"}
_NOTE = re.compile(r"([A-Ga-g])(##|bb|[#b♯♭]?)(-?[0-9]{1,2})?")
_CHORD = re.compile(r"([A-G](?:##|bb|[#b♯♭])?)([^/\s]{0,12})(?:/([A-G](?:##|bb|[#b♯♭])?))?")

_SCALES: dict[str, tuple[int, ...]] = {
    "major": (0, 2, 4, 5, 7, 9, 11),
    "minor": (0, 2, 3, 5, 7, 8, 10),
    "harmonic-minor": (0, 2, 3, 5, 7, 8, 11),
    "melodic-minor": (0, 2, 3, 5, 7, 9, 11),
    "dorian": (0, 2, 3, 5, 7, 9, 10),
    "phrygian": (0, 1, 3, 5, 7, 8, 10),
    "lydian": (0, 2, 4, 6, 7, 9, 11),
    "mixolydian": (0, 2, 4, 5, 7, 9, 10),
    "locrian": (0, 1, 3, 5, 6, 8, 10),
    "major-pentatonic": (0, 2, 4, 7, 9),
    "minor-pentatonic": (0, 3, 5, 7, 10),
    "blues": (0, 3, 5, 6, 7, 10),
}
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
"""Semitones and steps of the staff above the root, by the suffix of the symbol."""
_SUFFIXES = {"min": "m", "-": "m", "maj": "", "M": "", "M7": "maj7", "Δ": "maj7", "°": "dim", "o": "dim", "+": "aug"}
_SUFFIXES |= {"°7": "dim7", "ø": "m7b5", "min7": "m7", "-7": "m7", "mM7": "mmaj7", "sus": "sus4", "M9": "maj9"}

Note = Annotated[str, About("Note such as C, F# or Bb", "Bb", min_length=1, max_length=3)]


def _class_of(note: str) -> tuple[str, int]:
    """The letter of a note and its semitones above C, not reduced. Raises `ToolError`."""
    match = _NOTE.fullmatch(note.strip())
    if not match:
        raise ToolError(f"{note} is not a note. Write it as C, F# or Bb.")
    letter, sign = match[1].upper(), match[2].replace("♯", "#").replace("♭", "b")
    return letter, _STEPS[letter] + sign.count("#") - sign.count("b")


def _spell(letter: str, semitones: int) -> str:
    """A note of a letter that sounds so many semitones above C."""
    shift = (semitones - _STEPS[letter] + 6) % 12 - 6
    return letter + ("#" * shift if shift > 0 else "b" * -shift)


def _letter_above(letter: str, steps: int) -> str:
    return "CDEFGAB"[("CDEFGAB".index(letter) + steps) % 7]


class NoteFacts(TypedDict):
    """A note and its pitch."""

    note: Annotated[str, About("Nearest note in scientific pitch notation: A4 is concert pitch")]
    midi: Annotated[int, About("MIDI number: 60 is middle C")]
    frequency_hz: Annotated[float, About("Frequency of that note in equal temperament")]
    cents_off: Annotated[float, About("How far the given frequency is from the note; 100 cents are a semitone")]
    wavelength_m: Annotated[float, About("Wavelength in air of 20 degrees Celsius, 343.2 m/s")]


@tool(
    tags="music note frequency hertz midi pitch convert tuning cents a440",
    use_when=(
        "What frequency has the note C#5?",
        "Which note is 311 Hz?",
        "What is MIDI note 69 with A tuned to 442 Hz?",
    ),
    examples=(
        Example(
            {"pitch": "C4"},
            {"midi": 60, "frequency_hz": 261.6256, "cents_off": 0.0, "wavelength_m": 1.3118},
            source="middle C in equal temperament, 261.6256 Hz",
            tolerance=1e-6,
        ),
        Example({"pitch": "440 Hz"}, {"note": "A4", "midi": 69, "cents_off": 0.0}, source="ISO 16"),
        Example(
            {"pitch": "midi 81", "concert_pitch_hz": 442},
            {"note": "A5", "frequency_hz": 884.0},
            source="by hand: an octave",
        ),
        Refusal({"pitch": "H4"}, "not a pitch"),
    ),
)
def music_convert_pitch(
    pitch: Annotated[str, About("Note with octave, frequency or MIDI number", "C#5", min_length=1, max_length=30)],
    concert_pitch_hz: Annotated[float, About("Frequency of A4", minimum=300, maximum=600)] = 440,
) -> NoteFacts:
    """Convert between note names (C#5), frequencies (311 Hz) and MIDI numbers (midi 69) in equal temperament.

    Use it for tuning, synthesis and MIDI. Returns the nearest note, its MIDI number and frequency, and the deviation in
    cents.
    """
    exact = _midi_of(pitch.strip(), concert_pitch_hz)
    if not -12 <= exact <= 140:
        raise ToolError("The pitch is out of reach. It must lie between C-2 and G#10, about 4 to 26,000 Hz.")
    midi = math.floor(exact + 0.5)
    frequency = concert_pitch_hz * 2 ** ((midi - 69) / 12)
    return {
        "note": f"{_SHARPS[midi % 12]}{midi // 12 - 1}",
        "midi": midi,
        "frequency_hz": round(frequency, 4),
        "cents_off": round(100 * (exact - midi), 2) + 0.0,
        "wavelength_m": round(343.2 / frequency, 4),
    }


def _midi_of(pitch: str, concert: float) -> float:
    if match := re.fullmatch(r"midi\s*(-?[0-9]{1,3})", pitch, re.I):
        return float(match[1])
    if match := re.fullmatch(r"([0-9]{1,6}(?:\.[0-9]{1,6})?)\s*(?:hz)?", pitch, re.I):
        frequency = float(match[1])
        if frequency > 0:
            return 69 + 12 * math.log2(frequency / concert)
    match = _NOTE.fullmatch(pitch)
    if not match or match[3] is None:
        raise ToolError(f"{pitch} is not a pitch. Write a note with its octave (C#5), a frequency (311 Hz) or midi 69.")
    return _class_of(match[1] + match[2])[1] + 12 * (int(match[3]) + 1)


class Scale(TypedDict):
    """A scale and its chords."""

    notes: Annotated[list[str], About("From the tonic upwards, without its octave")]
    chords: Annotated[list[str], About("Triads on each degree; none for scales that do not have seven notes")]


@tool(
    tags="music scale key notes mode major minor pentatonic blues diatonic chords",
    use_when=(
        "Which notes are in E flat major?",
        "Give me the A minor pentatonic scale.",
        "What chords belong to the key of G major?",
    ),
    examples=(
        Example(
            {"tonic": "Eb", "scale": "major"},
            {
                "notes": ["Eb", "F", "G", "Ab", "Bb", "C", "D"],
                "chords": ["Eb", "Fm", "Gm", "Ab", "Bb", "Cm", "Ddim"],
            },
            source="circle of fifths: E flat major has three flats; its triads by the usual degrees",
        ),
        Example(
            {"tonic": "A", "scale": "minor-pentatonic"},
            {"notes": ["A", "C", "D", "E", "G"], "chords": []},
            source="the pentatonic of the white keys",
        ),
        Refusal({"tonic": "H", "scale": "major"}, "not a note"),
    ),
)
def music_build_scale(
    tonic: Note,
    scale: Annotated[
        Literal[
            "major",
            "minor",
            "harmonic-minor",
            "melodic-minor",
            "dorian",
            "phrygian",
            "lydian",
            "mixolydian",
            "locrian",
            "major-pentatonic",
            "minor-pentatonic",
            "blues",
        ],
        About("Kind of scale; melodic minor ascending"),
    ] = "major",
) -> Scale:
    """Build a musical scale or mode on a tonic with correctly spelled notes, and the triads on its degrees.

    Use it for keys, improvisation and harmony. Returns the notes and, for scales of seven notes, the chords.
    """
    letter, root = _class_of(tonic)
    steps = _SCALES[scale]
    if len(steps) != 7:
        degrees = {0: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 4, 7: 4, 9: 5, 10: 6}
        return {"notes": [_spell(_letter_above(letter, degrees[step]), root + step) for step in steps], "chords": []}
    notes = [_spell(_letter_above(letter, degree), root + step) for degree, step in enumerate(steps)]
    kinds = {(4, 7): "", (3, 7): "m", (3, 6): "dim", (4, 8): "aug", (2, 6): "(b5,sus2)"}
    chords = []
    for degree, note in enumerate(notes):
        third, fifth = ((steps[(degree + up) % 7] - steps[degree]) % 12 for up in (2, 4))
        chords.append(note + kinds.get((third, fifth), "(b5)"))
    return {"notes": notes, "chords": chords}


class Chord(TypedDict):
    """A chord."""

    notes: Annotated[list[str], About("From the root upwards; a bass note of its own comes first")]
    root: Annotated[str, About("Root of the chord")]
    midi: Annotated[list[int], About("MIDI numbers in close position, the root around middle C")]
    frequencies_hz: Annotated[list[float], About("Frequencies with A4 at 440 Hz")]


@tool(
    tags="music chord notes spell symbol triad seventh guitar piano",
    use_when=(
        "Which notes are in Cmaj7?",
        "Spell the chord F#m7b5.",
        "What do I play for G/B on the piano?",
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
        Refusal({"chord": "Cfoo"}, "not a chord"),
    ),
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
        raise ToolError(f"{chord} is not a chord that is known. Write it as C, F#m, Bbmaj7, G7sus4 or D/F#.")
    letter, root = _class_of(match[1])
    notes = [_spell(_letter_above(letter, steps), root + semitones) for semitones, steps in _CHORDS[suffix]]
    midi = [60 + root + semitones for semitones, _ in _CHORDS[suffix]]
    if match[3]:
        bass_letter, bass = _class_of(match[3])
        notes.insert(0, _spell(bass_letter, bass))
        midi.insert(0, 48 + bass % 12)
    frequencies = [round(440 * 2 ** ((number - 69) / 12), 3) for number in midi]
    return {"notes": notes, "root": _spell(letter, root), "midi": midi, "frequencies_hz": frequencies}


class ChordNames(TypedDict):
    """What chord notes may be."""

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
)
def music_identify_chord(
    notes: Annotated[list[Note], About("Notes from the lowest up", ["E", "G", "C"], min_items=2, max_items=12)],
) -> ChordNames:
    """Identify the chord that notes make, in any inversion.

    Use it to name what is played. Returns all symbols that fit exactly, with the lowest note as slash bass where it is
    not the root.
    """
    names = {_class_of(note)[1] % 12: _spell(*_class_of(note)) for note in reversed(notes)}
    bass = _class_of(notes[0])[1] % 12
    found = []
    for root in sorted(names, key=lambda pitch: (pitch != bass, (pitch - bass) % 12)):
        above = {(pitch - root) % 12 for pitch in names}
        for suffix, parts in _CHORDS.items():
            if {semitones % 12 for semitones, _ in parts} == above:
                found.append(names[root] + suffix + ("" if root == bass else f"/{names[bass]}"))
    return {"chords": found}


class Transposed(TypedDict):
    """Chords in another key."""

    text: Annotated[str, About("The text with its chords transposed")]
    chords: Annotated[int, About("How many chords were found")]


@tool(
    tags="music transpose chords song key capo semitones lead sheet",
    use_when=(
        "Transpose C Am F G up two semitones.",
        "Put this chord sheet from G into E flat.",
        "What are these chords with a capo on the 3rd fret?",
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
)
def music_transpose_chords(
    text: Annotated[str, About("Chords or a chord sheet with lyrics", "C Am F G7", min_length=1, max_length=50_000)],
    semitones: Annotated[int, About("How far; negative is down", 2, minimum=-11, maximum=11)],
    spelling: Annotated[Literal["auto", "sharps", "flats"], About("How black keys are called")] = "auto",
) -> Transposed:
    """Transpose the chords of a song by semitones; a line counts as chords if all its words are chord symbols.

    Use it to change keys or for a capo. Spelling follows the new first chord unless asked otherwise. Returns the text
    with its lyrics untouched.
    """
    lines, count = text.split("\n"), 0
    names: tuple[str, ...] | None = None
    if spelling != "auto":
        names = _SHARPS if spelling == "sharps" else _FLATS
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
        return _SHARPS
    root = (_class_of(match[1])[1] + semitones) % 12
    major = (root + 3) % 12 if match[2].startswith("m") and not match[2].startswith("maj") else root
    return _FLATS if _FLATS[major] in _FLAT_KEYS else _SHARPS


def _move(word: str, semitones: int, names: tuple[str, ...]) -> str:
    match = _CHORD.fullmatch(word)
    if not match:
        return word
    root = names[(_class_of(match[1])[1] + semitones) % 12]
    bass = "/" + names[(_class_of(match[3])[1] + semitones) % 12] if match[3] else ""
    return root + match[2] + bass


class Beats(TypedDict):
    """Lengths at a tempo."""

    beat_ms: Annotated[float, About("One beat in milliseconds")]
    bar_s: Annotated[float, About("One bar in seconds")]
    values_ms: Annotated[dict[str, float], About("Lengths of note values in milliseconds, also dotted and triplet")]
    piece_s: Annotated[float | None, About("Length of the given bars in seconds")]


@tool(
    tags="music tempo bpm beat duration bar delay milliseconds time signature",
    use_when=(
        "How long is a dotted eighth at 120 BPM for my delay?",
        "How long do 64 bars in 4/4 at 96 BPM take?",
        "How many milliseconds is a beat at 128 BPM?",
    ),
    examples=(
        Example(
            {"bpm": 120},
            {"beat_ms": 500.0, "bar_s": 2.0, "piece_s": None},
            source="by hand: 60,000 ms by 120, four beats in a bar",
        ),
        Example(
            {"bpm": 90, "beats_per_bar": 3, "bars": 30},
            {"bar_s": 2.0, "piece_s": 60.0},
            source="by hand: 90 beats at 90 a minute",
        ),
        Refusal({"bpm": 0}, "bpm"),
    ),
)
def music_compute_durations(
    bpm: Annotated[float, About("Quarter notes a minute", 120, minimum=1, maximum=1000)],
    beats_per_bar: Annotated[int, About("Quarter notes in a bar", minimum=1, maximum=32)] = 4,
    bars: Annotated[int | None, About("Bars of a piece", 64, minimum=1, maximum=100_000)] = None,
) -> Beats:
    """Compute how long beats, bars and note values last at a tempo, and a piece of so many bars.

    Use it for delay times, loops and rehearsal plans. Returns milliseconds of all note values, plain, dotted and as
    triplets.
    """
    beat = 60_000 / bpm
    plain = {"whole": 4.0, "half": 2.0, "quarter": 1.0, "eighth": 0.5, "sixteenth": 0.25, "thirty-second": 0.125}
    values = {name: round(beat * length, 3) for name, length in plain.items()}
    values |= {f"dotted {name}": round(beat * length * 1.5, 3) for name, length in plain.items()}
    values |= {f"{name} triplet": round(beat * length * 2 / 3, 3) for name, length in plain.items()}
    bar = beat * beats_per_bar / 1000
    return {"beat_ms": beat, "bar_s": bar, "values_ms": values, "piece_s": bar * bars if bars else None}
