"""A plugin of pytest for `make quick`: a file that is marked as a whole is not even imported.

`-m "not slow …"` alone imports every file, and what the file imports, before it leaves out the tests.
"""

from __future__ import annotations

import re
from pathlib import Path

_MARKED = re.compile(
    rb"^pytestmark = (?:\[[^]]*)?pytest\.mark\.(?:slow|integration|e2e)\b", re.MULTILINE
)


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    if collection_path.match("test_*.py") and _MARKED.search(collection_path.read_bytes()):
        return True
    return None
