"""Puts the built page into the wheel and the source distribution."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = "src/holdfast/server/page"


class PageHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own example has none
    """Builds the page before a distribution is made; an editable install needs no page.

    The source distribution has the built page too, and the digest of its sources: a wheel is
    made from it without Node.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the page, if its sources are newer, and add it; git ignores it."""
        if version == "editable":
            return
        script = Path(self.root, "web", "build.py")
        if subprocess.run([sys.executable, str(script)], check=False).returncode != 0:
            raise RuntimeError("The page was not built: see above. `make dist` has what it needs.")
        build_data["artifacts"].append(f"/{PAGE}/**")
