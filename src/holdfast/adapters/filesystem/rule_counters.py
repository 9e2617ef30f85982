"""How often each rule of a project helped, in the state directory (port `RuleCounters`)."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

from holdfast.adapters.filesystem.record_folder import RecordFolder

if TYPE_CHECKING:
    from pathlib import Path

    from holdfast.rules.ports import RuleCounts


class DiskRuleCounters:
    """The counters of one root: `<state>/rule-counters/<root>.json`."""

    def __init__(self, root: Path, state: Path) -> None:
        """Set the project's directory and the state directory; `add` creates what is missing."""
        real = os.path.realpath(root)
        self._name = hashlib.sha256(os.fsencode(real)).hexdigest()[:32]
        self._state = state
        self._folder = RecordFolder(state, "rule-counters")

    def read(self) -> dict[str, RuleCounts]:
        """Return the counts by the id of the rule; none if the file is damaged."""
        if not self._state.is_dir():
            return {}
        for _, data in self._folder.read_all(lambda name: name == self._name):
            return _parsed(data)
        return {}

    def add(self, rule_id: str, *, helped: bool) -> RuleCounts:
        """Count one result and return the new counts."""
        self._state.mkdir(0o700, parents=True, exist_ok=True)
        now: list[RuleCounts] = []

        def count(data: bytes | None) -> bytes:
            counts = _parsed(data or b"{}")
            before, failed = counts.get(rule_id, (0, 0))
            now.append((before + helped, failed + (not helped)))
            counts[rule_id] = now[-1]
            return json.dumps(counts, sort_keys=True, indent=0).encode()

        self._folder.update(self._name, count)
        return now[-1]


def _parsed(data: bytes) -> dict[str, RuleCounts]:
    try:
        raw = json.loads(data)
        return {str(name): (int(helped), int(failed)) for name, (helped, failed) in raw.items()}
    except (ValueError, TypeError, AttributeError):
        return {}
