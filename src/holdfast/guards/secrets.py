"""Recognise files with secrets by their names."""

from __future__ import annotations

import re
from functools import lru_cache

from holdfast.vocab.lazy_pattern import lazy_pattern

_FOLDERS = frozenset(
    {".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".envs", ".secrets", "gcloud"}
)
SECRETS_IN_FOLDERS = {"gh": "hosts.yml"}
"""Names that are those of secrets only in a folder of a certain name, by that name."""
_NAMES = (
    ".envrc .flaskenv .dev.vars .mylogin.cnf .my.cnf .pgpass .htpasswd .netrc _netrc .npmrc "
    ".yarnrc.yml .pypirc .git-credentials auth.json token.json local.settings.json rclone.conf "
    "credentials .vault-token .dockercfg .dockerconfigjson .s3cfg .boto .terraformrc secring.gpg"
)
_ENDINGS = (
    "env pem key p12 pfx p8 ppk jks keystore keytab kdbx ovpn secret tfvars tfvars.json tfstate"
)
_KINDS = (
    r"\.env(?:[.\-_].+|\d+)|env\.(?:local|dev|development|prod|production|staging|test)"
    r"|id_(?:rsa|dsa|ecdsa|ed25519)\d*(?:[-_.].*)?|.*[-_.](?:rsa|dsa|ecdsa|ed25519)|.*deploy[-_]key"
    r"|\.vault[-_]pass(?:word)?(?:\..*)?|(?:.*[-_.])?kubeconfig(?:[-_.].*)?|\..+_history"
    r"|(?:.*[-_.])?(?:secrets?|credentials?|service[-_]?account(?:[-_]?keys?)?|firebase-adminsdk|passwords?|api[-_]?keys?)"
    r"(?:[-_.].*)?\.(?:json|ya?ml|toml|ini|env|txt|xml|properties|cfg|conf|db|csv)"
)
"""Environments, private keys, and data that is called a secret."""
_WHOLE = "|".join(map(re.escape, (*_FOLDERS, *_NAMES.split())))
_ENDING = "|".join(map(re.escape, _ENDINGS.split()))
# An editor puts a dot in front of the name of a copy.
_SECRET = lazy_pattern(rf"\.?(?:{_WHOLE}|.*\.(?:{_ENDING})|{_KINDS})", re.DOTALL)
# A file for each secret, as containers get them: its name is that of the secret.
_IN_SECRETS = lazy_pattern(
    r"(?!(?:readme|licen[sc]e|makefile|dockerfile)\b|\.git|\.keep)\.?[^.]+(?:\.txt)?"
)
# Examples and public keys: they contain names, not values. The word is the first or the last part
# of the name: `application_default_credentials.json` is no example.
_EXAMPLE = r"(?:example|sample|template|tmpl|tpl|dist|defaults?|schema)"
_SHOWN = lazy_pattern(rf"{_EXAMPLE}[.\-_].*|(?:.*[.\-_])?{_EXAMPLE}(?:\.[a-z0-9]+)?|.*\.pub")
_COPY = lazy_pattern(
    r"\A\.?#|(?:~.*|#|\.(?:bak|old|orig|save|backup|copy|sw[a-p]|un)| copy(?: \d+)?| \(?\d+\)?)+\Z"
)
"""What an editor, a person or a merge (`.env~branch`) adds to the name of a copy."""


def is_secret(path: str) -> bool:
    """Return whether a file of this name probably holds secrets: `.env` files, keys, credentials.

    >>> is_secret("app/.env.production"), is_secret(".env.example"), is_secret("src/secrets.py"), is_secret("a/key.pem")
    (True, False, False, True)
    """
    *folders, name = path.casefold().replace("\\", "/").rstrip("/.").split("/")
    if not _FOLDERS.isdisjoint(folders):
        return not _SHOWN.fullmatch(name)
    return is_secret_name(name, "".join(folders[-1:]))


@lru_cache(65_536)
def is_secret_name(name: str, folder: str = "") -> bool:
    """Return whether a file of this name, in lower case and without its directory, is secret-like.

    `folder` is the name of its directory, in lower case.

    >>> is_secret_name("id_rsa"), is_secret_name("id_rsa.pub"), is_secret_name("hosts.yml", "gh")
    (True, False, True)
    """
    # No file has a longer name, and matching a longer word would only take time.
    name = _COPY.sub("", name[-255:])
    if _SHOWN.fullmatch(name):
        return False
    if SECRETS_IN_FOLDERS.get(folder) == name:
        return True
    if folder == "secrets" and _IN_SECRETS.fullmatch(name):
        return True

    return _SECRET.fullmatch(name) is not None


_SHORTEST_VALUE = 6
_COMMON_VALUES = frozenset({"development", "localhost", "production", "staging"})
_PROSE = lazy_pattern(r"\s*(?:-----|#(?!\s*(?:export\s+)?[\w.-]+\s*[=:]))")
"""The beginning of the frame of a key, or of a comment that is no name with a value."""


def values_in(text: str) -> set[str]:
    r"""Return what stands behind the names in a file with secrets, or else its lines.

    A line that is commented out counts as well. Short values are too common to be recognised.

    >>> sorted(values_in("# comment\nKEY='hunter2'\nHOST=localhost\nA=1\n  token: abcdef\nMIIEow"))
    ['MIIEow', 'abcdef', 'hunter2']
    >>> values_in("# The old one is kept for a while\n#OLD_KEY=hunter3")
    {'hunter3'}
    """
    values: set[str] = set()
    for line in text.splitlines():
        if _PROSE.match(line):
            continue
        value = re.split(r"[=:]", line, maxsplit=1)[-1].strip(" \t\"',;{}[]")
        if len(value) >= _SHORTEST_VALUE:
            values.add(value)

    return values - _COMMON_VALUES
