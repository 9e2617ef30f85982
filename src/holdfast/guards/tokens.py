"""Recognise tokens of well-known shape in any text, and remove them before a model sees it."""

from __future__ import annotations

import re

from holdfast.vocab.lazy_pattern import lazy_pattern

MARK = "[token removed]"
"""What stands for a token in what a tool prints."""

_KEY_BLOCK = lazy_pattern(
    r"-----BEGIN (?P<kind>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:(?!-----END (?P=kind)-----).)*(?:-----END (?P=kind)-----)?",
    re.DOTALL,
)
# The beginning of a token is enough: no part of it is to be seen where a line was cut. In front may be
# an escape, which ends in a letter or a digit: of JSON (`\n`), or of an address (`%3D`). Behind the
# `-` or `_` of a longer name a token has a digit or a capital, which test_npm_… has not.
_TOKEN = lazy_pattern(
    r"""(?:(?<![A-Za-z0-9_-])|(?<=[_-])(?=[A-Za-z0-9_.-]{0,40}[A-Z0-9])|(?<=\\[bfnrt])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2}))(?:
    sk-(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{16,}            # OpenAI, Anthropic, OpenRouter
  | [sr]k_(?:live|test)_[A-Za-z0-9]{16,}                 # Stripe
  | gh[opsur]_[A-Za-z0-9]{20,}                           # GitHub
  | github_pat_[A-Za-z0-9_]{20,}
  | glpat-[A-Za-z0-9_-]{16,}                             # GitLab
  | (?:AKIA|ASIA)[A-Z0-9]{16}                            # AWS
  | AIza[A-Za-z0-9_-]{30,}                               # Google
  | xox[abeoprs]-[A-Za-z0-9-]{10,}                       # Slack
  | npm_[A-Za-z0-9]{30,}
  | pypi-[A-Za-z0-9_-]{40,}
  | hf_[A-Za-z0-9]{30,}                                  # Hugging Face
  | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}           # SendGrid
  | gsk_[A-Za-z0-9]{20,}                                 # Groq
  | xai-[A-Za-z0-9]{30,}
  | nvapi-[A-Za-z0-9_-]{30,}                             # NVIDIA
  | r8_[A-Za-z0-9]{30,}                                  # Replicate
  | hv[sbr]\.[A-Za-z0-9_-]{20,}                          # Vault
  | ya29\.[A-Za-z0-9_-]{20,}                             # Google, OAuth
  | GOCSPX-[A-Za-z0-9_-]{20,}
  | dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}                  # Docker
  | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}                   # Shopify
  | xapp-[A-Za-z0-9-]{20,}                               # Slack
  | gl(?:sa|c)_[A-Za-z0-9_=+/]{20,}                      # Grafana
  | ATATT3[A-Za-z0-9_=-]{20,}                            # Atlassian
  | tskey-[A-Za-z0-9-]{16,}                              # Tailscale
  | sb(?:p|_secret)_[A-Za-z0-9_]{20,}                    # Supabase
  | rubygems_[a-f0-9]{32,}
  | lin_api_[A-Za-z0-9]{20,}                             # Linear
  | sntry[su]_[A-Za-z0-9_=+/.-]{20,}                     # Sentry
  | gl(?:dt|rt|ptt|cbt|soat|ft)-[A-Za-z0-9_-]{16,}       # GitLab
  | figd_[A-Za-z0-9_-]{20,}                              # Figma
  | (?<=AccountKey=)[A-Za-z0-9+/]{40,}={0,2}             # Azure
  | do[opr]_v1_[a-f0-9]{32,}                             # DigitalOcean
  | AGE-SECRET-KEY-1[A-Z0-9]{32,}
  | (?i:(?<=authorization:\ basic\ )|(?<=authorization:\ bearer\ )|(?<=authorization:\ token\ ))
    (?=[A-Za-z_-]*[0-9])[A-Za-z0-9+/_.~-]{16,}={0,2}     # a header, as in the settings of git
  | eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}    # JSON Web Token
    )""",
    re.VERBOSE,
)
_PASSWORD = lazy_pattern(
    r"(?P<before>[A-Za-z][A-Za-z0-9+.-]{0,30}://(?P<user>[^\s:/@\"'`]{0,100}):)"
    r"(?P<password>[^\s/@\"'`]{0,300}(?:@[^\s/@\"'`\\]{0,300}){0,9})(?=@)"
)
"""The password in an address such as `https://user:password@host` or `postgres://…`.

The last `@` before a `/`, a quote or a blank ends it: people write passwords as they are.
"""
_PLACE = lazy_pattern(
    r"\$\{\{?[\w.]+\}?\}|\$\([\w.-]+\)|\$[A-Z_]+|\{\{?[\w.!:()\[\]]*\}?\}|<[\w.-]+>|\[[\w.-]+\]"
)
"""A place for a password: `${PASSWORD}`, `$PASSWORD`, `{password}`, `<password>`, `[password]`."""
_SLACK_ADDRESS = lazy_pattern(r"(?<=hooks\.slack\.com/)services/[A-Za-z0-9/]{20,}")
"""Whoever has such an address can post there."""


def remove_tokens(text: str) -> str:
    r"""Return the text with a mark in the place of each token; it has as many lines as before.

    >>> remove_tokens("KEY=ghp_" + "a1" * 18 + " # ours")
    'KEY=[token removed] # ours'
    >>> remove_tokens("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nb")
    '[token removed]\n[token removed]\n[token removed]\nb'
    """
    text = _KEY_BLOCK.sub(_marks, text)
    text = _PASSWORD.sub(_without_password, text)
    text = _SLACK_ADDRESS.sub(MARK, text)
    return _TOKEN.sub(MARK, text)


def has_key_block(text: str) -> bool:
    """Return whether a private key of several lines is in the text; one line is not known as such."""
    return _KEY_BLOCK.search(text) is not None


def has_token(text: str) -> bool:
    """Return whether a token is in the text."""
    return remove_tokens(text) != text


def _without_password(address: re.Match[str]) -> str:
    """Return the address up to its password, and a mark for that.

    It is none if it is empty, the user's name again, or a place for one; so is `$name` behind a
    user of the same kind, as in a string of a shell.
    """
    user, password = address["user"], address["password"]
    if password in {"", user} or _PLACE.fullmatch(password):
        return address[0]
    if user.startswith("$") and re.fullmatch(r"\$\w+", password):
        return address[0]
    return f"{address['before']}{MARK}"


def _marks(block: re.Match[str]) -> str:
    """Return a mark for each line of a key block; a line keeps its ending."""
    return re.sub(r"[^\r\n]+", MARK, block[0])
