"""What toolchains need of a home: folders of programs and packages, and settings without keys."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.plain_file import read_plain
from holdfast.guards.tokens import has_token
from holdfast.vocab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

_FOLDERS = (
    ".rustup .pyenv .nvm .volta .fnm .asdf .rbenv .rvm .sdkman .jenv .goenv .nodenv go "
    ".deno .bun .pnpm-store .m2/repository .m2/wrapper .opam .ghcup .mix .nuget/packages .elan "
    ".juliaup .ccache miniconda3 anaconda3 miniforge3 mambaforge "
    ".cache/pip .cache/uv .cache/go-build .cache/pypoetry .cache/pre-commit .cache/yarn "
    ".cache/pnpm .cache/node .cache/ms-playwright .cache/Cypress .cache/ccache .cache/sccache "
    ".cache/coursier .cache/bazelisk .cache/zig .cache/deno .cache/puppeteer "
    ".local/bin .local/lib .local/pipx .local/share/pipx .local/share/mise "
    ".local/share/fnm .local/share/pnpm .local/share/virtualenvs .local/share/coursier"
).split()
_PARTS = {
    ".cargo": "bin env git registry",
    ".gradle": "caches jdks native wrapper",
    ".ivy2": "cache local",
    ".sbt": "boot launchers 1.0/zinc",
    ".cabal": "bin packages share store",
    ".stack": "pantry programs setup-exe-cache setup-exe-src snapshots stack.sqlite3",
    ".hex": "cache.ets packages",
    ".gem": "jruby ruby specs truffleruby",
    ".bundle": "cache plugin",
    ".conan2": "extensions p profiles remotes.json settings.yml settings_user.yml version.txt",
    ".julia": "artifacts bin clones compiled environments juliaup packages prefs registries",
    ".dotnet": "dotnet host library-packs packs sdk sdk-manifests shared store templates tools",
    ".conda": "environments.txt envs pkgs",
    ".yarn": "berry bin",
    ".npm": "_cacache _npx _prebuilds",
    ".npm-global": "bin lib share",
    ".local/share/uv": "python tools",
    ".local/share/gem": "ruby",
}
"""Folders with programs and packages, in folders where a toolchain keeps keys too."""
_SETTINGS = (
    ".cargo/config .cargo/config.toml .stack/config.yaml .config/git/attributes .config/git/ignore"
).split()
_GIT_SETTINGS = (".gitconfig", ".config/git/config")
_KEYS = ("etc/npmrc", "etc/pip.conf", ".npmrc", "pip.conf", ".condarc", "condarc")
"""Files with keys that an installation may have."""
_INSTALLATIONS = (
    ".nvm/versions/node/* .nodenv/versions/* .volta/tools/image/node/* .asdf/installs/nodejs/* "
    ".fnm/node-versions/*/installation .local/share/fnm/node-versions/*/installation "
    ".local/share/mise/installs/node/* .local/share/virtualenvs/* .pyenv/versions/* "
    "miniconda3/envs/* anaconda3/envs/* miniforge3/envs/* mambaforge/envs/*"
).split()
_VARIABLES = (
    "RUSTUP_HOME PYENV_ROOT NVM_DIR VOLTA_HOME FNM_DIR GOPATH GOROOT GOCACHE GOMODCACHE "
    "JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME ANDROID_HOME "
    "ANDROID_SDK_ROOT VIRTUAL_ENV CONDA_PREFIX UV_CACHE_DIR PIP_CACHE_DIR PIPX_HOME PNPM_HOME "
    "BUN_INSTALL DENO_DIR GEM_HOME RBENV_ROOT ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR "
    "DOTNET_ROOT NUGET_PACKAGES OPAMROOT CCACHE_DIR SCCACHE_DIR HOLDFAST_TOOLCHAINS "
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS"
).split()
_MOVED = {"CARGO_HOME": ".cargo", "GRADLE_USER_HOME": ".gradle", "STACK_ROOT": ".stack"}
"""Variables that name a folder which has such parts, in the place of the one in the home."""
_KEY_LINE = lazy_pattern(
    r"^\s*[\w.\"-]*(?:pass(?:wd|word)?|token|secret|extraheader|api[-_]?key)\"?\s*[=:]\s*\S",
    re.IGNORECASE | re.MULTILINE,
)
_PROGRAM_FOLDERS = frozenset({"bin", "sbin", "shims"})
_BESIDE_PROGRAMS = ("lib", "lib64", "libexec", "pyvenv.cfg")
"""What an installation has beside its folder of programs."""


def cache_folders(home: str, variables: Mapping[str, str]) -> list[str]:
    """Return the folders that toolchains need, in a home and where variables name others."""
    own = _entries(home)
    places = {folder: [f"{home}/{folder}"] for folder in _PARTS if _begins_in(own, folder)}
    for name, folder in _MOVED.items():
        places.setdefault(folder, []).extend(_named(variables, name))

    parts = [f"{home}/{name}" for name in _FOLDERS if _begins_in(own, name)]
    for folder, named in places.items():
        for place in named:
            parts += [f"{place}/{name}" for name in _PARTS[folder].split()]
    for name in _VARIABLES:
        parts += _named(variables, name)

    return parts


def _entries(home: str) -> frozenset[str] | None:
    """Return the names in a home, in lower case; None if they cannot be listed."""
    # One look at the home is cheaper than one at each of the paths that could be in it.
    try:
        return frozenset(name.casefold() for name in os.listdir(home))
    except OSError:
        return None


def _begins_in(entries: frozenset[str] | None, path: str) -> bool:
    """Return whether a path in a home may exist, by the names in that home."""
    return entries is None or path.partition("/")[0].casefold() in entries


def _named(variables: Mapping[str, str], name: str) -> list[str]:
    """Return the folder that a variable names, if that is a whole path."""
    path = variables.get(name, "")
    return [path] if path.startswith("/") else []


def settings_files(home: str) -> list[str]:
    """Return the files with settings that toolchains need, and that have no key."""
    return [path for path in (f"{home}/{name}" for name in _SETTINGS) if not has_key(path)]


def git_settings(home: str) -> list[str]:
    """Return the files with the user's settings of git."""
    return [f"{home}/{name}" for name in _GIT_SETTINGS]


