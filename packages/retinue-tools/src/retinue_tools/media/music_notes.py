"""Notes, scales and note lengths."""

import math
import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

SHARPS = ("C", "C#", "D", "D#", "E", "F", "F#", "G", "G#", "A", "A#", "B")

_STEPS = {"C": 0, "D": 2, "E": 4, "F": 5, "G": 7, "A": 9, "B": 11}

_NOTE = re.compile(r"([A-Ga-g])(##|bb|[#b♯♭]?)(-?[0-9]{1,2})?")

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

Note = Annotated[str, About("Note such as C, F# or Bb", "Bb", min_length=1, max_length=3)]


def pitch_class(note: str) -> tuple[str, int]:
    """Return the letter of a note and its semitones above C, not reduced. Raises `ToolError`."""
    match = _NOTE.fullmatch(note.strip())
    if not match:
        raise ToolError(f"{note} is not a note. Write it as C, F# or Bb.")
    letter, sign = match[1].upper(), match[2].replace("♯", "#").replace("♭", "b")
    return letter, _STEPS[letter] + sign.count("#") - sign.count("b")


def spell_note(letter: str, semitones: int) -> str:
    """Spell a note with a letter that is this many semitones above C."""
    shift = (semitones - _STEPS[letter] + 6) % 12 - 6
    return letter + ("#" * shift if shift > 0 else "b" * -shift)


def letter_above(letter: str, steps: int) -> str:
    return "CDEFGAB"[("CDEFGAB".index(letter) + steps) % 7]


class NoteFacts(TypedDict):
    """A note and its pitch."""

    note: Annotated[str, About("Nearest note in scientific pitch notation: A4 is concert pitch")]
    midi: Annotated[int, About("MIDI number: 60 is middle C")]
    frequency_hz: Annotated[float, About("Frequency of that note in equal temperament")]
    cents_off: Annotated[float, About("Deviation of the given frequency from the note; 100 cents are a semitone")]
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
    reply={
        "cents_off": "The nearest note is {note} ({frequency_hz} Hz), {cents_off} cents off.",
        "": "{note} has a frequency of {frequency_hz} Hz and the MIDI number {midi}.",
    },
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
        raise ToolError("The pitch is out of range. It must be between C-2 and G#10, about 4 to 26,000 Hz.")
    midi = math.floor(exact + 0.5)
    frequency = concert_pitch_hz * 2 ** ((midi - 69) / 12)
    return {
        "note": f"{SHARPS[midi % 12]}{midi // 12 - 1}",
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
    return pitch_class(match[1] + match[2])[1] + 12 * (int(match[3]) + 1)


class Scale(TypedDict):
    """A scale and its chords."""

    notes: Annotated[list[str], About("Notes from the tonic upwards, without the octave")]
    chords: Annotated[list[str], About("Triads on each degree; empty for scales without seven notes")]


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
    reply={
        "chords": "The notes are {notes}, and the chords {chords}.",
        "": "The notes are {notes}.",
    },
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
    letter, root = pitch_class(tonic)
    steps = _SCALES[scale]
    if len(steps) != 7:
        degrees = {0: 0, 2: 1, 3: 2, 4: 2, 5: 3, 6: 4, 7: 4, 9: 5, 10: 6}
        return {"notes": [spell_note(letter_above(letter, degrees[step]), root + step) for step in steps], "chords": []}
    notes = [spell_note(letter_above(letter, degree), root + step) for degree, step in enumerate(steps)]
    kinds = {(4, 7): "", (3, 7): "m", (3, 6): "dim", (4, 8): "aug", (2, 6): "(b5,sus2)"}
    chords = []
    for degree, note in enumerate(notes):
        third, fifth = ((steps[(degree + up) % 7] - steps[degree]) % 12 for up in (2, 4))
        chords.append(note + kinds.get((third, fifth), "(b5)"))
    return {"notes": notes, "chords": chords}


class Beats(TypedDict):
    """Durations at a tempo."""

    beat_ms: Annotated[float, About("One beat in milliseconds")]
    bar_s: Annotated[float, About("One bar in seconds")]
    values_ms: Annotated[dict[str, float], About("Durations of note values in milliseconds, also dotted and triplet")]
    piece_s: Annotated[float | None, About("Duration of the given bars in seconds")]


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
    reply={
        "piece_s": "The piece takes {piece_s} seconds; a beat takes {beat_ms} ms and a bar {bar_s} seconds.",
        "": "A beat takes {beat_ms} ms and a bar {bar_s} seconds. The note values in ms: {values_ms}",
    },
)
def music_compute_durations(
    bpm: Annotated[float, About("Quarter notes per minute", 120, minimum=1, maximum=1000)],
    beats_per_bar: Annotated[int, About("Quarter notes per bar", minimum=1, maximum=32)] = 4,
    bars: Annotated[int | None, About("Number of bars", 64, minimum=1, maximum=100_000)] = None,
) -> Beats:
    """Compute how long beats, bars and note values last at a tempo, and a piece with a number of bars.

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
