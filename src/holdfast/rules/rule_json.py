"""Rules as JSON: sorted and stable, so that a file changes only where its rule does."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, assert_never, get_args

from holdfast.rules.rule import (
    AddImport,
    AddLines,
    Example,
    FixEdit,
    Hole,
    PatternPiece,
    PatternPlace,
    PieceSide,
    Provenance,
    Rule,
    RulePattern,
    RuleSplice,
    Spot,
    Status,
    TextPart,
    TokenEdit,
)
from holdfast.vocab.diagnostics import Area, Target

if TYPE_CHECKING:
    from collections.abc import Sequence


class BadRule(ValueError):  # noqa: N818 - the outcome of reading a file by hand
    """The JSON is not a valid rule; the message names the part that is wrong."""


def rule_to_json(rule: Rule) -> dict[str, Any]:
    """Return a rule as a JSON object."""
    return {
        "id": rule.id,
        "target": rule.target,
        "tool": rule.tool,
        "code": rule.code,
        "template": rule.template,
        "node_kind": rule.node_kind,
        "pattern": pattern_to_json(rule.pattern),
        "fix": fix_to_json(rule.fix),
        "constants": {
            str(number): list(values) for number, values in sorted(rule.constants.items())
        },
        "provenance": rule.provenance,
        "status": rule.status,
        "confidence": rule.confidence,
        "priority": rule.priority,
        "examples": [_example_to_json(example) for example in rule.examples],
        "counter_examples": [_example_to_json(example) for example in rule.counter_examples],
        "applied": rule.applied,
        "failed": rule.failed,
        "created": rule.created,
    }


def dump_rule(rule: Rule) -> bytes:
    """Return the bytes of the file of a rule."""
    # A lone surrogate in an example is written as an escape, which ASCII allows and UTF-8 does not.
    return (json.dumps(rule_to_json(rule), indent=2, sort_keys=True) + "\n").encode()


def id_of(rule: Rule) -> str:
    """Return the id of a new rule: a hash of what it answers and does.

    A rule that was changed by a second example keeps its id. No name chosen by a model is in it.
    """
    content = [*rule.key, pattern_to_json(rule.pattern), fix_to_json(rule.fix)]
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def parse_rule(data: bytes) -> Rule:
    """Parse the file of a rule; raise `BadRule` if it is not valid.

    It may have been written by hand.
    """
    if not data.strip():
        raise BadRule("it is empty, or not a readable file")
    try:
        read = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadRule(f"it is not JSON: {error}") from error
    if not isinstance(read, dict):
        raise BadRule("it is not a JSON object")
    missing = [name for name in _NEEDED if name not in read]
    if missing:
        raise BadRule(f"it has no {missing[0]!r}")
    try:
        return rule_from_json(_NOT_SAID | read)
    except KeyError as error:
        raise BadRule(f"a part of it has no {error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise BadRule(f"a value has the wrong type: {error}") from error


_NEEDED = ("id", "target", "tool", "code", "template", "pattern", "fix", "examples")
# Optional in a file written by hand.
_NOT_SAID: dict[str, Any] = {
    "node_kind": "",
    "constants": {},
    "provenance": "manual",
    "status": "active",
    "confidence": 0.0,
    "priority": 0,
    "counter_examples": [],
    "applied": 0,
    "failed": 0,
    "created": "",
}


def rule_from_json(read: dict[str, Any]) -> Rule:
    """Parse the output of `rule_to_json`; raise what its parts raise."""
    return Rule(
        id=_name(read["id"]),
        target=_one_of(read["target"], get_args(Target)),
        tool=_text(read["tool"]),
        code=_text(read["code"]),
        template=_text(read["template"]),
        node_kind=_text(read["node_kind"]),
        pattern=_pattern_from_json(read["pattern"]),
        fix=tuple(_edit_from_json(edit) for edit in read["fix"]),
        constants={int(number): _texts(values) for number, values in read["constants"].items()},
        provenance=_one_of(read["provenance"], get_args(Provenance)),
        status=_one_of(read["status"], get_args(Status)),
        confidence=_share(read["confidence"]),
        priority=int(read["priority"]),
        examples=tuple(_example_from_json(example) for example in read["examples"]),
        counter_examples=tuple(_example_from_json(example) for example in read["counter_examples"]),
        applied=_count(read["applied"]),
        failed=_count(read["failed"]),
        created=_text(read["created"]),
    )


def _share(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{value!r} is no share from 0 to 1")
    return float(value)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value


# ----------------------------------------------------------------------------------- parts


def pattern_to_json(pattern: RulePattern) -> dict[str, Any]:
    """Return a pattern as a JSON object."""
    return {
        "place": pattern.place,
        "tree": None if pattern.tree is None else _piece_to_json(pattern.tree),
        "spot": None if pattern.spot is None else list(pattern.spot),
    }


def fix_to_json(fix: Sequence[FixEdit]) -> list[dict[str, Any]]:
    """Return a fix as a list of JSON objects."""
    return [_edit_to_json(edit) for edit in fix]


def _edit_to_json(edit: FixEdit) -> dict[str, Any]:
    parts = [part if isinstance(part, str) else {part.of: part.number} for part in edit.parts]
    match edit:
        case RuleSplice():
            places = {"start": list(edit.start), "end": list(edit.end)}
            return {"edit": "splice", **places, "parts": parts, "lines": edit.lines}
        case TokenEdit():
            return {
                "edit": "tokens",
                "anchors": list(edit.anchors),
                "removed": [_piece_to_json(piece) for piece in edit.removed],
                "parts": parts,
                "before": _piece_to_json(edit.before),
                "after": _piece_to_json(edit.after),
                "sides": list(edit.sides),
            }
        case AddImport():
            return {
                "edit": "import",
                "parts": parts,
                "places": list(edit.places),
                "blank": edit.blank,
            }
        case AddLines():
            return {"edit": "lines", "parts": parts, "place": edit.place}
        case _:
            assert_never(edit)


def _edit_from_json(read: dict[str, Any]) -> FixEdit:
    parts = tuple(_part_from_json(part) for part in read["parts"])
    match read["edit"]:
        case "splice":
            return RuleSplice(
                _side_from_json(read["start"]),
                _side_from_json(read["end"]),
                parts,
                bool(read["lines"]),
            )
        case "tokens":
            first, second = read["sides"]
            return TokenEdit(
                _texts(read["anchors"]),
                tuple(_piece_from_json(piece) for piece in read["removed"]),
                parts,
                _piece_from_json(read["before"]),
                _piece_from_json(read["after"]),
                (_one_of(first, get_args(PieceSide)), _one_of(second, get_args(PieceSide))),
            )
        case "import":
            return AddImport(
                parts, _texts(read["places"]), None if read["blank"] is None else int(read["blank"])
            )
        case "lines":
            return AddLines(parts, _one_of(read["place"], ("before", "after", "body")))
        case strange:
            raise BadRule(f"there is no edit {strange}")


def _part_from_json(read: str | dict[str, int]) -> TextPart:
    if isinstance(read, str):
        return read
    ((of, number),) = read.items()
    return Hole(_one_of(of, ("arg", "tail", "piece", "indent")), int(number))


def _side_from_json(read: list[Any]) -> tuple[int, PieceSide]:
    number, side = read
    return int(number), _one_of(side, get_args(PieceSide))


def _piece_to_json(piece: PatternPiece) -> dict[str, Any]:
    if piece.rest:
        return {"rest": True}
    read: dict[str, Any] = {"kinds": list(piece.kinds)}
    if piece.text is not None:
        read["text"] = piece.text
    if piece.arg is not None:
        read["arg"] = piece.arg
    if piece.children is not None:
        read["children"] = [_piece_to_json(child) for child in piece.children]
    return read


def _piece_from_json(read: dict[str, Any]) -> PatternPiece:
    if read.get("rest"):
        return PatternPiece(rest=True)
    text, arg, children = read.get("text"), read.get("arg"), read.get("children")
    return PatternPiece(
        _texts(read["kinds"]),
        None if text is None else _text(text),
        None if arg is None else int(arg),
        children=None if children is None else tuple(_piece_from_json(child) for child in children),
    )


def _pattern_from_json(read: dict[str, Any]) -> RulePattern:
    spot = read["spot"]
    return RulePattern(
        _one_of(read["place"], get_args(PatternPlace)),
        None if read["tree"] is None else _piece_from_json(read["tree"]),
        None if spot is None else (int(spot[0]), _one_of(spot[1], get_args(Spot))),
    )


def _example_to_json(example: Example) -> dict[str, Any]:
    return {
        "before": example.before,
        "after": example.after,
        "message": example.message,
        "args": list(example.args),
        "area": None if example.area is None else list(asdict(example.area).values()),
    }


def _example_from_json(read: dict[str, Any]) -> Example:
    after, area = read["after"], read["area"]
    return Example(
        _text(read["before"]),
        None if after is None else _text(after),
        _text(read["message"]),
        _texts(read["args"]),
        None if area is None else Area(*(int(number) for number in area)),
    )


def _name(read: object) -> str:
    """Check the id of a rule: a hash, or the name of a built-in rule.

    It becomes the name of a file, so nothing else is allowed.
    """
    text = _text(read)
    if not text or not text.isascii() or not text.replace("-", "").isalnum() or len(text) > 64:
        raise BadRule("the id is not valid")
    return text


def _text(read: object) -> str:
    if not isinstance(read, str):
        raise BadRule("a text is missing")
    return read


def _texts(read: object) -> tuple[str, ...]:
    if not isinstance(read, list):
        raise BadRule("a list of texts is missing")
    return tuple(_text(each) for each in read)


def _one_of(read: object, words: Sequence[Any]) -> Any:
    if read not in words:
        raise BadRule(f"{read} is none of {', '.join(map(str, words))}")
    return read
