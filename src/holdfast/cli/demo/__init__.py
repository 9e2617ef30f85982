"""`holdfast demo`: a guided run on a temporary project, each step checked."""

from __future__ import annotations

import typer

from holdfast.cli.demo import edits, repairs, turns
from holdfast.cli.demo.harness import play


def demo(context: typer.Context) -> None:
    """Watch edits land and be refused, turns guarded and taken back, code repaired; every claim is checked.

    A sample project in a temporary git repository; the model is scripted, behind a real server on this machine.
    Exit 0: all is as claimed. 1: something is not.
    """
    failed = play((*edits.STEPS, *turns.STEPS, *repairs.STEPS), context.find_root().command.main)
    if failed:
        typer.secho(
            f"\n{failed} claim{'' if failed == 1 else 's'} did not hold.", bold=True, err=True
        )
        raise typer.Exit(1)
    typer.secho("\nAll claims held.", bold=True)
