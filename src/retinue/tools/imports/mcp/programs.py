"""Load the MCP programs that the operator allows from a TOML file, read at start."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from retinue.core.errors import Unavailable, ValidationFailed
from retinue.tools.imports.credentials import Credential

SCHEME = "stdio:"
"""The prefix of a source's address if its server is a program; the program's name follows."""

ProgramName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]

_Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
_INHERITED = ("LANG", "LC_ALL", "PATH", "TZ")
"""The variables that a program inherits; the server's secrets are not among them."""
_Absolute = Annotated[str, Field(pattern=r"^/[^\x00]*$")]


class Program(BaseModel):
    """How one is started, and who may import it.

    `credential` is the variable for the token of a user's source. `files` are files and folders that it may read and
    write, in addition to the system's, its own installation and its own folder. If `plans` or `users` (their ids) are
    set, only users with one of these plans, and these users, may import it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: list[_Text] = Field(min_length=1)
    environment: dict[_Variable, _Text] = {}
    credential: _Variable | None = None
    memory_mb: int = Field(2048, ge=64)
    files: list[_Absolute] = []
    network: bool = False
    plans: list[str] | None = None
    users: list[int] | None = None

    def variables(self, credential: Credential | None, home: Path) -> dict[str, str]:
        """Return its whole environment. Raises `ValidationFailed` for a credential that it does not use."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        own = {"PATH": os.defpath, **inherited, "HOME": str(home), "TMPDIR": str(home / "tmp")}
        return {**own, **self.environment, **self._secret(credential)}

    def is_open_to(self, user: int, plan: str) -> bool:
        """Return whether this user may import it."""
        if self.plans is None and self.users is None:
            return True
        return plan in (self.plans or ()) or user in (self.users or ())

    def _secret(self, credential: Credential | None) -> dict[str, str]:
        if credential is None:
            return {}
        if self.credential is None:
            raise ValidationFailed("credential: this program does not use a credential. Leave it out.")
        if credential.type != "bearer":
            raise ValidationFailed('credential: programs require a token. Send one with the type "bearer".')
        return {self.credential: credential.value}


class _ProgramsFile(RootModel[dict[ProgramName, Program]]):
    """The file as a whole."""


class AllowedPrograms:
    """The allowed programs by name."""

    def __init__(self, by_name: Mapping[str, Program]) -> None:
        self._by_name = by_name

    @classmethod
    def load(cls, path: Path | None) -> "AllowedPrograms":
        """Read the operator's file; without one, no program is allowed. Raises `Unavailable` if it is invalid."""
        if path is None:
            return cls({})
        try:
            return cls(_ProgramsFile.model_validate(tomllib.loads(path.read_text())).root)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
            raise Unavailable(f"The file of MCP programs {path} is invalid: {error}") from error

    def open_to(self, user: int, plan: str) -> Mapping[str, Program]:
        """Return the programs that a user may import, with their names in order."""
        return {name: program for name, program in sorted(self._by_name.items()) if program.is_open_to(user, plan)}

    def find_program(self, name: str) -> Program:
        """Return a program by its name. Raises `Unavailable` if the operator has removed it."""
        if name not in self._by_name:
            raise Unavailable(f"The operator no longer allows a program named {name}.")
        return self._by_name[name]

    def check(self, name: str, user: int, plan: str) -> None:
        """Raise `ValidationFailed` unless a user may import this program."""
        usable = self.open_to(user, plan)
        if name in usable:
            return
        if not usable:
            raise ValidationFailed(
                "program: this server does not start programs for you. The operator can allow some with "
                "RETINUE_MCP_PROGRAMS_FILE. Alternatively, import a server by its url."
            )
        raise ValidationFailed(
            f"program: the operator does not allow a program named {name}. Allowed programs: {', '.join(usable)}."
        )
