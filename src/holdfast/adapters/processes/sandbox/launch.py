"""A launch: the words that start a process in a sandbox, and how its end is read."""

from __future__ import annotations

import os
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from holdfast.adapters.processes.sandbox.layout import ConfinedProcess, Layout


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start a process so that it is confined.

    `inner_group` returns the process group of the program, where that is another one than the
    child's. `failed` returns whether the sandbox could not be set up, once the child has ended.
    `end_all` makes the child end all processes of the program, also those that left their group.
    """

    argv: Sequence[str]
    pass_fds: Sequence[int] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    inner_group: Callable[[], int | None] = lambda: None
    failed: Callable[[], bool] = lambda: False
    end_all: Callable[[], None] | None = None


class Launcher(Protocol):
    """Confines processes by one facility of the system."""

    def prepare(self, process: ConfinedProcess, layout: Layout) -> AbstractContextManager[Launch]:
        """Return the launch of a process; what it needs is removed at the end of the context."""


def memory_file(data: bytes) -> int:
    """Return a file descriptor that reads these bytes."""
    number = os.memfd_create("holdfast")
    os.write(number, data)
    os.lseek(number, 0, os.SEEK_SET)
    return number
