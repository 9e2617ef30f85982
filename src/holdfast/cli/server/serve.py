"""`holdfast serve`: the server and its page."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from holdfast.cli.render.text import warn
from holdfast.wiring.places import root_here

_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_NO_EXTRA = "the server needs more packages; install them with `pip install 'holdfast[server]'`."


def serve(
    *,
    root: Annotated[
        list[Path] | None,
        typer.Option(
            "--root", metavar="DIR", help="A project; several are allowed. Default: here."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The interface to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="0: any that is free.")
    ] = 0,
    no_open: Annotated[bool, typer.Option("--no-open", help="Open no browser.")] = False,
    token_file: Annotated[
        Path | None,
        typer.Option("--token-file", metavar="F", help="Read the token from this file."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="H", help="Another name of this machine."),
    ] = None,
) -> None:
    """Serve the page, to see and steer sessions in a browser.

    One line is printed: the address with its token. Whoever has the token can run commands as you.

    Exit 0: stopped with Ctrl-C or SIGTERM. 1: the server cannot start. 2: wrong usage.
    """
    try:
        import uvicorn  # noqa: F401, PLC0415 - the extra `server`
    except ImportError:
        warn(_NO_EXTRA)
        raise typer.Exit(1) from None

    from holdfast.server.project_list import BadRoot, ProjectRegistry  # noqa: PLC0415 - as above
    from holdfast.server.serve import (  # noqa: PLC0415 - as above
        ServerOptions,
        address_of,
        open_socket,
    )
    from holdfast.server.serve import serve as run_server  # noqa: PLC0415 - as above
    from holdfast.server.token import BadTokenFile, new_token, read_token  # noqa: PLC0415 - as above

    if host not in _LOOPBACK:
        _explain_interface(host, token_file)

    try:
        token = read_token(token_file) if token_file is not None else new_token()
        projects = ProjectRegistry([each.absolute() for each in root or [root_here()]], _asker())
    except (BadTokenFile, BadRoot) as error:
        raise typer.BadParameter(str(error)) from None

    try:
        listening = open_socket(host, port)
    except OSError as error:
        warn(f"{host}:{port}: {error.strerror}; choose another --port, or leave it out.")
        raise typer.Exit(1) from None

    names = tuple(name.lower() for name in [*(allow_host or ()), *_name_of(host)])
    address = address_of(listening, token)

    def ready() -> None:
        print(address, flush=True)
        if not no_open and _has_display():
            # A browser in the terminal would wait for its end.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    run_server(projects, ServerOptions(token, host, port, names), listening, ready)


def _explain_interface(host: str, token_file: Path | None) -> None:
    """Say what another interface than loopback means; without a token file, refuse."""
    what = (
        f"{host} is not the loopback interface: whoever reaches it over the network and has the "
        "token can read this project and run commands as you, and the connection is not encrypted."
    )
    if token_file is None:
        message = f"{what} Name a file with a token of your own: --token-file F."
        raise typer.BadParameter(message, param_hint="--host")

    warn(what)


def _name_of(host: str) -> tuple[str, ...]:
    """Return the name under which the interface itself is called, if it is one address."""
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - only compared
        return ()
    return (f"[{host}]" if ":" in host else host,)


def _has_display() -> bool:
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _asker() -> _TerminalQuestion | None:
    """Return what asks the person at the terminal; None without a terminal."""
    if sys.stdin is None or not sys.stdin.isatty() or not sys.stderr.isatty():
        return None
    return _TerminalQuestion()


class _TerminalQuestion:
    """Asks whether the page may work in one more folder, one question at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __call__(self, root: Path) -> bool:
        with self._lock:
            question = f"The page asks to work in {root}. Allow that?"
            return typer.confirm(question, err=True)
