"""What the sandbox of this machine cannot enforce, and whether commands run in it unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from holdfast.vocab.sandbox import SandboxKind, SandboxLevel, SandboxStatus

_ALL_FILES = ("all files of the user can be read and changed",)
_FILE_GAPS: Mapping[tuple[SandboxKind, SandboxLevel], tuple[str, ...]] = {
    ("none", "read"): _ALL_FILES,
    ("none", "write"): _ALL_FILES,
    ("landlock", "write"): (
        "files with secrets in the project can be read",
        ".git and .holdfast can be changed",
        "modes, owners and times of files outside the project can be changed",
    ),
}
_OPEN_NETWORK = ("the network is open",)
_NETWORK_GAPS: Mapping[tuple[SandboxKind, SandboxLevel], tuple[str, ...]] = {
    ("none", "read"): _OPEN_NETWORK,
    ("none", "write"): _OPEN_NETWORK,
}


def sandbox_gaps(
    sandbox: SandboxStatus, level: SandboxLevel, *, network: bool = False
) -> tuple[str, ...]:
    """Return what a sandbox cannot enforce of a level, in words; () if it enforces all.

    `network`: the caller asked for an open network, so that is no gap.

    >>> from holdfast.vocab.sandbox import SandboxStatus
    >>> sandbox_gaps(SandboxStatus("bubblewrap"), "write")
    ()
    >>> sandbox_gaps(SandboxStatus("none"), "read")[1]
    'the network is open'
    """
    gaps = _FILE_GAPS.get((sandbox.kind, level), ())
    if network:
        return gaps

    return gaps + _NETWORK_GAPS.get((sandbox.kind, level), ())


def runs_unattended(sandbox: SandboxStatus, gaps: Sequence[str], *, weak: bool) -> bool:
    """Return whether a command may run in the level `write` although no person was asked.

    `gaps` is what is not protected there. `weak`: the user accepts that.

    >>> from holdfast.vocab.sandbox import SandboxStatus
    >>> [runs_unattended(SandboxStatus("landlock"), gaps, weak=False) for gaps in ((), ("all",))]
    [True, False]
    >>> [runs_unattended(SandboxStatus(kind), ("all",), weak=True) for kind in ("landlock", "none")]
    [True, False]
    >>> runs_unattended(SandboxStatus("none", switched_off=True), ("all",), weak=False)
    True
    """
    if sandbox.kind == "none":
        return sandbox.switched_off

    return weak or not gaps
