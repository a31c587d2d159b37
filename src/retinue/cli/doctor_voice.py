"""`retinue doctor voice`: call this machine from itself, and say what works and how to mend the rest."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import typer

from retinue.cli.configuration import load_settings
from retinue.cli.doctor_configuration import check_trunks
from retinue.core.errors import Unavailable
from retinue.core.runtime import log
from retinue.core.runtime.data_dir import DataDir
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.media.process import WorkerEnded
from retinue.voice.media.self_call import SENTENCE, engines_to_try, running_self_caller
from retinue.voice.options import VoiceOptions


def check_voice() -> None:
    """Report on speech, the media worker and calls. Exits with status 1 if a problem must be fixed."""
    log.configure("error")
    settings = load_settings()
    cache = DataDir(settings.home).cache
    voice, piper = VoiceEnvironment.beside(cache), PiperEnvironment.beside(cache)
    for line in missing_settings(settings.voice):
        typer.echo(f"WARN  {line}")
    trunks_are_right = _report_trunks(settings.voice.trunks_file)
    if not voice.ready:
        typer.echo("MEND  speech libraries: they are not installed. Run: retinue voice install")
        raise typer.Exit(1)
    typer.echo(f"ok    speech libraries: in {voice.folder}")
    if not asyncio.run(_call_all(voice, piper, settings.voice)) or not trunks_are_right:
        raise typer.Exit(1)


def _report_trunks(path: Path | None) -> bool:
    """Print whether the trunks file can be used, if there is one. Returns False if it cannot."""
    try:
        trunks = check_trunks(path)
    except Unavailable as error:
        typer.echo(f"MEND  trunks: {error}")
        return False
    if path:
        typer.echo(f"ok    trunks: {trunks}")
    return True


def missing_settings(options: VoiceOptions) -> Iterator[str]:
    """Yield a sentence for each setting without which a server makes or takes no calls."""
    if options.sip is None:
        yield (
            "calls: they are disabled. Set RETINUE_SIP to the address and port for SIP, such as 0.0.0.0:5060, or "
            "127.0.0.1:5060 for telephones on this machine."
        )
        return
    if not options.destinations:
        yield (
            "destinations: agents can be called, but call nobody. Set RETINUE_SIP_DESTINATIONS, such as +44* or "
            "sip:*@example.com."
        )
    if options.trunks_file is None:
        yield (
            "trunks: telephone numbers cannot be called, only SIP addresses. Name your provider in a file and set "
            "RETINUE_SIP_TRUNKS_FILE."
        )


async def _call_all(voice: VoiceEnvironment, piper: PiperEnvironment, options: VoiceOptions) -> bool:
    """Make a call with each engine. Returns False if one fails."""
    began = time.monotonic()
    try:
        async with running_self_caller(voice.python, piper.python if piper.ready else None, options) as caller:
            typer.echo(f"ok    media worker: ready after {time.monotonic() - began:.1f} s")
            all_well = True
            for engine in engines_to_try(options, has_piper=piper.ready):
                try:
                    call = await caller.call(engine)
                except OSError as error:
                    typer.echo(f"MEND  {engine}: the call failed: {error}")
                    all_well = False
                    continue
                if call.understood:
                    typer.echo(
                        f"ok    {engine}: a call was answered, and “{SENTENCE}” was understood; the transcription took "
                        f"{call.transcription_ms} ms"
                    )
                else:
                    typer.echo(
                        f"WARN  {engine}: a call was answered, but “{SENTENCE}” was understood as “{call.heard}”. Try "
                        "again when the machine is less busy, or use another engine or transcription server."
                    )
            for problem in caller.problems:
                typer.echo(f"WARN  media worker: {problem}")
            return all_well
    except (WorkerEnded, OSError) as error:
        typer.echo(f"MEND  media worker: it does not start: {error}. Run: retinue voice install")
        return False
