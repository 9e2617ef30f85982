"""The token that a client has to know: made for one run, or read from a file."""

from __future__ import annotations

import hmac
import secrets
from typing import TYPE_CHECKING

from holdfast.vocab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from pathlib import Path

SHORTEST = 20
"""A shorter token in a file is refused: it could be guessed."""


class BadTokenFile(Exception):  # noqa: N818 - the word for it
    """The file cannot be used; the message says why, and the next step."""


@dataclass(frozen=True, slots=True, repr=False)
class AccessToken:
    """A secret that is never printed but in the address of the page."""

    value: str

    def matches(self, given: str) -> bool:
        """Return whether this is the token, in a time that does not depend on the difference."""
        return hmac.compare_digest(self.value.encode(), given.encode(errors="surrogateescape"))

    def __repr__(self) -> str:
        """Return no part of the secret."""
        return "Token(…)"


def new_token() -> AccessToken:
    """Return a token for one run."""
    return AccessToken(secrets.token_urlsafe(32))


def read_token(file: Path) -> AccessToken:
    """Return the token of a file that only its owner can read. Raise `BadTokenFile`."""
    try:
        mode = file.stat().st_mode
        text = file.read_text("ascii").strip()
    except OSError as error:
        raise BadTokenFile(f"{file}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadTokenFile(f"{file}: the token must be ASCII text.") from error

    if mode & 0o077:
        raise BadTokenFile(f"{file}: others can read it; run `chmod 600 {file}`.")
    if len(text) < SHORTEST or not text.isprintable() or any(map(str.isspace, text)):
        raise BadTokenFile(
            f"{file}: the token must be one word of at least {SHORTEST} characters; make one with "
            "`openssl rand -hex 32`."
        )

    return AccessToken(text)
