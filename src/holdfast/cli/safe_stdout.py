"""Standard output that cannot fail a command: finished work stays finished."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, TextIO


class SafeStdout:
    """A stream that discards text once it cannot be written.

    `holdfast apply … | head -1` has landed whatever `head` does; an error of the pipe would exit
    with the code for a refusal.
    """

    def __init__(self, stream: TextIO) -> None:
        """Wrap the stream."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text, or discard it."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._discard(error)
            return len(text)

    def flush(self) -> None:
        """Flush the stream, or discard its text."""
        try:
            self._stream.flush()
        except OSError as error:
            self._discard(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _discard(self, error: OSError) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        # A reader that closed the pipe has seen enough; a full disk is worth a message.
        if error.errno != errno.EPIPE:
            print(f"holdfast: the answer could not be printed: {error.strerror}.", file=sys.stderr)
