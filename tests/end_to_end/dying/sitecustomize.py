"""Python imports this at the start of a process that has it on its path; the process then dies at the given place."""

from __future__ import annotations

import atexit
import os
from pathlib import Path

from tests.end_to_end import effects

if "DIE_AT" in os.environ:
    effects.install(spare_disk=False)
    effects.die_at(int(os.environ["DIE_AT"]), "before")
elif "COUNT_INTO" in os.environ:
    effects.install(spare_disk=False)
    effects.watch()

    @atexit.register
    def _tell() -> None:
        effects.stop()
        Path(os.environ["COUNT_INTO"]).write_text(str(len(effects.seen)), encoding="ascii")
