"""Stand-ins for the tools' libraries while the catalogue is compiled: a tool is declared without what it works with.

The server's environment lacks most of those libraries, and need not wait for them to know its tools. A module may name
a library's things at its top, in annotations and as base classes; it may not call them there.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class _Kind(type):
    """Makes every attribute of a stand-in another one."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent

    def __getitem__(cls, item: object) -> Any:
        return cls

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        raise TypeError("A library must not be called while its module is imported: do it in a function.")


class Absent(metaclass=_Kind):
    """Anything of a library that is not here."""


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent


class _Finder(MetaPathFinder, Loader):
    """Asked last, finds every module that nobody else has, but for this package's own."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        own = __name__.partition(".")[0]
        return None if fullname.partition(".")[0] == own else ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


@contextmanager
def absent_libraries() -> Iterator[None]:
    """Within it, importing what is not installed gives a stand-in."""
    finder = _Finder()
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name, module in sys.modules.items() if isinstance(module, _Module)]:
            del sys.modules[name]
