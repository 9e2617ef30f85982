"""What a sandbox cannot enforce, in words."""

from __future__ import annotations

from holdfast.tools.commands.sandbox_gaps import sandbox_gaps
from holdfast.vocab.sandbox import SandboxStatus


def test_an_open_network_is_no_gap_for_who_asked_for_it() -> None:
    nothing = SandboxStatus("none")
    files = ("all files of the user can be read and changed",)
    assert sandbox_gaps(nothing, "write") == (*files, "the network is open")
    assert sandbox_gaps(nothing, "write", network=True) == files
