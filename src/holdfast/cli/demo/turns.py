"""Second part: turns of an agent. Only the model is scripted; it behaves as small models do."""

from __future__ import annotations

from holdfast.cli.demo import samples
from holdfast.cli.demo.harness import DemoHarness, DemoStep, StepRun

_FIRST = "Add a lower bound to every wait."
_SECOND = "Greet more formally."
_THIRD = "Explain the timeouts."


def drifted_edits(stage: DemoHarness) -> None:
    """Run a turn with inexact edits."""
    ran = stage.turn(_FIRST, samples.drifting())
    stage.session, stage.kept = ran.word_after("session "), stage.texts()
    stage.claim(
        "the turn is done, and shows how to go back",
        ran.code == 0 and "to go back: holdfast checkpoint" in ran.output,
    )
    approximate, exact = ran.output.count("(approximate match,"), ran.output.count("(exact match)")
    stage.claim(
        "both edits landed, one of them not exactly, which is reported",
        (approximate, exact) == (1, 1),
    )
    stage.claim(
        "tabs stay tabs", "\n\t\treturn max(1, min(delay, self.limit))\n" in stage.text("retry.py")
    )
    stage.claim(
        "of the twins only the one that was meant is changed",
        stage.text("net.py") == samples.NET[::-1].replace("100"[::-1], "30"[::-1], 1)[::-1],
    )
    stage.claim(
        "the model was asked over HTTP, once for each step",
        len(ran.requests) == len(samples.drifting()),
    )


def malformed_patch(stage: DemoHarness) -> None:
    """Continue the session with a malformed patch."""
    before = stage.texts()
    ran = stage.turn(_SECOND, samples.malformed(), "--continue", stage.session)
    stage.checkpoint = ran.word_after("to go back: holdfast checkpoint restore ")
    answer = _last_answer(ran, 1)
    stage.claim("it was refused", "refused (" in ran.output)
    stage.claim(
        "the model got the reason as JSON, with the format",
        '"patch_error"' in answer and "@@" in answer,
    )
    changed = {name for name, text in stage.texts().items() if before.get(name) != text}
    stage.claim(
        "corrected, it landed, and in that file only", ran.code == 0 and changed == {"src/greet.py"}
    )
    stage.claim("the model knew its earlier answer", samples.FIRST_DONE in _replies_sent(ran))


def mistakes(stage: DemoHarness) -> None:
    """Run a turn that is stopped on mistakes, and continue it."""
    before = stage.texts()
    ran = stage.turn(_THIRD, samples.mistaken())
    stage.claim(
        "after three it got instructions to recover", "recovery guidance injected" in ran.output
    )
    nudged = []
    for request in ran.requests:
        last = _last_message(request.messages)
        nudged.append("Re-read the schemas" in last)

    stage.claim(
        "in the next payload, and in no other", nudged == [False, False, False, True, False, False]
    )
    stage.claim(
        "after three more the turn was stopped: exit 10",
        ran.code == 10 and "stopped the turn" in ran.output,
    )
    stage.claim("no file changed", stage.texts() == before)
    session = ran.word_after("to go on: holdfast run --continue ")
    ran = stage.turn("Only read src/net.py.", samples.recovered(), "--continue", session)
    stage.claim("continued with a hint, it is done", ran.code == 0)


def loop(stage: DemoHarness) -> None:
    """Run a turn that is stopped on a loop."""
    script = samples.looping()
    ran = stage.turn(_THIRD, script)
    stage.claim(
        "it was warned, then stopped: exit 11",
        ran.code == 11 and ran.output.count("The model repeats itself") == 2,
    )
    stage.claim("long before the end of its script", len(ran.requests) < len(script) / 2)


def restore(stage: DemoHarness) -> None:
    """Restore the checkpoint of the second turn."""
    commit, listed = stage.git("rev-parse", "HEAD"), stage.git("ls-files", "--stage")
    (stage.root / "notes.txt").write_text("Made by hand.\n", encoding="utf-8")
    stage.file("net.py").unlink()
    later = stage.texts()
    ran = stage.command("checkpoint", "restore", stage.checkpoint)
    stage.claim("every file is as it was", ran.code == 0 and stage.texts() == stage.kept)
    stage.claim(
        "the turn's answer was removed", "Removed 1 message from the conversation." in ran.output
    )
    same = commit == stage.git("rev-parse", "HEAD") and listed == stage.git("ls-files", "--stage")
    stage.claim("HEAD and the index were not touched", same)
    ran = stage.turn(
        "What did you do?", samples.answered(samples.FIRST_DONE), "--continue", stage.session
    )
    stage.claim(
        "the model sees the first turn, and not the second",
        _replies_sent(ran) == [samples.FIRST_DONE],
    )
    stage.kept = later


def undo_restore(stage: DemoHarness) -> None:
    """Undo the restore."""
    ran = stage.command("checkpoint", "undo")
    stage.claim(
        "later work is there again, also the manual work",
        ran.code == 0 and stage.texts() == stage.kept,
    )
    stage.claim(
        "and so is the conversation", "Brought 1 message back to the conversation." in ran.output
    )
    ran = stage.turn(
        "What did you do?",
        samples.answered("I bounded the waits and changed the greeting."),
        "--continue",
        stage.session,
    )
    stage.claim(
        "the model sees both turns", _replies_sent(ran) == [samples.FIRST_DONE, samples.SECOND_DONE]
    )


def _last_answer(ran: StepRun, number: int) -> str:
    """Return the last tool answer in a request."""
    if number >= len(ran.requests):
        return ""
    for message in reversed(ran.requests[number].messages):
        if message.get("role") == "tool":
            return str(message.get("content"))
    return ""


def _replies_sent(ran: StepRun) -> list[str]:
    """Return the answers of the model that the first request contains."""
    if not ran.requests:
        return []

    replies = []
    for message in ran.requests[0].messages:
        if message.get("role") != "assistant":
            continue
        if message.get("content"):
            replies.append(str(message["content"]))

    return replies


def _last_message(messages: list[dict[str, object]]) -> str:
    if not messages:
        return ""
    return str(messages[-1].get("content"))


STEPS = (
    DemoStep(
        "An agent's turn: with tools the model reads, and edits what it half remembers.",
        drifted_edits,
    ),
    DemoStep(
        "The next turn: a patch in a fence is refused, and the model corrects it.", malformed_patch
    ),
    DemoStep(
        "A model that makes mistakes: a missing tool, wrong arguments, a missing file.", mistakes
    ),
    DemoStep("A model that reads the same file for ever.", loop),
    DemoStep(
        "Files and conversation go back to the start of the second turn, manual work too.", restore
    ),
    DemoStep("The restore is undone.", undo_restore),
)