def key_files(home: str, shown: Iterable[str]) -> Iterator[str]:
    """Return the files that may have keys inside the folders that are shown."""
    own = _entries(home)
    inside: list[str] = []
    for pattern in _INSTALLATIONS:
        if _begins_in(own, pattern):
            found = glob(pattern, root_dir=home, include_hidden=True)
            inside += [f"{home}/{path}" for path in found]
    for folder in (*shown, *inside):
        for name in _KEYS:
            yield f"{folder}/{name}"


def has_key(path: str) -> bool:
    """Return whether a file with settings has a key in it."""
    try:
        text = read_plain(path).decode("utf-8", "replace")
    except OSError:
        return False
    return has_token(text) or _KEY_LINE.search(text) is not None


def program_folders(variables: Mapping[str, str], home: str) -> Iterator[str]:
    """Return the folders of the PATH, and what is installed around them."""
    for folder in variables.get("PATH", "").split(os.pathsep):
        if folder.startswith("/"):
            yield from _installation(folder, home)


def installation_of(program: str, home: str) -> list[str]:
    """Return the folders that a program needs, by its name and by where its links lead."""
    real = os.path.realpath(program)
    folders: list[str] = []
    for path in (program, real):
        folders += [path, *_installation(os.path.dirname(path), home)]
    return folders


@cache
def own_folders() -> tuple[str, ...]:
    """Return the folders of our own Python and of Holdfast, which run parts of the checks."""
    package = Path(__file__).parents[3]
    return sys.prefix, sys.base_prefix, str(package), os.path.dirname(sys.executable)


def _installation(folder: str, home: str) -> Iterator[str]:
    """Return a folder of programs and, where that is one installation, the folder around it."""
    parent, name = os.path.split(folder.rstrip("/"))
    if os.path.normpath(folder).removeprefix(f"{home}/") in _PARTS:
        return

    yield folder
    if name == ".bin":
        yield parent

    if name not in _PROGRAM_FOLDERS or parent in _shared_folders(home):
        return

    if any(os.path.exists(f"{parent}/{each}") for each in _BESIDE_PROGRAMS):
        yield parent


@cache
def _shared_folders(home: str) -> frozenset[str]:
    of_home = (home, f"{home}/.local", f"{home}/.config")
    in_parts = [f"{home}/{name}" for name in _PARTS]
    return frozenset({"/", "/usr", "/home", "/tmp", "/var/tmp", *of_home, *in_parts})  # noqa: S108 - names, no files


_QUERY = ("git", "config", "--global", "--includes", "-z", "--get-regexp", r"^user\.(name|email)$")


def identity_variables(home: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of git with the user's name, if a key is in the settings of a home."""
    if not any(map(has_key, git_settings(home))):
        return {}

    # The user's own settings, in the user's own git; nothing of the project is read.
    ran = subprocess.run(_QUERY, cwd="/", env=dict(variables), capture_output=True, check=False)  # noqa: S603 - a list of words
    found: dict[str, str] = {}
    for entry in ran.stdout.decode("utf-8", "replace").split("\0"):
        name, _, value = entry.partition("\n")
        if value:
            what = name.removeprefix("user.").upper()
            found |= {f"GIT_AUTHOR_{what}": value, f"GIT_COMMITTER_{what}": value}

    return found
