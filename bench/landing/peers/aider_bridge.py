"""Aider behind JSON lines, for the Python that has aider-chat: {tool, file, before, old, new | diff} -> {out, ms}."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

FENCE = ("```", "```")


def editblock(ask: dict[str, Any]) -> str | None:
    """A SEARCH/REPLACE block; aider reads with universal newlines."""
    from aider.coders import editblock_coder  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, Path(ask["file"]).name)
        path.touch()
        made: str | None = editblock_coder.do_replace(
            str(path), _plain(ask["before"]), _closed(ask["old"]), _closed(ask["new"]), FENCE
        )
        return made


def udiff(ask: dict[str, Any]) -> str | None:
    """A unified diff, hunk by hunk; one that fails fails all."""
    from aider.coders import udiff_coder
    from aider.coders.search_replace import SearchTextNotUnique  # type: ignore[import-not-found]

    diff = ask.get("diff", "")
    if "```diff" not in diff:
        diff = "```diff\n" + diff.rstrip("\n") + "\n```\n"
    content: str = _plain(ask["before"])
    done: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "f")
        path.touch()
        for _, found in udiff_coder.find_diffs(diff):
            hunk = udiff_coder.normalize_hunk(found)
            if not hunk or "".join(hunk) in done:
                continue
            done.add("".join(hunk))
            try:
                made: str | None = udiff_coder.do_replace(str(path), content, hunk)
            except SearchTextNotUnique:
                return None
            if not made:
                return None
            content = made
    return content if done else None


TOOLS = {"editblock": editblock, "udiff": udiff}


def main() -> None:
    """Answer until the input ends. Aider prints; only the answers go to the real output."""
    answers = sys.stdout
    sys.stdout = sys.stderr
    for line in sys.stdin:
        ask = json.loads(line)
        start = time.perf_counter()
        out = refusal = None
        try:
            out = TOOLS[ask["tool"]](ask)
        except Exception as error:
            refusal = f"{type(error).__name__}: {error}"[:200]
        ms = (time.perf_counter() - start) * 1000
        answers.write(json.dumps({"out": out, "refusal": refusal, "ms": ms}) + "\n")
        answers.flush()


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")


def _closed(text: str) -> str:
    return text if text.endswith("\n") else text + "\n"


if __name__ == "__main__":
    main()
