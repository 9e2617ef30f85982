"""Recognise files with secrets by their names."""

from __future__ import annotations

import re

_NAMES = frozenset(
    {
        ".env",
        ".envrc",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".my.cnf",
        ".git-credentials",
        ".htpasswd",
        ".vault-token",
        ".dockercfg",
        "credentials",
        "kubeconfig",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
    }
)
_ENDINGS = (
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".kdbx",
    ".ppk",
    ".tfvars",
    ".tfstate",
)
_DATA = re.compile(
    r"(?:.*[-_.])?(?:secrets?|credentials?|service[-_]?account)(?:[-_.].*)?\.(?:json|ya?ml|toml|ini|env|txt)"
)
_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"})
_ENVIRONMENT = re.compile(r"\.env[.\-_].+|.+\.env")
# Examples and public keys: they contain names, not values.
_SHOWN = re.compile(
    r"(?:.*[.\-_])?(?:example|sample|template|tmpl|tpl|dist|defaults?|schema)(?:[.\-_].*)?|.*\.pub"
)


# Most names have none of these: they are known to be no secrets without another look.
_LIKELY = re.compile(r"env|secret|credential|service")


def is_secret(path: str) -> bool:
    """Return whether a file of this name probably holds secrets: `.env` files, keys, credentials.

    >>> is_secret("app/.env.production"), is_secret(".env.example"), is_secret("src/secrets.py"), is_secret("a/key.pem")
    (True, False, False, True)
    """
    *folders, name = path.casefold().replace("\\", "/").rstrip("/.").split("/")
    if not _FOLDERS.isdisjoint(folders):
        return not _SHOWN.fullmatch(name)
    return is_secret_name(name)


def is_secret_name(name: str) -> bool:
    """Return whether a file of this name, in lower case and without its directory, is secret-like.

    >>> is_secret_name("id_rsa"), is_secret_name("id_rsa.pub")
    (True, False)
    """
    # No file has a longer name, and matching a longer word would only take time.
    name = name[-255:]
    return _holds_secrets(name) and not _SHOWN.fullmatch(name)


def _holds_secrets(name: str) -> bool:
    if name in _NAMES or name in _FOLDERS or name.endswith(_ENDINGS):
        return True
    if not _LIKELY.search(name):
        return False
    return bool(_ENVIRONMENT.fullmatch(name) or _DATA.fullmatch(name))


_SHORTEST_VALUE = 6
_COMMON_VALUES = frozenset({"development", "localhost", "production", "staging"})


def values_in(text: str) -> set[str]:
    r"""Return what stands behind the names in a file with secrets, or else its lines.

    >>> sorted(values_in("# comment\nKEY='hunter2'\nHOST=localhost\nA=1\n  token: abcdef\nMIIEow"))
    ['MIIEow', 'abcdef', 'hunter2']
    """
    values: set[str] = set()
    for line in text.splitlines():
        if line.lstrip().startswith(("#", "-----")):
            continue
        value = re.split(r"[=:]", line, maxsplit=1)[-1].strip(" \t\"',;{}[]")
        if len(value) >= _SHORTEST_VALUE and value not in _COMMON_VALUES:
            values.add(value)
    return values
