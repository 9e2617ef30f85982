"""An outcome in words: for a model, for a person, as JSON."""

from __future__ import annotations

import json
import re
from typing import Literal, TypeAlias, assert_never

from holdfast.landing.type_check import check_type
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.outcomes import Landed, Outcome, Refused

Audience: TypeAlias = Literal["model", "person", "json"]

_SHOWN_LINES = 40

DIFF_FORMAT = """--- a/src/app.py
+++ b/src/app.py
@@ -1,3 +1,3 @@
 def main():
-    return 1
+    return 2
"""
EDIT_FORMAT = '{"path": "src/app.py", "old": "    return 1", "new": "    return 2"}'


def explain(outcome: Outcome, audience: Audience = "model") -> str:
    r"""Return the outcome for its reader.

    One sentence and the changed lines, or the refusal with its cure.

    >>> from holdfast import Replace, explain, land
    >>> print(explain(land("a = 1\n", Replace("a = 1", "a = 2"))))
    Landed at line 1.
    -a = 1
    +a = 2
    >>> print(explain(land("a = 1\n", Replace("", "a = 2")), "person"))
    Refused (empty_old): the old text is empty or only white space; copy the lines to change, or write the whole file.
    """
    match outcome:
        case Landed():
            return _landed(outcome, audience)
        case Refused():
            return _refused(outcome, audience)
        case _:
            check_type("explain", "outcome", outcome, (Landed, Refused))
            assert_never(outcome)


def _landed(outcome: Landed, audience: Audience) -> str:
    if audience == "json":
        return json.dumps(
            {
                "kind": "landed",
                "rung": outcome.rung,
                "similarity": round(outcome.similarity, 3),
                "lines": [span.line for span in outcome.spans],
                "diff": outcome.diff,
                "warning": outcome.warning,
            },
            ensure_ascii=False,
        )

    sentence = "Landed at line "
    if len(outcome.spans) > 1:
        sentence = "Landed at lines "
    sentence += ", ".join(str(span.line) for span in outcome.spans)
    if outcome.rung != "exact":
        sentence += f" ({_how(outcome)})"
    sentence += "."
    if outcome.warning:
        sentence += f" Warning: {outcome.warning}"

    diff = outcome.diff
    if audience == "model":
        diff = _changed_lines(diff)
    return f"{sentence}\n{diff}".rstrip("\n")


def _how(outcome: Landed) -> str:
    words = {
        "similar": f"by similarity, {outcome.similarity:.0%}; the file's own lines were kept",
        "whitespace": "white space differed",
        "unicode": "typographic characters differed",
        "unmangled": "escapes or wrappers were undone",
        "elision": "lines left out were kept",
    }
    return words[outcome.rung]


def _changed_lines(diff: str) -> str:
    changed = _CHANGED_LINE.findall(diff)
    more = len(changed) - _SHOWN_LINES
    if more > 0:
        changed[_SHOWN_LINES:] = [f"({more} more changed lines)"]
    return "\n".join(changed)


_CHANGED_LINE = lazy_pattern(r"^[+-].*", re.MULTILINE)


def _refused(outcome: Refused, audience: Audience) -> str:
    if audience == "json":
        return json.dumps(refusal_record(outcome), ensure_ascii=False)
    if audience == "person":
        return f"Refused ({outcome.reason}): {outcome.message}"
    return outcome.message


def refusal_record(outcome: Refused) -> dict[str, object]:
    """Return what a model gets as JSON.

    The refusal, and for a malformed request how to write it.
    """
    return {
        "kind": outcome.kind,
        "reason": outcome.reason,
        "message": outcome.message,
        "closest": outcome.closest,
        "candidates": list(outcome.candidates),
        "expected_format": _format(outcome),
    }


def _format(outcome: Refused) -> str:
    if outcome.reason not in {"malformed", "empty_old", "elision"}:
        return ""
    if outcome.kind == "patch_error":
        return DIFF_FORMAT
    return EDIT_FORMAT
