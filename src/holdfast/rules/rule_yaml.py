"""Rules as YAML that people read and write; docs/repair.md describes the format."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast, get_args

from holdfast.rules.learn_rule import id_of
from holdfast.rules.match.header_match import PLACES
from holdfast.rules.match.tree_pattern import kind_of_pattern
from holdfast.rules.rule import (
    HOLE,
    Example,
    HeaderRewrite,
    Provenance,
    Rewrite,
    Rule,
    Status,
    TokenRewrite,
    TreeRewrite,
)
from holdfast.vocab.diagnostics import Area, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_KEYS: Final = frozenset(
    {
        "id",
        "language",
        "diagnostic",
        "pattern",
        "tokens",
        "function",
        "place",
        "fix",
        "imports",
        "where",
        "kinds",
        "uses",
        "mentions",
        "inside",
        "elsewhere",
        "needs",
        "kind",
        "safe",
        "status",
        "approved",
        "widened",
        "uncommented",
        "provenance",
        "model",
        "examples",
        "counter_examples",
    }
)
_CHOICES: Final = {
    "language": (get_args(Target), ""),
    "status": (get_args(Status), "active"),
    "provenance": (get_args(Provenance), "manual"),
    "place": (PLACES, PLACES[-1]),
}
"""The keys with a choice of values, and the usual value of each."""
_SHAPES: Final[Mapping[type, tuple[str, Sequence[str]]]] = {
    str: ("a text", ("pattern", "tokens", "function", "fix", "kind", "model")),
    dict: ("a mapping", ("where", "kinds", "uses", "mentions")),
    list: ("a list", ("imports", "examples", "counter_examples")),
    bool: ("true or false", ("safe", "approved", "widened", "uncommented", "elsewhere")),
}
"""The types of values, each with its name and the keys."""
_ONE_OR_SEVERAL: Final = ("inside", "needs")
"""The keys with a text, or with a list of texts."""
_OF_HOLES: Final = ("kinds", "uses", "mentions")
"""The keys with a mapping that has holes of the rule as its keys."""
_EXAMPLE_TEXTS: Final = {
    "examples": ("before", "message", "after"),
    "counter_examples": ("before", "message"),
}
"""The texts that an example must have."""
_USUAL: Final = {
    "safe": True,
    "status": "active",
    "approved": False,
    "widened": False,
    "uncommented": False,
    "elsewhere": False,
}
"""The values that a file does not mention."""


_REWRITE_KEYS: Final[Mapping[type[Rewrite], str]] = {
    TreeRewrite: "pattern",
    TokenRewrite: "tokens",
    HeaderRewrite: "function",
}
_LARGEST: Final = 64_000
_DEEPEST: Final = 20


class BadRule(ValueError):  # noqa: N818 - the word for it
    """A text that is not a rule; the message says what is wrong, `cure` what to do."""

    def __init__(self, message: str, cure: str = "fix") -> None:
        """Set what is wrong, and a verb for what to do."""
        super().__init__(message)
        self.cure = cure


# ------------------------------------------------------------------------------------- reading


def parse_rule(data: bytes | str) -> Rule:
    """Return the rule in a YAML text; raise `BadRule` with all that is wrong."""
    return rule_from(load_yaml(data, is_own=False))


def load_yaml(data: bytes | str, *, is_own: bool = True) -> Any:
    """Return the content of a YAML text; raise `BadRule` if it is no YAML.

    A text that is not our own is small and flat, as a rule is: the parser of YAML takes all memory
    for a text of aliases, and crashes at one that is nested deeply.
    """
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415 - only commands with rules need it

    text = data if isinstance(data, str) else data.decode("utf-8", "replace")
    if "\n<<<<<<< " in f"\n{text}":
        raise BadRule("it has the markers of a git conflict", "keep one of the two sides,")

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        if is_own:
            return yaml.load(data, Loader=loader)  # noqa: S506 - both are safe loaders
        _refuse_large(data, loader)
        return _load_once(loader(data))
    except BadRule:
        raise
    except (yaml.YAMLError, ValueError) as error:
        where = getattr(error, "problem_mark", None)
        line = f" in line {where.line + 1}" if where is not None else ""
        raise BadRule(f"it is not YAML{line}") from error


def _refuse_large(data: bytes | str, loader: type) -> None:
    """Raise `BadRule` for a text that is too large, nested too deeply, or has aliases."""
    import yaml  # noqa: PLC0415 - see above

    if len(data) > _LARGEST:
        raise BadRule(f"it is larger than {_LARGEST // 1000} KB")

    depth = 0
    for event in yaml.parse(data, Loader=loader):
        if isinstance(event, yaml.AliasEvent):
            raise BadRule(f"it has an alias in line {event.start_mark.line + 1}")
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise BadRule(f"it is nested too deeply in line {event.start_mark.line + 1}")


def _load_once(loader: Any) -> Any:
    """Return the content of a text; raise `BadRule` for a key that a mapping has twice."""
    try:
        node = loader.get_single_node()
        if node is None:
            return None

        _refuse_repeated(node)
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _refuse_repeated(node: Any) -> None:
    """Raise `BadRule` for a key that a mapping has twice: YAML would use only the last one."""
    import yaml  # noqa: PLC0415 - see above

    inner: list[Any] = []
    if isinstance(node, yaml.SequenceNode):
        inner = node.value

    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                line = key.start_mark.line + 1
                raise BadRule(f"`{name}` must not be there twice, as in line {line}")
            seen.add(name)
            inner.append(value)

    for each in inner:
        _refuse_repeated(each)


def rule_from(raw: object) -> Rule:
    """Return the rule that a mapping describes; raise `BadRule` with all that is wrong."""
    if not isinstance(raw, dict):
        raise BadRule("it is not a mapping")

    problems = _problems(raw)
    if problems:
        raise BadRule("; ".join(problems))

    diagnostic = raw["diagnostic"]
    rule = Rule(
        id=str(raw.get("id", "")),
        target=cast("Target", raw["language"]),
        tool=diagnostic["tool"],
        code=str(diagnostic.get("code", "")),
        template=diagnostic["message"],
        rewrite=_rewrite_from(raw),
        imports=tuple(raw.get("imports", ())),
        values={int(number): _strings(values) for number, values in raw.get("where", {}).items()},
        safe=raw.get("safe", True),
        provenance=cast("Provenance", raw.get("provenance", "manual")),
        status=cast("Status", raw.get("status", "active")),
        approved=raw.get("approved", False),
        widened=raw.get("widened", False),
        uncommented=raw.get("uncommented", False),
        examples=_examples(raw, "examples"),
        counter_examples=_examples(raw, "counter_examples"),
        model=raw.get("model", ""),
    )
    if rule.id:
        return rule

    return replace(rule, id=id_of(rule))


def _problems(raw: Mapping[str, Any]) -> list[str]:
    """Return all that is wrong with a mapping."""
    unknown = filterfalse(_KEYS.__contains__, raw)
    problems = [f"unknown key `{key}`" for key in unknown]
    for key, (values, usual) in _CHOICES.items():
        if raw.get(key, usual) not in values:
            problems.append(f"`{key}` must be one of {', '.join(values)}")

    problems += _missing(raw.get("diagnostic"), ("tool", "message"), "`diagnostic.{}` is missing")
    wrong: list[str] = []
    for kind, (word, keys) in _SHAPES.items():
        found = [key for key in keys if not isinstance(raw.get(key, kind()), kind)]
        wrong += [f"`{key}` must be {word}" for key in found]

    several = [key for key in _ONE_OR_SEVERAL if not _is_one_or_several(raw.get(key, ""))]
    wrong += [f"`{key}` must be a text or a list of texts" for key in several]
    return problems + (wrong or _content_problems(raw))


def _missing(part: object, keys: Sequence[str], problem: str) -> list[str]:
    """Return a problem for each of these texts that a mapping does not have."""
    found = part if isinstance(part, dict) else {}
    return [problem.format(key) for key in keys if not isinstance(found.get(key), str)]


def _content_problems(raw: Mapping[str, Any]) -> list[str]:
    problems = []
    rewrites = raw.keys() & {"pattern", "tokens", "function"}
    if len(rewrites) > 1:
        problems.append(f"it has both {' and '.join(f'`{key}`' for key in sorted(rewrites))}")
    elif not rewrites and not raw.get("imports"):
        problems.append("it has no `pattern`, `tokens`, `function` or `imports`")
    elif rewrites and "fix" not in raw:
        problems.append("`fix` is missing")

    pattern, language, kind = (str(raw.get(key, "")) for key in ("pattern", "language", "kind"))
    is_judged = pattern and language in get_args(Target)
    if is_judged and not kind_of_pattern(pattern, language, kind):
        problems.append(f"`pattern` is no code of this language: {pattern}")

    if not re.fullmatch(r"[A-Za-z0-9-]{0,64}", str(raw.get("id", ""))):
        problems.append("`id` must be letters, digits and dashes")

    numbers = map(str, raw.get("where", {}))
    if not all(map(str.isdigit, numbers)):
        problems.append("`where` must have numbers of `{0}`, `{1}`, … of the message as its keys")

    imports = raw.get("imports", ())
    if not all(isinstance(line, str) for line in imports):
        problems.append("`imports` must be a list of texts")

    return problems + _limit_problems(raw) + _example_problems(raw)


def _limit_problems(raw: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the mappings that limit a rule: else one would limit nothing."""
    mappings = [(key, raw.get(key, {}).values()) for key in ("where", *_OF_HOLES)]
    wrong = [key for key, values in mappings if not all(map(_is_one_or_several, values))]
    word = "must have a text or a list of texts for each of its keys"
    problems = [f"`{key}` {word}" for key in wrong]

    code = [str(raw.get(key, "")) for key in ("pattern", "tokens", "fix")]
    holes = set(HOLE.findall(" ".join(code)))
    for key in _OF_HOLES:
        for name in filterfalse(holes.__contains__, raw.get(key, {})):
            problem = f"`{key}` must name holes of the rule, and `{name}` is none"
            problems.append(problem)

    return problems


