"""`holdfast acp`: Holdfast as an agent in an editor."""

from __future__ import annotations

from typing import Annotated

import typer

from holdfast.cli.options import Approve, SandboxOption


def acp(
    *,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="The model to use.")
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="U", help="The server, up to /v1.")
    ] = None,
    approve: Annotated[
        Approve | None, typer.Option("--approve", help="The mode that sessions start with.")
    ] = None,
    sandbox: SandboxOption = None,
    max_steps: Annotated[
        int | None,
        typer.Option("--max-steps", metavar="N", min=1, help="At most so many model calls."),
    ] = None,
) -> None:
    """Serve the Agent Client Protocol, for an editor.

    The protocol is on standard input and output, messages are on standard error. It ends when its
    input ends.

    Exit 0: the input ended. 2: wrong usage. 130, 143: ended by a signal.
    """
    # The SDK takes half a second to import.
    from holdfast.acp.serve import serve  # noqa: PLC0415 - see above

    flags = {
        "model": model,
        "base_url": base_url,
        "approve": approve and approve.value,
        "sandbox": sandbox and sandbox.value,
        "max_steps": max_steps,
    }
    raise typer.Exit(serve(flags))
