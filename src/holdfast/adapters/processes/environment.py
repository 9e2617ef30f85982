"""The environment of child processes: an allow-list.

A list of what to withhold would always lack the next key of the next service.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from holdfast.adapters.trust.code_items import is_of_project

if TYPE_CHECKING:
    from collections.abc import Collection

_SYSTEM = (
    "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ HOSTNAME CI TMPDIR TMP TEMP COLUMNS LINES "
    "XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME SOURCE_DATE_EPOCH "
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS "
    "NIX_PATH NIX_PROFILES NIX_SSL_CERT_FILE LD_LIBRARY_PATH MANPATH LS_COLORS"
)
_TOOLCHAINS = (
    "CARGO_HOME CARGO_TARGET_DIR CARGO_INCREMENTAL RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS "
    "RUSTDOCFLAGS RUST_BACKTRACE RUST_LOG "
    "JAVA_HOME JDK_HOME JAVA_OPTS MAVEN_HOME MAVEN_OPTS M2_HOME GRADLE_HOME GRADLE_USER_HOME "
    "GRADLE_OPTS ANT_HOME ANDROID_HOME ANDROID_SDK_ROOT "
    "GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS GOOS GOARCH GOTOOLCHAIN GO111MODULE GOWORK "
    "CGO_ENABLED CGO_CFLAGS CGO_LDFLAGS "
    "CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS MAKELEVEL PKG_CONFIG_PATH "
    "LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH ACLOCAL_PATH CMAKE_PREFIX_PATH "
    "CMAKE_GENERATOR CCACHE_DIR SCCACHE_DIR "
    "VIRTUAL_ENV PYENV_ROOT PYENV_VERSION PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE "
    "PYTHONUNBUFFERED PYTHONWARNINGS PYTHONHASHSEED PYTHONUTF8 PYTHONIOENCODING PYTEST_ADDOPTS "
    "CONDA_PREFIX CONDA_DEFAULT_ENV CONDA_EXE UV_CACHE_DIR UV_PYTHON UV_PROJECT_ENVIRONMENT "
    "PIP_CACHE_DIR PIPX_HOME "
    "NODE_PATH NODE_ENV NODE_OPTIONS NVM_DIR NVM_BIN VOLTA_HOME FNM_DIR FNM_MULTISHELL_PATH "
    "PNPM_HOME BUN_INSTALL DENO_DIR COREPACK_HOME "
    "GEM_HOME GEM_PATH RBENV_ROOT RBENV_VERSION RUBYOPT RUBYLIB BUNDLE_PATH BUNDLE_GEMFILE "
    "ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR DOTNET_ROOT NUGET_PACKAGES "
    "OPAMROOT OPAM_SWITCH_PREFIX STACK_ROOT JULIA_DEPOT_PATH PERL5LIB "
    "HOLDFAST_STATE_DIR HOLDFAST_CONFIG_FILE HOLDFAST_TOOLCHAINS"
)
_NAMES = frozenset(f"{_SYSTEM} {_TOOLCHAINS}".split())
_PREFIX = "LC_"

_SETTINGS = {
    "NO_COLOR": "1",
    "TERM": "dumb",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "MANPAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": "true",
    "PIP_NO_INPUT": "1",
    # Without a network these would only wait for an answer.
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_update_notifier": "false",
    "DEBIAN_FRONTEND": "noninteractive",
}


def environment(passed: Collection[str] = ()) -> dict[str, str]:
    """Return the environment of a child process, with settings that prevent prompts and colours.

    `passed` are names that the user wants to pass on beside those of the list.
    """
    allowed = _NAMES.union(passed)
    names = [name for name in os.environ if name in allowed or name.startswith(_PREFIX)]
    return {name: os.environ[name] for name in names} | _SETTINGS


def path_folders() -> list[str]:
    """Return the folders of the PATH that are absolute."""
    # An empty entry would be the current directory, which may be the project.
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if Path(folder).is_absolute()]


def path_outside(root: Path) -> str:
    """Return the PATH without the folders that are in the project.

    What we start ourselves, and what runs unasked, is started with it: a program that the project
    brings under the name `git` is code of the project.
    """
    folders = path_folders()
    if root != root.parent:
        # In the root of the system every program is one of the project.
        folders = [each for each in folders if not is_of_project(each, root)]
    return os.pathsep.join(folders)
