"""The sandbox of the processes that run something of a model's or of a project's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

SandboxLevel: TypeAlias = Literal["read", "write", "full"]
"""What a process may do.

`read`: change no file, reach no network. `write`: change the worktree, but not `.git`, `.holdfast`
and our state. `full`: whatever the user may.
"""

SandboxKind: TypeAlias = Literal["bubblewrap", "landlock", "seatbelt", "none"]
"""What enforces the levels on this machine."""

_ALL_OPEN = (
    "all files of the user can be read and changed",
    "the network is open",
)
_UNPROTECTED: Mapping[tuple[SandboxKind, SandboxLevel], tuple[str, ...]] = {
    ("none", "read"): _ALL_OPEN,
    ("none", "write"): _ALL_OPEN,
    ("landlock", "write"): (
        "files with secrets in the project can be read",
        ".git and .holdfast can be changed",
        "modes and times of files outside the project can be changed",
    ),
}


@dataclass(frozen=True, slots=True)
class SandboxStatus:
    """The sandbox of this machine.

    `why` is a sentence with the cure where the kind is none, or weaker than another; otherwise "".
    `switched_off`: the kind is none because the user wants that.
    """

    kind: SandboxKind
    why: str = ""
    switched_off: bool = False

    def runs_unattended(self, *, weak: bool) -> bool:
        """Return whether a command may run in the level `write` although no person was asked.

        `weak`: the user accepts a sandbox that does not enforce all of the level.

        >>> [SandboxStatus(kind).runs_unattended(weak=False) for kind in ("bubblewrap", "landlock")]
        [True, False]
        >>> [SandboxStatus(kind).runs_unattended(weak=True) for kind in ("landlock", "none")]
        [True, False]
        >>> SandboxStatus("none", switched_off=True).runs_unattended(weak=False)
        True
        """
        if self.kind == "none":
            return self.switched_off
        return weak or not self.unprotected("write")

    def unprotected(self, level: SandboxLevel, *, network: bool = False) -> tuple[str, ...]:
        """Return what this kind cannot enforce of a level, in words; () if it enforces all.

        >>> SandboxStatus("bubblewrap").unprotected("write")
        ()
        >>> SandboxStatus("none").unprotected("read")[1]
        'the network is open'
        """
        found = _UNPROTECTED.get((self.kind, level), ())
        if network:
            # The caller asked for an open network, so an open network is not a weakness here.
            return tuple(each for each in found if each != _ALL_OPEN[1])
        return found
