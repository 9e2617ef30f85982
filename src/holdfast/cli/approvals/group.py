"""`holdfast approvals`: list and answer the questions of running turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from holdfast.cli.options import AsJson, Root, require_directory
from holdfast.cli.refusal import refuse
from holdfast.cli.render.text import text_if, warn, write
from holdfast.guards.command_prefix import prefix_rule
from holdfast.usecases.approvals.answer import AnswerRefused, PersonsAnswer, answer_question
from holdfast.usecases.record_watch import RecordsUnavailable
from holdfast.wiring.sessions import ApprovalsOfRoot, open_approvals

if TYPE_CHECKING:
    from holdfast.usecases.approvals.answer import QuestionAnswered
    from holdfast.usecases.approvals.ports import ApprovalRecord

approvals = typer.Typer(
    help="List and answer the questions of running turns.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


class Answer(StrEnum):
    """The answers of a person."""

    once = "once"
    session = "session"
    always = "always"
    deny = "deny"


@approvals.command("list")
def list_(
    *,
    session: Annotated[
        str | None,
        typer.Option("--session", metavar="ID", help="Only those of this session."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also those that were answered, or cancelled.")
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """List the questions that wait for an answer, the oldest first.

    Exit 0: listed. 1: the store cannot be read. 2: wrong usage.
    """
    found: tuple[ApprovalRecord, ...] = ()
    with _opened(root, as_json=as_json) as opened:
        if opened is not None:
            found = opened.questions.list(session, answered=every)

    if as_json:
        print(json.dumps({"approvals": [_as_json(question) for question in found]}))
        return

    if not found:
        write("No question waits for an answer.")

    for question in found:
        _show(question)


@approvals.command("answer")
def answer(
    wanted: Annotated[
        str, typer.Argument(metavar="ID", help="The question; the start of its id is enough.")
    ],
    said: Annotated[Answer, typer.Argument(metavar="ANSWER", help="once, session, always, deny.")],
    *,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why not; the model is told.")
    ] = "",
    prefix: Annotated[
        bool,
        typer.Option("--prefix", help="With always: every command with the same first words."),
    ] = False,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Answer a question of a running turn. The first answer counts.

    Exit 0: answered. 1: refused: already answered, or no turn waits. 2: wrong usage.
    """
    if prefix and said is not Answer.always:
        raise typer.BadParameter("only with the answer always.", param_hint="--prefix")
    if reason and said is not Answer.deny:
        raise typer.BadParameter("only with the answer deny.", param_hint="--reason")

    with _opened(root, as_json=as_json) as opened:
        outcome = _answer(wanted, PersonsAnswer(said.value, reason, by_rule=prefix), opened)

    if isinstance(outcome, AnswerRefused):
        _refuse(outcome, as_json=as_json)

    if as_json:
        print(json.dumps(_answered_json(outcome)))
        return

    rule = text_if(outcome.rule, f" Always allowed now: {outcome.rule}")
    write(f"question {outcome.question.id}: answered {outcome.given.answer}.{rule}")


def _answer(
    wanted: str, said: PersonsAnswer, opened: ApprovalsOfRoot | None
) -> QuestionAnswered | AnswerRefused:
    if opened is None:
        return AnswerRefused(f"{wanted}: there is no such question: no turn has run yet.")
    if opened.turn is not None:
        return AnswerRefused(
            f"this command was started by turn {opened.turn}, and a turn cannot answer questions; "
            "run this command outside of it."
        )

    try:
        return answer_question(wanted, said, opened.questions, opened.grants)
    except OSError as error:
        return AnswerRefused(
            f"{error.filename}: {error.strerror}; the command is allowed this time, but what is "
            "always allowed could not be recorded."
        )


@contextmanager
def _opened(root: Path, *, as_json: bool) -> Iterator[ApprovalsOfRoot | None]:
    """Open the questions at a root; exit with 1 if the record cannot be used."""
    require_directory(root)
    try:
        with open_approvals(root) as opened:
            yield opened
    except RecordsUnavailable as error:
        refuse(str(error), as_json=as_json)
    except OSError as error:
        refuse(f"{error.filename}: {error.strerror}.", as_json=as_json)


def _refuse(refused: AnswerRefused, *, as_json: bool) -> NoReturn:
    """Print why the answer does not count, with `--json` also the answer that does; exit with 1."""
    if refused.question is None or refused.question.answer is None:
        refuse(refused.message, as_json=as_json)

    if as_json:
        body = {
            "outcome": "refused",
            "problems": [refused.message],
            "approval": _as_json(refused.question),
        }
        print(json.dumps(body))

    warn(refused.message)
    raise typer.Exit(1)


def _answered_json(outcome: QuestionAnswered) -> dict[str, Any]:
    return {
        "outcome": "answered",
        "approval_id": outcome.question.id,
        "session": outcome.question.session,
        "turn": outcome.question.turn,
        "answer": outcome.given.answer,
        "reason": outcome.given.reason,
        "always": outcome.rule,
    }


def _as_json(question: ApprovalRecord) -> dict[str, Any]:
    body = asdict(question)
    body["prefix"] = None
    if question.what == "command":
        body["prefix"] = prefix_rule(question.subject)
    return body


def _show(question: ApprovalRecord) -> None:
    head = f"{question.id}  session {question.session}  {question.what}: {question.subject}"
    if question.answer is not None:
        write(f"{head}  ({question.answer})", dim=True)
        return

    write(head, bold=True)
    for line in question.why.removesuffix("\n").split("\n"):
        write(f"  {line}")

    options = "|".join(question.options)
    write(f"  to answer: holdfast approvals answer {question.id} {options}", dim=True)
