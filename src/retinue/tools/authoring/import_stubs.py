"""Stub the tools' libraries while the catalogue compiles, because a declaration does not execute them.

The server's environment lacks most of those libraries, and need not wait for their installation to know its tools. A
module may use a library's names at its top level, in annotations and as base classes; it may not call them there.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


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
    """Finds every library that is not installed, with its modules. Other finders find those of installed libraries."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package = fullname.rpartition(".")[0]
        is_absent = not package or isinstance(sys.modules.get(package), _Module)
        return ModuleSpec(fullname, self, is_package=True) if is_absent else None

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
