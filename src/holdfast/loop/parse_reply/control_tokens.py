"""Tokens of chat templates that leaked into a text. Sent back, they would end messages where no message ends."""

from __future__ import annotations

import re
from typing import Final

from holdfast.loop.parse_reply.quoted import unquoted_spans

BARS: Final = r"[|｜‖]"
NAMESPACE: Final = rf"(?:{BARS}+\s*DS{BARS}?ML\s*{BARS}+|[a-z_]+:)?"
"""`<｜DSML｜invoke`, `<minimax:tool_call`: what may stand before the name of a tag."""

_TOKEN = re.compile(
    r"(?:<\|start\|>\s*(?:assistant|system|user|tool)?\s*)?<\|channel\|>\s*\w*\s*(?:<\|constrain\|>\s*\w*\s*)?(?:<\|message\|>)?"
    r"|<\|im_start\|>\s*(?:assistant|user|system|tool)?\n?"
    r"|<\|start_header_id\|>\s*\w*\s*<\|end_header_id\|>\n*"
    r"|<\|[A-Za-z_][\w ]{0,40}\|?>|<[A-Za-z_]\w{0,40}\|>"
    r"|<｜[^<>｜]{1,60}｜>"
    rf"|</?{BARS}+\s*DS{BARS}?ML\s*{BARS}+[^<>]{{0,200}}>"
    r"|\[/?(?:TOOL_CALLS|TOOL_RESULTS|INST|AVAILABLE_TOOLS|ARGS)\]"
    r"|</?s>(?=\s*\Z)|<(?:start|end)_of_turn>(?:model|user)?|<\/?(?:start|end)_function_call>"
)
WRAPPER: Final = (
    rf"</?{NAMESPACE}(?:tool_calls?|function_calls?|functioncall|toolcall|tools|function|invoke|parameter)\s*>"
    r"|</?TOOLCALL>"
)
_WRAPPER = re.compile(WRAPPER)


def cut_tokens(text: str, *, wrappers: bool = False) -> str:
    """Give the text without control tokens; inside quoted code they stay. `wrappers` takes tags around calls, too.

    >>> cut_tokens("Done.<|im_end|>")
    'Done.'
    >>> cut_tokens("End with `<|im_end|>`.")
    'End with `<|im_end|>`.'
    """
    out: list[str] = []
    last = 0
    for start, end in unquoted_spans(text):
        out.append(text[last:start])
        plain = _TOKEN.sub("", text[start:end])
        out.append(_WRAPPER.sub("", plain) if wrappers else plain)
        last = end
    cut = "".join(out)
    return text if cut == text else cut.strip()
