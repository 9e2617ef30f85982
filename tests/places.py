"""The place of a path for tests of the store; no folder need be there."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from holdfast.adapters.places.place_records import find_place
from holdfast.vocab.place import Place

_NO_STATE = Path("/no/state/directory")


def place_of(root: Path) -> Place:
    """Return the place of a folder; of one that is not there, a place that only its path decides."""
    if root.is_dir():
        return find_place(root, _NO_STATE)
    made_up = hashlib.sha256(os.fsencode(root)).hexdigest()[:32]
    return Place(made_up, str(root), made_up, str(root))
