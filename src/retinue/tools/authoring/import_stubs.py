"""Stub the tools' libraries while the catalogue compiles, because a declaration does not execute them.

The server's environment lacks most of those libraries, and need not wait for their installation to know its tools. A
module may use a library's names at its top level, in annotations and as base classes; it may not call them there.
"""

import importlib
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from traceback import walk_stack
from types import ModuleType
from typing import Any

from retinue.tools.authoring.libraries import installed_modules

_PLACES = ("stdlib", "platstdlib", "purelib", "platlib")
"""Where installed libraries and those of Python are, as names of `sysconfig`."""
_IMPORTLIB = "<frozen importlib"
_SERVER = __name__.partition(".")[0]
"""This package. Its modules for tools import libraries that the server's environment lacks, such as CTranslate2."""


class _Kind(type):
    """Makes every attribute of a stub another stub."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub

    def __getitem__(cls, item: object) -> object:
        return cls

    def __call__(cls, *args: object, **kwargs: object) -> object:
        raise TypeError("A library must not be called while its module is imported. Call it in a function.")


class Stub(metaclass=_Kind):
    """Any object of a library that is not installed."""


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub


class _Finder(MetaPathFinder, Loader):
    """Finds every library that is not installed, with its modules. Other finders find those of installed libraries.

    An installed library that tries to import another one gets none: it knows how to do without.
    """

    def __init__(self) -> None:
        self._installed = tuple(f"{path}/" for path in {*map(sysconfig.get_path, _PLACES)})
        self._authors = {_SERVER, *(one.module.partition(".")[0] for one in installed_modules())}

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package = fullname.rpartition(".")[0]
        if package and not isinstance(sys.modules.get(package), _Module):
            return None
        return None if self._imports_for_library() else ModuleSpec(fullname, self, is_package=True)

    def _imports_for_library(self) -> bool:
        """Return whether the module that imports is one of an installed library: neither of the server nor of tools."""
        importers = (frame for frame, _ in walk_stack(sys._getframe(2)))
        importer = next(frame for frame in importers if not frame.f_code.co_filename.startswith(_IMPORTLIB))
        name = str(importer.f_globals.get("__name__", ""))
        is_installed = importer.f_code.co_filename.startswith(self._installed)
        return is_installed and name != importlib.__name__ and name.partition(".")[0] not in self._authors

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


@contextmanager
def absent_libraries() -> Iterator[None]:
    """In the block, importing a module that is not installed returns a stub."""
    finder = _Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, _Module)]:
            del sys.modules[name]
