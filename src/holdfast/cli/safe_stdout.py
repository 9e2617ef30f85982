"""Standard output that outlives its reader: what was done stays done, and the exit code says so."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any, TextIO


class SafeStdout:
    """A stream that goes on when it cannot be written: the rest of the answer is lost, and nothing else.

    `holdfast apply … | head -1` has landed whatever `head` does; an error here would end it with the code for refused.
    """

    def __init__(self, stream: TextIO) -> None:
        """Stand before the stream."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, or let the text go."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._let_go(error)
            return len(text)

    def flush(self) -> None:
        """Flush, or let the text go."""
        try:
            self._stream.flush()
        except OSError as error:
            self._let_go(error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _let_go(self, error: OSError) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
        # A reader that has gone away has seen enough; a full disk has not.
        if error.errno != errno.EPIPE:
            print(f"holdfast: the answer could not be printed: {error.strerror}.", file=sys.stderr)
