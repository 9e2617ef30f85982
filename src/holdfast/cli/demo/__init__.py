"""`holdfast demo`: a guided run on a temporary project, each step checked."""

from __future__ import annotations

import typer

from holdfast.cli.demo import edits, repairs, turns
from holdfast.cli.demo.harness import play
from holdfast.cli.render.text import count_of

_NEXT = """\
Next, in a project of your own:
  holdfast run "Fix the failing test."   one agent turn, with a local or configured model
  holdfast apply reply.txt               apply the reply of any model to your files
  holdfast repair src                    check files, and fix what fails
  holdfast --help                        all commands"""


def demo(context: typer.Context) -> None:
    """Watch all this on a sample project, with every claim checked.

    Edits land or are refused, turns are guarded and undone, code is repaired. The project is a
    temporary git repository; the model is scripted, behind a real server on this machine.

    Exit 0: all is as claimed. 1: something is not.
    """
    steps = (*edits.STEPS, *turns.STEPS, *repairs.STEPS)
    played = play(steps, context.find_root().command.main)
    if played.failed:
        claims = count_of(played.failed, "claim")
        typer.secho(f"\n{claims} of {played.checked} did not hold.", bold=True, err=True)
        raise typer.Exit(1)

    checked = count_of(played.checked, "claim")
    typer.secho(f"\nAll {len(steps)} steps behaved as described ({checked} checked).", bold=True)
    typer.echo(_NEXT)
