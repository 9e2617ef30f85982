"""The dialects by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.adapters.agents.dialects.claude import ClaudeDialect
from holdfast.adapters.agents.dialects.cline import ClineDialect
from holdfast.adapters.agents.dialects.codex import CodexDialect
from holdfast.adapters.agents.dialects.goose import GooseDialect
from holdfast.adapters.agents.dialects.opencode import OpencodeDialect
from holdfast.adapters.agents.dialects.pi import PiDialect
from holdfast.adapters.agents.dialects.text import TextDialect

if TYPE_CHECKING:
    from holdfast.adapters.agents.dialects.dialect import Dialect

DIALECTS: dict[str, type[Dialect]] = {
    "claude": ClaudeDialect,
    "cline": ClineDialect,
    "codex": CodexDialect,
    "goose": GooseDialect,
    "opencode": OpencodeDialect,
    "pi": PiDialect,
    "qwen": ClaudeDialect,
    "text": TextDialect,
}
"""The dialect of each agent; `text` for any other command."""
