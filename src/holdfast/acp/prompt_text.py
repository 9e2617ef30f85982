"""The text of a prompt: what the user wrote, with links as paths and embedded files after it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import unquote, urlsplit

from acp import RequestError
from acp.schema import (
    AudioContentBlock,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
    TextResourceContents,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

PromptBlock: TypeAlias = (
    TextContentBlock
    | ImageContentBlock
    | AudioContentBlock
    | ResourceContentBlock
    | EmbeddedResourceContentBlock
)


def prompt_text(blocks: Sequence[PromptBlock], root: Path) -> str:
    """Return the blocks of a prompt as one text.

    Raise `RequestError` for what a model here cannot be sent, and for an empty prompt.
    """
    words: list[str] = []
    context: list[str] = []
    for block in blocks:
        match block:
            case TextContentBlock():
                words.append(block.text)
            case ResourceContentBlock():
                words.append(f"`{_name(block.uri, root)}`")
            case EmbeddedResourceContentBlock(resource=TextResourceContents() as resource):
                name = _name(resource.uri, root)
                words.append(f"`{name}`")
                context.append(f'<context of="{name}">\n{resource.text}\n</context>')
            case EmbeddedResourceContentBlock():
                raise _refused("embedded binary data", block.resource.uri)
            case _:
                raise _refused(f"content of type {block.type}", "")

    text = "".join(words).strip()
    if not text:
        raise RequestError(-32602, "the prompt is empty; write what to do")

    return "\n\n".join([text, *context])


def _name(uri: str, root: Path) -> str:
    """Return a file by its path, below the root if it is there; anything else by its URI."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri

    path = Path(unquote(parts.path))
    if path.is_relative_to(root):
        path = path.relative_to(root)

    lines = ""
    if parts.fragment:
        lines = f"#{parts.fragment}"

    return f"{path}{lines}"


def _refused(what: str, uri: str) -> RequestError:
    data = {"uri": uri} if uri else None
    return RequestError(-32602, f"{what} is not supported; send text or a link to a file", data)