def _example_problems(raw: Mapping[str, Any]) -> list[str]:
    problems = []
    for key, texts in _EXAMPLE_TEXTS.items():
        for number, example in enumerate(raw.get(key, []), 1):
            problems += _missing(example, texts, f"`{{}}` of {key} {number} is missing")
            if isinstance(example, dict) and not _is_place(example.get("at", [1, 1])):
                problems.append(f"`at` of {key} {number} must be a line and a column")

    return problems


def _is_place(value: object) -> bool:
    """Return whether a value is a place: a line and a column, or two of each."""
    match value:
        case [int(), int()] | [int(), int(), int(), int()]:
            return True
        case _:
            return False


def _is_one_or_several(value: object) -> bool:
    """Return whether a value is a text or a list of texts."""
    values = value if isinstance(value, list) else [value]
    return all(isinstance(each, str) for each in values)


def _rewrite_from(raw: Mapping[str, Any]) -> Rewrite | None:
    kinds = _lists(raw, "kinds")
    inside = _strings(raw.get("inside", ()))
    if "tokens" in raw:
        return TokenRewrite(raw["tokens"], raw["fix"], kinds, inside)

    if "function" in raw:
        named = raw.get("elsewhere", False)
        place = raw.get("place", PLACES[-1])
        return HeaderRewrite(raw["function"], raw["fix"], place, named, inside)

    if "pattern" not in raw:
        return None

    return TreeRewrite(
        pattern=raw["pattern"],
        fix=raw["fix"],
        kinds=kinds,
        uses=_lists(raw, "uses"),
        mentions=_lists(raw, "mentions"),
        inside=inside,
        elsewhere=raw.get("elsewhere", False),
        needs=_strings(raw.get("needs", ())),
        kind=raw.get("kind", ""),
    )


