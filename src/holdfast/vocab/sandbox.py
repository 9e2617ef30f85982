"""The sandbox of the processes that run something of a model's or of a project's."""

from __future__ import annotations

from typing import Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

SandboxLevel: TypeAlias = Literal["read", "write", "full"]
"""What a process may do.

`read`: change no file, reach no network. `write`: change the worktree, but not `.git`, `.holdfast`
and our state. `full`: whatever the user may.
"""

GitAccess: TypeAlias = Literal["hidden", "read", "write"]
"""What a process may do with the git directory.

`hidden`: in `read` nothing; in `write` read it, but not the objects and other places with contents
of files or keys. `write`: commit, but not change the configuration.
"""

SandboxKind: TypeAlias = Literal["bubblewrap", "landlock", "seatbelt", "none"]
"""What enforces the levels on this machine."""


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """The sandbox of this machine.

    `why` is a sentence with the cure where the kind is none, or weaker than another; otherwise "".
    `switched_off`: the kind is none because the user wants that.
    """

    kind: SandboxKind
    why: str = ""
    switched_off: bool = False
