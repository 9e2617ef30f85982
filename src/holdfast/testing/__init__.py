"""Test doubles: a scripted model, server and agent, files in memory, a fixed clock.

docs/testing.md shows how to use them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdfast.testing.fixed_clock import FixedClock
    from holdfast.testing.memory_files import MemoryFiles
    from holdfast.testing.replies import (
        Call,
        Reply,
        call,
        calls,
        chunks,
        cut,
        drop,
        fail,
        hang,
        overflow,
        raw,
        say,
        slow,
        text_call,
        think,
        truncated,
        whole,
        wrong_json,
    )
    from holdfast.testing.request_log import RecordedRequest
    from holdfast.testing.script_file import BadScript, Script, read_script
    from holdfast.testing.scripted_agent import ScriptedAgent
    from holdfast.testing.scripted_model import ScriptedModel
    from holdfast.testing.scripted_server import ScriptedServer

__all__ = [
    "BadScript",
    "Call",
    "FixedClock",
    "MemoryFiles",
    "RecordedRequest",
    "Reply",
    "Script",
    "ScriptedAgent",
    "ScriptedModel",
    "ScriptedServer",
    "call",
    "calls",
    "chunks",
    "cut",
    "drop",
    "fail",
    "hang",
    "overflow",
    "raw",
    "read_script",
    "say",
    "slow",
    "text_call",
    "think",
    "truncated",
    "whole",
    "wrong_json",
]

_HOMES = {
    "BadScript": "script_file",
    "FixedClock": "fixed_clock",
    "MemoryFiles": "memory_files",
    "RecordedRequest": "request_log",
    "Script": "script_file",
    "ScriptedAgent": "scripted_agent",
    "ScriptedModel": "scripted_model",
    "ScriptedServer": "scripted_server",
    "read_script": "script_file",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        message = f"module 'holdfast.testing' has no attribute {name!r}"
        raise AttributeError(message)
    module = import_module(f"holdfast.testing.{_HOMES.get(name, 'replies')}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