def _lists(raw: Mapping[str, Any], key: str) -> dict[str, tuple[str, ...]]:
    return {name: _strings(values) for name, values in raw.get(key, {}).items()}


def _strings(values: object) -> tuple[str, ...]:
    if isinstance(values, str):
        return (values,)

    if isinstance(values, list | tuple):
        return tuple(map(str, values))

    return ()


def _examples(raw: Mapping[str, Any], key: str) -> tuple[Example, ...]:
    template = raw["diagnostic"]["message"]
    return tuple(_example(each, template) for each in raw.get(key, ()))


def _example(raw: Mapping[str, Any], template: str) -> Example:
    args = args_of(raw["message"], template)
    if raw.get("args") is not None:
        args = _strings(raw["args"])

    area = None
    match raw.get("at"):
        case [line, column]:
            area = Area(line, column, line, column)
        case [line, column, end_line, end_column]:
            area = Area(line, column, end_line, end_column)

    return Example(raw["before"], raw.get("after"), raw["message"], args, area)


def args_of(message: str, template: str) -> tuple[str, ...]:
    """Return the names in a message, by its template.

    >>> args_of("too few arguments to function 'fgets'", "too few arguments to function {0}")
    ('fgets',)
    """
    parts = re.split(r"\{(\d+)\}", template)
    pattern = "".join(
        f"(?P<a{part}>.+?)" if number % 2 else re.escape(part) for number, part in enumerate(parts)
    )
    found = re.fullmatch(pattern, message, re.DOTALL)
    if found is None:
        return ()

    names = sorted(found.groupdict(), key=lambda name: int(name[1:]))
    return tuple(_unquoted(found[name]) for name in names)


