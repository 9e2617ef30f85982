"""Another reading of a request."""

from __future__ import annotations

from collections.abc import Callable

from holdfast.landing.text.edit_script import EditScript, script_of
from holdfast.landing.text.lines import Doc, contents_of
from holdfast.vocab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Unmangled:
    """Another reading of old and new.

    `near` is the file line (0-based) that a listing's numbers name.
    """

    old: str
    new: str
    near: int | None = None

    @property
    def script(self) -> EditScript:
        """The old and the new lines, and the edits between them."""
        return script_of(contents_of(self.old), contents_of(self.new))


Undo = Callable[[Doc, Unmangled], Unmangled | None]
"""Returns the reading without one mangling, or None where that did not happen."""
