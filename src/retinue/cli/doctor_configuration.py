"""Checks of `retinue doctor` that load what the settings name, with the functions that `retinue serve` uses."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from retinue.auth.plans import Plans
from retinue.core.errors import Unavailable
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.vault import Vault
from retinue.files.configured_store import configured_store
from retinue.tools.imports.mcp.programs import AllowedPrograms
from retinue.voice.trunks import Trunks

if TYPE_CHECKING:
    from retinue.settings import Settings


def configuration_checks(settings: "Settings", home: DataDir) -> Mapping[str, Callable[[], str]]:
    """Return the checks by name. Each returns a description, or raises the error that the server starts with."""
    return {
        "master key": lambda: _master_key(settings, home),
        "plans": lambda: _plans(settings.plans_file),
        "files": lambda: _files(settings, home),
        "SIP trunks": lambda: check_trunks(settings.sip_trunks_file),
        "MCP programs": lambda: _mcp_programs(settings.mcp_programs_file),
    }


def check_trunks(path: Path | None) -> str:
    """Return where the trunks are. Raises `Unavailable` if the file is invalid, or the variable of a password unset."""
    trunks = Trunks.load(path)
    unset = [(name, variable) for name, variable in trunks.password_variables() if not os.environ.get(variable)]
    if unset:
        raise Unavailable(
            " ".join(
                f"The password of the trunk {name} is in {variable}, which is not set." for name, variable in unset
            )
        )
    return f"{len(trunks.by_name)}, from {path}" if path else "none"


def _master_key(settings: "Settings", home: DataDir) -> str:
    key = settings.master_key.get_secret_value() if settings.master_key else None
    Vault.load(home.folder, key)
    if key:
        return "from RETINUE_MASTER_KEY"
    return str(home.key) if home.key.exists() else f"the server will create {home.key}"


def _plans(path: Path | None) -> str:
    Plans.load(path)
    return f"from {path}" if path else "built in"


def _files(settings: "Settings", home: DataDir) -> str:
    store = configured_store(settings.files_url, settings.files_dir, home)
    asyncio.run(store.create())
    return settings.files_url or str(settings.files_dir or home.files)


def _mcp_programs(path: Path | None) -> str:
    AllowedPrograms.load(path)
    return f"from {path}" if path else "none"