def _unquoted(text: str) -> str:
    quoted = re.fullmatch(r"['\"`‘](.*)['\"`’]", text, re.DOTALL)
    if quoted:
        return quoted[1]

    return text


# ------------------------------------------------------------------------------------- writing


def dump_rule(rule: Rule) -> bytes:
    """Return a rule as YAML, always the same for the same rule."""
    import yaml  # noqa: PLC0415 - only commands that use rules need it

    class Dumper(yaml.SafeDumper):  # type: ignore[misc]  # yaml has no types
        pass

    def write_text(dumper: Any, text: str) -> Any:
        style = "|" if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    def write_list(dumper: Any, values: list[object]) -> Any:
        flow = not any(isinstance(value, dict) for value in values)
        return dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flow)

    Dumper.add_representer(str, write_text)
    Dumper.add_representer(list, write_list)
    text: str = yaml.dump(
        rule_to_dict(rule), Dumper=Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return text.encode("utf-8", "surrogatepass")


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """Return a rule as a mapping, without what is usual."""
    as_dict = partial(_example_to_dict, rule.template)
    made: dict[str, Any] = {
        "id": rule.id,
        "language": rule.target,
        "diagnostic": {"tool": rule.tool, "code": rule.code, "message": rule.template},
        **_rewrite_to_dict(rule.rewrite),
        "imports": list(rule.imports),
        "where": _lists_to_dict(dict(sorted(rule.values.items()))),
        "safe": rule.safe,
        "status": rule.status,
        "approved": rule.approved,
        "widened": rule.widened,
        "uncommented": rule.uncommented,
        "provenance": rule.provenance,
        "model": rule.model,
        "examples": list(map(as_dict, rule.examples)),
        "counter_examples": list(map(as_dict, rule.counter_examples)),
    }
    return {key: value for key, value in made.items() if _is_unusual(key, value)}


def _is_unusual(key: str, value: object) -> bool:
    # A fix may be nothing: the pattern goes.
    if key != "fix" and value in ([], {}, ""):
        return False

    return _USUAL.get(key) != value


def _rewrite_to_dict(rewrite: Rewrite | None) -> dict[str, Any]:
    if rewrite is None:
        return {}

    key = _REWRITE_KEYS[type(rewrite)]
    made: dict[str, Any] = {key: rewrite.pattern, "fix": rewrite.fix}
    if isinstance(rewrite, HeaderRewrite):
        made["place"] = rewrite.place
        made["elsewhere"] = rewrite.named

    made["kinds"] = _lists_to_dict(rewrite.kinds)
    if isinstance(rewrite, TreeRewrite):
        made["uses"] = _lists_to_dict(rewrite.uses)
        made["mentions"] = _lists_to_dict(rewrite.mentions)
        made["elsewhere"] = rewrite.elsewhere
        made["needs"] = _one_or_list(rewrite.needs)
        made["kind"] = rewrite.kind

    made["inside"] = _one_or_list(rewrite.inside)
    return made


_Key = TypeVar("_Key", int, str)


def _lists_to_dict(lists: Mapping[_Key, Iterable[str]]) -> dict[_Key, str | list[str]]:
    return dict(zip(lists, map(_one_or_list, lists.values()), strict=True))


def _one_or_list(values: Iterable[str]) -> str | list[str]:
    found = list(values)
    if len(found) == 1:
        return found[0]

    return found


def _example_to_dict(template: str, example: Example) -> dict[str, Any]:
    made: dict[str, Any] = {"message": example.message}
    if args_of(example.message, template) != example.args:
        made["args"] = list(example.args)

    if example.area is not None:
        area = example.area
        made["at"] = [area.line, area.column, area.end_line, area.end_column]

    made["before"] = example.before
    if example.after is not None:
        made["after"] = example.after

    return made
