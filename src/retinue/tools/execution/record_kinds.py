"""Find the kinds of records that the installed libraries store in the workspace."""

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

from retinue.tools.authoring.libraries import libraries
from retinue.workspace.typed_records import RecordKind


def installed_kinds() -> Mapping[str, RecordKind[Any]]:
    """Import the workspace modules of the libraries, and return their kinds by name.

    Modules that only the workers of tools can import store no records.
    """
    kinds: dict[str, RecordKind[Any]] = {}
    for library in libraries():
        for found in pkgutil.iter_modules([str(library.folder / "workspace")]):
            try:
                module = importlib.import_module(f"{library.module}.workspace.{found.name}")
            except ImportError:
                continue
            kinds |= {value.name: value for value in vars(module).values() if isinstance(value, RecordKind)}
    return kinds
