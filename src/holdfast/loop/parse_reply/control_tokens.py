"""Control tokens of chat templates in a text. Sent back, they would end a message too early."""

from __future__ import annotations

from typing import Final

from holdfast.loop.parse_reply.quoted_parts import unquoted_spans
from holdfast.vocab.lazy_pattern import lazy_pattern

BARS: Final = r"[|｜‖]"
NAMESPACE: Final = rf"(?:{BARS}+\s*DS{BARS}?ML\s*{BARS}+|[a-z_]+:)?"
"""The optional prefix of a tag's name: `<｜DSML｜invoke`, `<minimax:tool_call`."""

TOKEN: Final = lazy_pattern(
    r"(?:<\|start\|>\s*(?:assistant|system|user|tool)?\s*)?"
    r"<\|channel\|>\s*\w*\s*(?:<\|constrain\|>\s*\w*\s*)?(?:<\|message\|>)?"
    r"|<\|start\|>\s*(?:assistant|system|user|tool)?"
    r"|<\|im_start\|>\s*(?:assistant|user|system|tool)?\n?"
    r"|<\|start_header_id\|>\s*\w*\s*<\|end_header_id\|>\n*"
    r"|<\|[A-Za-z_][\w ]{0,40}\|?>|<[A-Za-z_]\w{0,40}\|>"
    r"|<｜[^<>｜]{1,60}｜>"
    rf"|</?{BARS}+\s*DS{BARS}?ML\s*{BARS}+[^<>]{{0,200}}>"
    r"|\[/?(?:TOOL_CALLS|TOOL_RESULTS|INST|AVAILABLE_TOOLS|ARGS)\]"
    r"|</?s>(?=\s*\Z)|<(?:start|end)_of_turn>(?:model|user)?|<\/?(?:start|end)_function_call>"
)
WRAPPER: Final = (
    rf"</?{NAMESPACE}(?:tool_calls?|function_calls?|functioncall|toolcall|tools"
    r"|function|invoke|parameter)\s*>"
    r"|</?TOOLCALL>"
)
_WRAPPER = lazy_pattern(WRAPPER)


def cut_tokens(text: str, *, wrappers: bool = False) -> str:
    """Return the text without control tokens, except in quoted code.

    With `wrappers`, remove leftover tags around calls too.

    >>> cut_tokens("Done.<|im_end|>")
    'Done.'
    >>> cut_tokens("End with `<|im_end|>`.")
    'End with `<|im_end|>`.'
    """
    parts: list[str] = []
    last = 0
    for start, end in unquoted_spans(text):
        plain = TOKEN.sub("", text[start:end])
        if wrappers:
            plain = _WRAPPER.sub("", plain)
        quoted = text[last:start]
        parts += [quoted, plain]
        last = end

    cut = "".join(parts)
    if cut == text:
        return text

    return cut.strip()
