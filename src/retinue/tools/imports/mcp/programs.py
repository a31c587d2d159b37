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
_INHERITED = ("HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER")
"""The variables that a program inherits; the server's secrets are not among them."""


class Program(BaseModel):
    """How one is started. `credential` is the variable that holds what a source's user knows the server by."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    command: list[_Text] = Field(min_length=1)
    environment: dict[_Variable, _Text] = {}
    credential: _Variable | None = None
    memory_mb: int = Field(2048, ge=64)

    def variables(self, credential: Credential | None) -> dict[str, str]:
        """Its whole environment. Raises `ValidationFailed` for a credential that it does not use."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return {**inherited, **self.environment, **self._secret(credential)}

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

    @property
    def by_name(self) -> Mapping[str, Program]:
        """The programs with their names in order."""
        return dict(sorted(self._by_name.items()))

    def find_program(self, name: str) -> Program:
        """A program by its name. Raises `ValidationFailed` listing the available ones."""
        if name in self._by_name:
            return self._by_name[name]
        if not self._by_name:
            raise ValidationFailed(
                "program: this server does not start programs. The operator can allow some with "
                "RETINUE_MCP_PROGRAMS_FILE. Alternatively, import a server by its url."
            )
        raise ValidationFailed(
            f"program: the operator does not allow a program named {name}. Allowed programs: "
            f"{', '.join(sorted(self._by_name))}."
        )
