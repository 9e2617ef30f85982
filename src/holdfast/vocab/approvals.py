"""The words of an approval: what is asked for, and how it is answered."""

from __future__ import annotations

from typing import Literal, TypeAlias

ApprovalSubject: TypeAlias = Literal[
    "edit", "protected", "command", "access", "read", "trust", "tool"
]
"""What needs approval.

`protected` is an edit of a file that configures something that runs; `access` is a command that
reaches beyond the project; `trust` is code or an address of the project; `tool` is something else
that an external agent asks for.
"""

ApprovalAnswer: TypeAlias = Literal["once", "session", "always", "deny"]
"""The answer of a person."""

ApprovalEnd: TypeAlias = Literal["once", "session", "always", "deny", "nobody", "cancelled"]
"""How a question ended: with an answer, without anybody to ask, or with its turn."""
