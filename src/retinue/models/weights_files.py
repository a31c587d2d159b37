"""The files of weights in a folder: the weights, what was made of them, and what a download leaves behind."""

from pathlib import Path

from retinue.models.known_weights import Weights


def delete_weights(weights: Weights, folder: Path) -> list[Path]:
    """Delete the files of weights. Returns what was deleted."""
    path = folder / weights.file_name
    derived = [*folder.glob(f"{path.stem}-first-*.gguf"), path.with_suffix(".part"), path.with_suffix(".lock")]
    found = [one for one in (path, *derived) if one.is_file()]
    for one in found:
        one.unlink()
    return found
