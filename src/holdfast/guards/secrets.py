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


def is_secret(path: str) -> bool:
    """Return whether a file of this name probably holds secrets: `.env` files, keys, credentials.

    >>> is_secret("app/.env.production"), is_secret(".env.example"), is_secret("src/secrets.py"), is_secret("a/key.pem")
    (True, False, False, True)
    """
    parts = [
        part for part in path.casefold().replace("\\", "/").split("/") if part not in {"", "."}
    ]
    if not parts:
        return False
    # No file has a longer name, and matching a longer word would only take time.
    name = parts[-1][-255:]
    if _SHOWN.fullmatch(name):
        return False
    if name in _NAMES or name.endswith(_ENDINGS) or any(part in _FOLDERS for part in parts):
        return True
    return bool(_ENVIRONMENT.fullmatch(name) or _DATA.fullmatch(name))
