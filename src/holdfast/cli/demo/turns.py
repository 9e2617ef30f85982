"""Second part: an agent's turns. Its model is scripted and behaves as small models do; all the rest is real."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.cli.demo import samples

if TYPE_CHECKING:
    from holdfast.cli.demo.harness import DemoHarness, StepRun

_FIRST = "Give every wait a lower bound."
_SECOND = "Greet more formally."
_THIRD = "Explain the timeouts."


def drifted_edits(stage: DemoHarness) -> None:
    """An agent's turn: the model reads, and edits what it half remembers, through tools."""
    ran = stage.turn(_FIRST, samples.drifting())
    stage.session, stage.kept = ran.word_after("session "), stage.texts()
    stage.claim(
        "the turn is done, and tells the way back",
        ran.code == 0 and "to go back: holdfast checkpoint" in ran.told,
    )
    rungs = ran.told.count("(rung similar") == 1 and ran.told.count("(rung exact") == 1
    stage.claim("both edits landed, one of them not exactly, and it is said on which rung", rungs)
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
    """The next turn of that session: a patch in a fence, which must not be guessed at. The model mends it."""
    before = stage.texts()
    ran = stage.turn(_SECOND, samples.malformed(), "--continue", stage.session)
    stage.checkpoint = ran.word_after("to go back: holdfast checkpoint restore ")
    answer = _last_answer(ran, 1)
    stage.claim("it was refused", "refused (" in ran.told)
    stage.claim(
        "the model was told so as JSON, with the format",
        '"patch_error"' in answer and "@@" in answer,
    )
    changed = {name for name, text in stage.texts().items() if before.get(name) != text}
    stage.claim(
        "corrected, it landed, and in that file only", ran.code == 0 and changed == {"src/greet.py"}
    )
    stage.claim("the model knew what it had said before", samples.FIRST_DONE in _replies_sent(ran))


def mistakes(stage: DemoHarness) -> None:
    """A model that makes mistakes: a tool that is not there, wrong arguments, a file that is not there."""
    before = stage.texts()
    ran = stage.turn(_THIRD, samples.mistaken())
    stage.claim("after three it was told how to recover", "recovery guidance injected" in ran.told)
    nudged = [
        "Re-read the schemas" in text
        for text in (_last_message(request.messages) for request in ran.requests)
    ]
    stage.claim(
        "in the next payload, and in no other", nudged == [False, False, False, True, False, False]
    )
    stage.claim(
        "after three more the turn was stopped: exit 10",
        ran.code == 10 and "stopped the turn" in ran.told,
    )
    stage.claim("no file changed", stage.texts() == before)
    session = ran.word_after("to go on: holdfast run --continue ")
    ran = stage.turn("Only read src/net.py.", samples.recovered(), "--continue", session)
    stage.claim("continued with a hint, it is done", ran.code == 0)


def loop(stage: DemoHarness) -> None:
    """A model that reads the same file for ever."""
    script = samples.looping()
    ran = stage.turn(_THIRD, script)
    stage.claim(
        "it was told, then stopped: exit 11",
        ran.code == 11 and ran.told.count("The model repeats itself") == 2,
    )
    stage.claim("long before its script was at the end", len(ran.requests) < len(script) / 2)


def restore(stage: DemoHarness) -> None:
    """Back to the moment before the second turn: files and conversation. In between somebody worked by hand, too."""
    commit, listed = stage.git("rev-parse", "HEAD"), stage.git("ls-files", "--stage")
    (stage.root / "notes.txt").write_text("Made by hand.\n", encoding="utf-8")
    stage.file("net.py").unlink()
    later = stage.texts()
    ran = stage.command("checkpoint", "restore", stage.checkpoint)
    stage.claim("every file is as it was", ran.code == 0 and stage.texts() == stage.kept)
    stage.claim(
        "the turn's answer left the conversation", "1 message left the conversation" in ran.told
    )
    same = commit == stage.git("rev-parse", "HEAD") and listed == stage.git("ls-files", "--stage")
    stage.claim("HEAD and the index were not touched", same)
    ran = stage.turn(
        "What did you do?", samples.told(samples.FIRST_DONE), "--continue", stage.session
    )
    stage.claim(
        "the model sees the first turn, and not the second",
        _replies_sent(ran) == [samples.FIRST_DONE],
    )
    stage.kept = later


def undo_restore(stage: DemoHarness) -> None:
    """The restore is taken back."""
    ran = stage.command("checkpoint", "undo")
    stage.claim(
        "what was done since is there again, by hand too",
        ran.code == 0 and stage.texts() == stage.kept,
    )
    stage.claim("and so is the conversation", "1 message came back to the conversation" in ran.told)
    ran = stage.turn(
        "What did you do?",
        samples.told("I bounded the waits and changed the greeting."),
        "--continue",
        stage.session,
    )
    stage.claim(
        "the model sees both turns", _replies_sent(ran) == [samples.FIRST_DONE, samples.SECOND_DONE]
    )


def _last_answer(ran: StepRun, number: int) -> str:
    """Give the last tool's answer that a question held."""
    messages = ran.requests[number].messages if number < len(ran.requests) else []
    return next(
        (str(each.get("content")) for each in reversed(messages) if each.get("role") == "tool"), ""
    )


def _replies_sent(ran: StepRun) -> list[str]:
    """Give what the model has said in words, as the first question has it."""
    messages = ran.requests[0].messages if ran.requests else []
    return [
        str(each["content"])
        for each in messages
        if each.get("role") == "assistant" and each.get("content")
    ]


def _last_message(messages: list[dict[str, object]]) -> str:
    return str(messages[-1].get("content")) if messages else ""


STEPS = (drifted_edits, malformed_patch, mistakes, loop, restore, undo_restore)
