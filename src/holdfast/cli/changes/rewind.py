"""`holdfast changes rewind`."""

from __future__ import annotations

from pathlib import Path

from holdfast.cli.changes.run_use_case import ChangeId, changes_output, run_use_case
from holdfast.cli.options import AsJson, Root
from holdfast.cli.render.edits import warn_unrecorded
from holdfast.usecases.changes.rewind import rewind_change


def rewind(change_id: ChangeId, *, root: Root = Path(), as_json: AsJson = False) -> None:
    """Undo an applied change, even below later ones.

    A file gets its old bytes back. If it was edited since, only the change itself is removed from
    it. A turn of its session that runs is stopped first.

    Exit 0: rewound. 1: refused (later edits are in the way), and no file was changed. 2: wrong
    usage.
    """
    output = changes_output(as_json)
    rewound = run_use_case(
        root,
        output,
        lambda workspace: rewind_change(change_id, workspace, workspace.running_turns),
    )
    output.show_note(rewound.recovered)
    output.show_stopped(rewound.notes)
    output.show_rewound(rewound)
    warn_unrecorded(rewound.unrecorded)
