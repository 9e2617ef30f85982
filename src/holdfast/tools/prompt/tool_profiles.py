"""The tools to offer to a model, and their order: models use the first that fits. Names only."""

from __future__ import annotations

import math
import re

from holdfast.vocab.lazy_dataclass import dataclass
from holdfast.vocab.lazy_pattern import lazy_pattern

READING = ("read_file", "search", "find_files", "list_dir")
"""The tools that only read, and the only tools in plan mode."""


@dataclass(frozen=True, slots=True)
class Profile:
    """How a kind of model edits best. `json`: the model escapes long strings in JSON reliably."""

    name: str
    editing: tuple[str, ...]
    json: bool = False

    def tools(self, *, plan: bool = False) -> tuple[str, ...]:
        """Return the names of the tools in the order in which they are offered."""
        if plan:
            return READING
        return (*READING, *self.editing, "run_command")


JSON = Profile("json", ("edit_file", "apply_edits", "write_file", "write_patch"), json=True)
DIFF = Profile("diff", ("write_patch", "edit_file", "write_file"))
SMALL = Profile("small", ("edit_file", "write_patch", "write_file"))
UNKNOWN = Profile("unknown", ("edit_file", "write_patch", "write_file", "apply_edits"))

# The first pattern found in the model's name, in lower case, decides; a small size (below) wins.
_FAMILIES: tuple[tuple[str, Profile], ...] = (
    (r"gpt-oss|gpt-[45]|\bo[134]\b|chatgpt", JSON),
    (r"claude|gemini|grok", JSON),
    (r"qwen-?3|qwen-?2\.5-coder|qwq", JSON),
    (r"devstral|codestral-2|mistral-(?:large|medium|small)|ministral", JSON),
    (r"deepseek-(?:v3|v4|r1|chat)|kimi|glm-?[45]|minimax|llama-?4|nemotron|granite-?[34]", JSON),
    (r"deepseek-coder|codellama|starcoder|codegemma|codestral|wizardcoder|phind", DIFF),
    (r"smollm|tinyllama|gemma-?3n|phi-?[123]\b", SMALL),
)
_SIZE = lazy_pattern(r"(?<![\d.a-z])(\d+(?:\.\d+)?)([bm])(?![a-z])")
_UNITS = {"b": 1, "m": 1_000}
_SMALL = 4.0
"""Billions of parameters up to which a model is small, and has fewer tools to edit with."""


def profile_of(model: str) -> Profile:
    """Return the profile for a model's name.

    >>> profile_of("qwen3-coder:30b").name, profile_of("smollm2:135m").name
    ('json', 'small')
    >>> profile_of("qwen2.5-coder:1.5b").name
    'small'
    >>> profile_of("something-new").name
    'unknown'
    """
    name = model.casefold()
    sizes = [float(number) / _UNITS[unit] for number, unit in _SIZE.findall(name)]
    # The largest size counts: `30b-a3b` has 30 billion parameters, and 3 billion are active.
    if max(sizes, default=math.inf) <= _SMALL:
        return SMALL

    for pattern, profile in _FAMILIES:
        if re.search(pattern, name):
            return profile

    return UNKNOWN
