"""The first start creates the owner once."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.cli.serve import first_steps
from retinue.core.database.statements import Row
from retinue.core.runtime.data_dir import DataDir
from retinue.migrations.database import open_database
from retinue.platform.platform import Platform


class UsersBeforeTheOtherNode(Users):
    """Finds no user, as a node does that looks before another one has created the owner."""

    async def all(self) -> list[Row]:
        return []


async def test_a_node_that_starts_together_with_another_leaves_the_first_user_to_it(tmp_path: Path) -> None:
    home = DataDir(tmp_path / "home")
    home.create()
    database = await open_database(None, home)
    users = Users(database, Plans.load())
    await users.create("owner@localhost")
    late = SimpleNamespace(users_admin=UsersBeforeTheOtherNode(database, users.plans), home=home)
    assert await first_steps(cast(Platform, late)) is None
    assert [user.email for user in await users.all()] == ["owner@localhost"]
    assert await users.keys("owner@localhost") == []
    await database.close()
