"""Find the files that tools made in runs, for clients and visitors."""

from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from retinue.core.database.statements import Row
from retinue.files.file_access import FileAccess, named_files
from retinue.tools.catalogue.trust import is_imported
from retinue.tools.imports.account_catalogue import AccountCatalogue


@dataclass(frozen=True)
class MadeFiles:
    """Reads the results of the server's own tools: one of an imported tool may name any file of the account."""

    directory: AccountCatalogue
    file_access: FileAccess

    async def by_run(self, account_id: int, rows: Iterable[Row]) -> dict[int, list[Row]]:
        """Return the records of the files that these rows of journals name, in order, by the id of the run.

        Deleted files are left out, and so are runs without files.
        """
        results = [one for one in rows if one.role == "tool" and one.state == "done" and '"file_' in one.content]
        if not results:
            return {}
        known = await self.directory.of(account_id)
        named: dict[int, dict[str, None]] = {}
        for one in results:
            result = orjson.loads(one.content)
            if one.tool_name in known and isinstance(result, dict) and not is_imported(known.get(one.tool_name)):
                ids = named_files(known.get(one.tool_name).result_schema, result)
                named.setdefault(one.run_id, {}).update(dict.fromkeys(ids))
        records = await self.file_access.records(account_id, [file_id for ids in named.values() for file_id in ids])
        made = {run: [records[file_id] for file_id in ids if file_id in records] for run, ids in named.items()}
        return {run: files for run, files in made.items() if files}
