"""The folders of toolchains in a home, and the files with keys in them."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FOLDERS = (
    ".cargo .rustup .pyenv .nvm .volta .fnm .asdf .rbenv .rvm .sdkman .jenv .goenv .nodenv go "
    ".deno .bun .npm .npm-global .pnpm-store .yarn .m2/repository .m2/wrapper .gradle .ivy2 .sbt "
    ".opam .ghcup .cabal .stack .mix .hex .nuget/packages .dotnet .gem .bundle .conan2 .elan "
    ".juliaup .julia .ccache .conda miniconda3 anaconda3 miniforge3 mambaforge "
    ".cache/pip .cache/uv .cache/go-build .cache/pypoetry .cache/pre-commit .cache/yarn "
    ".cache/pnpm .cache/node .cache/ms-playwright .cache/Cypress .cache/ccache .cache/sccache "
    ".cache/coursier .cache/bazelisk .cache/zig .cache/deno .cache/puppeteer "
    ".local/bin .local/lib .local/pipx .local/share/uv .local/share/pipx .local/share/mise "
    ".local/share/fnm .local/share/pnpm .local/share/virtualenvs .local/share/coursier "
    ".local/share/gem .gitconfig .config/git"
).split()
_KEYS = (
    ".cargo/credentials .cargo/credentials.toml .gradle/gradle.properties .gem/credentials "
    ".ivy2/.credentials .sbt/.credentials .hex/hex.config .bundle/config .cabal/config "
    ".config/git/credentials .conda/.condarc .yarn/.yarnrc.yml"
).split()
_VARIABLES = (
    "CARGO_HOME RUSTUP_HOME PYENV_ROOT NVM_DIR VOLTA_HOME FNM_DIR GOPATH GOROOT GOCACHE GOMODCACHE "
    "JAVA_HOME JDK_HOME MAVEN_HOME M2_HOME GRADLE_HOME GRADLE_USER_HOME ANDROID_HOME "
    "ANDROID_SDK_ROOT VIRTUAL_ENV CONDA_PREFIX UV_CACHE_DIR PIP_CACHE_DIR PIPX_HOME PNPM_HOME "
    "BUN_INSTALL DENO_DIR GEM_HOME RBENV_ROOT ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR "
    "DOTNET_ROOT NUGET_PACKAGES OPAMROOT STACK_ROOT CCACHE_DIR SCCACHE_DIR HOLDFAST_TOOLCHAINS "
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS"
).split()
_PROGRAM_FOLDERS = frozenset({"bin", "sbin", "shims"})
_BESIDE_PROGRAMS = ("lib", "lib64", "libexec", "pyvenv.cfg")
"""What an installation has beside its folder of programs."""


def cache_folders(home: str) -> list[str]:
    """Return the folders of a home that toolchains need."""
    return [f"{home}/{name}" for name in _FOLDERS]


def key_files(home: str) -> list[str]:
    """Return the files with keys inside the folders that toolchains need."""
    return [f"{home}/{name}" for name in _KEYS]


def named_folders(variables: Mapping[str, str]) -> list[str]:
    """Return the folders that the variables of toolchains name."""
    return [variables[name] for name in _VARIABLES if variables.get(name, "").startswith("/")]


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
    yield folder
    parent, name = os.path.split(folder.rstrip("/"))
    if name == ".bin":
        yield parent

    if name not in _PROGRAM_FOLDERS or parent in _shared_folders(home):
        return

    if any(os.path.exists(f"{parent}/{each}") for each in _BESIDE_PROGRAMS):
        yield parent


@cache
def _shared_folders(home: str) -> frozenset[str]:
    of_home = (home, f"{home}/.local", f"{home}/.config")
    return frozenset({"/", "/usr", "/home", "/tmp", "/var/tmp", *of_home})  # noqa: S108 - names, no files
