"""A message to a model, from its prompt to its end on record, with what can go wrong between."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from holdfast.adapters.store.store import open_store
from holdfast.changes.change_log import LogUnavailable
from holdfast.checkpoints.checkpoint import WorktreeState
from holdfast.checkpoints.ports import CheckpointFailed, FileVersion, FileVersions
from holdfast.loop.ports import ModelRequest
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.usecases.turns import repair_after_turn
from holdfast.usecases.turns.recorded_turn import NotSent
from holdfast.usecases.turns.repair_ports import TurnRepairs
from holdfast.usecases.turns.send_message import UserMessage
from holdfast.usecases.turns.turn_editor import ReviewedFiles
from holdfast.vocab.cancellation import TurnStopped
from holdfast.vocab.change_events import EditLanded
from holdfast.vocab.events import (
    CheckpointMissed,
    Event,
    RepairEnded,
    SentinelRaised,
    TurnEnded,
    TurnStarted,
)
from holdfast.vocab.sandbox import SandboxStatus
from holdfast.vocab.tool_outcome import ToolOutcome
from tests.loop.playing import DONE, Pieces, ScriptedModel, ScriptedTools, calls
from tests.usecases.turn_scene import TurnScene
from tests.usecases.world import World

pytestmark = pytest.mark.integration


@pytest.fixture
def scene(world: World) -> Iterator[TurnScene]:
    with (
        world.workspace() as workspace,
        open_store(str(world.state / "holdfast.sqlite3")) as store,
    ):
        yield TurnScene(store, world.root, world.state, workspace)


def ended(outcome: TurnEnded | NotSent) -> TurnEnded:
    assert isinstance(outcome, TurnEnded), outcome
    return outcome


def test_a_turn_begins_with_a_checkpoint_and_ends_on_record(scene: TurnScene) -> None:
    prompt = "Go  to\nwork" + " on and on" * 10
    done = ended(scene.send(ScriptedModel([DONE]), UserMessage(prompt)))
    assert (done.stop_reason, done.files) == ("done", ())
    kinds = [event.kind for event in scene.events]
    assert (kinds[0], kinds[-1]) == ("turn_started", "turn_ended")
    [started] = scene.of(TurnStarted)
    assert (started.continued, started.sandbox, started.prompt) == (False, "", prompt)
    [checkpoint] = scene.worktrees.kept
    assert checkpoint.draft.label == " ".join(prompt.split())[:60]
    assert (checkpoint.draft.kind, checkpoint.draft.message) == ("turn", started.message_id)
    scene.events.clear()
    ended(scene.send(ScriptedModel([DONE]), UserMessage(None, started.session)))
    [started] = scene.of(TurnStarted)
    assert (started.continued, started.prompt) == (True, "Continue.")
    assert scene.worktrees.kept[0].draft.label == "continue"


def test_a_turn_whose_checkpoint_is_refused_goes_on_and_says_why(scene: TurnScene) -> None:
    def refuse() -> WorktreeState:
        raise CheckpointFailed("there is no git.")

    shown: list[Event] = []

    def reply(_: ModelRequest) -> Pieces:
        shown.extend(scene.of(CheckpointMissed))
        return DONE

    scene.worktrees.capture = refuse  # type: ignore[method-assign]
    ended(scene.send(ScriptedModel([reply])))
    # Before the model is asked: it may take long.
    assert shown == [CheckpointMissed("there is no git.")]


def test_secrets_are_in_no_prompt_and_the_missing_sandbox_is_said(scene: TurnScene) -> None:
    model = ScriptedModel([DONE])
    ended(
        scene.send(
            model,
            UserMessage("use sk-12345678"),
            secrets=("sk-12345678",),
            sandbox=SandboxStatus("none", "no kernel"),
            system="rules with sk-12345678",
        )
    )
    assert "sk-12345678" not in repr((model.asks, scene.events))
    assert scene.notes == [
        "no command runs without approval, because there is no sandbox: no kernel"
    ]
    scene.notes.clear()
    ended(scene.send(model, sandbox=SandboxStatus("bubblewrap", "")))
    assert scene.notes == []
    assert scene.of(TurnStarted)[-1].sandbox == "bubblewrap"


def test_secrets_in_what_a_tool_answers_reach_neither_model_nor_record(scene: TurnScene) -> None:
    tools = ScriptedTools()
    tools.outcome = lambda _: ToolOutcome("the key is sk-12345678")
    model = ScriptedModel([calls(("run_command", {"command": "env"})), DONE])
    ended(scene.send(model, tools=tools, secrets=("sk-12345678",)))
    assert "the key is" in repr(model.asks[1])
    assert "sk-12345678" not in repr((model.asks, scene.events))


def test_a_turn_that_cannot_begin_is_not_sent(scene: TurnScene) -> None:
    assert scene.send(ScriptedModel([DONE]), UserMessage("Go.", "nothing")) == NotSent(
        scene_message(scene)
    )
    assert scene.events == []

    class Away:
        def mark_interrupted(self, *_: object) -> tuple[str, ...]:
            raise RecordsUnavailable("the store is away.")

    assert scene.send(ScriptedModel([DONE]), records=Away()) == NotSent(
        "the turn cannot be recorded: the store is away."
    )


def scene_message(scene: TurnScene) -> str:
    outcome = scene.send(ScriptedModel([DONE]), UserMessage("Go.", "nothing"))
    assert isinstance(outcome, NotSent)
    assert "nothing" in outcome.message
    return outcome.message


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (OSError(28, "No space left"), "The turn was ended: No space left."),
        (OSError(28, "No space left", "/f"), "The turn was ended: /f: No space left."),
        (
            LogUnavailable("it is away."),
            "The turn could not be recorded any more, and was ended: it is away.",
        ),
    ],
)
def test_a_turn_that_the_world_breaks_is_ended_with_the_reason(
    scene: TurnScene, error: Exception, message: str
) -> None:
    def breaks(_: ModelRequest) -> Pieces:
        raise error

    outcome = ended(scene.send(ScriptedModel([breaks])))
    assert (outcome.stop_reason, outcome.message) == ("failed", message)


def test_a_turn_that_another_command_has_stopped_ends_with_its_sentence(scene: TurnScene) -> None:
    def stopped(_: ModelRequest) -> Pieces:
        raise TurnStopped("Stopped by a test.")

    outcome = ended(scene.send(ScriptedModel([stopped])))
    assert (outcome.stop_reason, outcome.message) == ("cancelled", "Stopped by a test.")


def test_an_error_of_the_program_is_raised_and_the_turn_is_over(scene: TurnScene) -> None:
    def breaks(_: ModelRequest) -> Pieces:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        scene.send(ScriptedModel([breaks]))
    assert scene.of(TurnEnded)[-1].message == "The turn was ended by an error."
    assert scene.log.mark_interrupted((), TurnEnded("interrupted", "", 0, 0, 0)) == ()


class _Interruption:
    """A cancellation that comes because the process ends."""

    interrupts = True

    def __init__(self) -> None:
        self.now = False

    def is_set(self) -> bool:
        return self.now


@pytest.mark.parametrize(
    ("interrupts", "reason", "message"),
    [
        (True, "interrupted", "The server was stopped in the middle of this turn."),
        (False, "cancelled", "Cancelled."),
    ],
)
def test_a_turn_whose_process_ends_is_interrupted_and_another_is_cancelled(
    scene: TurnScene, interrupts: bool, reason: str, message: str
) -> None:
    cancel = _Interruption()
    cancel.interrupts = interrupts
    scene.cancel = cancel  # type: ignore[assignment]

    def cancelled(_: ModelRequest) -> Pieces:
        cancel.now = True
        return DONE

    outcome = ended(scene.send(ScriptedModel([cancelled])))
    assert (outcome.stop_reason, outcome.message) == (reason, message)
    sentinels = [event.sentinel.kind for event in scene.of(SentinelRaised)]
    assert sentinels == (["interrupted"] if interrupts else [])


def test_in_review_the_tools_read_proposed_files_and_edits_wait(scene: TurnScene) -> None:
    ended(scene.send(ScriptedModel([DONE]), mode="review"))
    ended(scene.send(ScriptedModel([DONE])))
    (reviewed, editor, *_), (files, other, *_) = scene.bound
    assert isinstance(reviewed, ReviewedFiles)
    assert files is scene.context.workspace.files
    assert (editor._review, other._review) == (True, False)


def command_that_writes(scene: TurnScene, tools: ScriptedTools) -> ScriptedModel:
    """Return a model that runs a command, which writes a.txt behind the tools."""
    new = FileVersion("file", 0o644, 4, b"new\n")

    def run(_: object) -> ToolOutcome:
        (scene.root / "a.txt").write_text("new\n")
        scene.worktrees.files = {"a.txt": "new"}
        scene.worktrees.changed = (FileVersions("a.txt", None, new, 0),)
        observer = scene.bound[-1][3]
        observer.look("command")
        return ToolOutcome("ok")

    tools.outcome = run
    return ScriptedModel([calls(("run_command", {"command": "make"})), DONE])


def test_what_a_command_has_written_is_a_file_of_the_turn(scene: TurnScene) -> None:
    tools = ScriptedTools()
    outcome = ended(scene.send(command_that_writes(scene, tools), tools=tools))
    assert (outcome.files, outcome.observed) == (("a.txt",), ("a.txt",))
    assert outcome.message == "Done after 2 steps."


def test_what_could_not_be_observed_is_said_once(scene: TurnScene) -> None:
    tools = ScriptedTools()

    @contextmanager
    def broken(*, make: bool) -> Iterator[object]:
        raise CheckpointFailed("git is gone.")
        yield

    def run(_: object) -> ToolOutcome:
        scene.worktrees.hold = broken  # type: ignore[method-assign,assignment]
        scene.bound[-1][3].look("command")
        return ToolOutcome("ok")

    tools.outcome = run
    model = ScriptedModel([calls(("run_command", {"command": "make"})), DONE])
    outcome = ended(scene.send(model, tools=tools))
    assert outcome.message == (
        "Done after 2 steps. Not all that its commands changed is on record: git is gone."
    )


@pytest.mark.parametrize(
    ("mode", "plan", "repaired"),
    [("ask", False, True), ("review", False, False), ("ask", True, False)],
)
def test_files_that_a_turn_has_changed_are_checked_after_it(
    scene: TurnScene,
    monkeypatch: pytest.MonkeyPatch,
    mode: str,
    plan: bool,
    repaired: bool,
) -> None:
    asked: list[tuple[str, ...]] = []

    def repair(end: TurnEnded, paths: tuple[str, ...], *parts: object) -> TurnEnded:
        asked.append(paths)
        emit = parts[-1]
        assert callable(emit)
        landed: Event = EditLanded("a.txt", "edit", "exact", 1.0, "")
        emit(landed)
        return replace(end, message="Done, repaired.")

    monkeypatch.setattr(repair_after_turn, "repair_turn", repair)
    tools = ScriptedTools()
    message = UserMessage("Go.", plan=plan)
    model = command_that_writes(scene, tools)
    outcome = ended(scene.send(model, message, tools, mode=mode, repairs=_repairs))
    assert asked == ([("a.txt",)] if repaired else [])
    assert outcome.message == ("Done, repaired." if repaired else "Done after 2 steps.")


def test_what_a_check_writes_is_observed(scene: TurnScene, monkeypatch: pytest.MonkeyPatch) -> None:
    event = RepairEnded("b.txt", "exhausted", success=False, message="")

    def repair(end: TurnEnded, _: tuple[str, ...], *parts: object) -> TurnEnded:
        new = FileVersion("file", 0o644, 4, b"new\n")
        (scene.root / "b.txt").write_text("new\n")
        scene.worktrees.files = {"a.txt": "new", "b.txt": "new"}
        scene.worktrees.changed = (FileVersions("b.txt", None, new, 0),)
        emit = parts[-1]
        assert callable(emit)
        emit(event)
        return end

    monkeypatch.setattr(repair_after_turn, "repair_turn", repair)
    tools = ScriptedTools()
    model = command_that_writes(scene, tools)
    assert ended(scene.send(model, tools=tools, repairs=_repairs)).observed == ("a.txt", "b.txt")


def test_a_turn_that_changed_nothing_or_failed_is_not_checked(
    scene: TurnScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(repair_after_turn, "repair_turn", lambda *parts: asked.append(parts))
    ended(scene.send(ScriptedModel([DONE]), repairs=_repairs))
    tools = ScriptedTools()
    model = command_that_writes(scene, tools)

    def cancelled(_: ModelRequest) -> Pieces:
        scene.cancel.set()
        return DONE

    model.replies = [model.replies[0], cancelled]
    outcome = ended(scene.send(model, tools=tools, repairs=_repairs))
    assert outcome.stop_reason == "cancelled"
    assert asked == []


def _repairs() -> TurnRepairs:
    return TurnRepairs.__new__(TurnRepairs)
