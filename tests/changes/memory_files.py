"""Files in memory that keep the promise of the port `Files`."""

from __future__ import annotations

from holdfast.changes.files import Found, Looked, Missing, Unfit


class MemoryFiles:
    """Files by name; `links` lead from one name to another, `unfit` names what cannot be edited."""

    def __init__(
        self, files: dict[str, bytes], links: dict[str, str] | None = None, unfit: tuple[str, ...] = ()
    ) -> None:
        self.files = files
        self.links = links or {}
        self.unfit = unfit

    def look(self, path: str) -> Looked:
        at = self.links.get(path, path)
        if at in self.unfit:
            return Unfit("conflict", f"{path}: this is a directory.")
        if at in self.files:
            return Found(at, self.files[at], 0o644, linked=path in self.links)
        parents = at.split("/")[:-1]
        known = {name.rpartition("/")[0] for name in self.files}
        missing = ["/".join(parents[:depth]) for depth in range(1, len(parents) + 1)]
        return Missing(at, tuple(parent for parent in missing if parent not in known))

    def names(self, near: str) -> list[str]:
        return list(self.files)
