"""A model that is asked to repair code (port `Proposer` of `repair`)."""

from __future__ import annotations

import json
import math
import re
import threading
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

from holdfast.guards.tokens import has_token, remove_tokens
from holdfast.repair.check_errors import describe
from holdfast.repair.ports import Proposal, ProposalRequest, ProposerFailed, Provider
from holdfast.vocab.lazy_pattern import lazy_pattern
from holdfast.vocab.transcript import SystemText, UserText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.loop.ports import Model, StreamPiece
    from holdfast.loop.reply import ModelReply
    from holdfast.vocab.cancellation import Cancel

SYSTEM = """\
You repair code that does not pass its check. You get one file and all that the check says of it.
Answer with one JSON object and nothing else:
{"code": "<the whole file, repaired>", "confidence": <0 to 1>, "reasoning": "<one sentence>"}
If the same error would be fixed in the same way elsewhere, add "rule": {"pattern": "f($A, $B)", \
"fix": "f($A, $B, 0)"}, in the notation of ast-grep.
`confidence` is how sure you are that the code now passes and means what it was meant to mean.
Change as little as you can. Keep every name that is declared or exported, keep the comments, \
delete nothing that is not wrong, and never silence the check \
(no noqa, no ignore comments, no any, no unsafe, no pragmas)."""

_FENCE = lazy_pattern(
    r"^(```+|~~~+)[ \t]*([\w+.#-]*)[^\n]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE
)
_NO_TEXT = lazy_pattern("[\ud800-\udfff]")
_NOT_SENT = (
    "a token or a key is in this file, so it is not sent to a model; take it out, or repair the "
    "file by hand."
)
_ROOM = 1_024
"""Tokens for all but the code."""


class ModelProposer:
    """A proposer that sends the code to a model and parses the reply."""

    def __init__(self, model: Model, cancel: Cancel, *, max_tokens: int) -> None:
        """Ask this model; a long file gets more room than `max_tokens`."""
        self._model = model
        self._cancel = cancel
        self._max_tokens = max_tokens

    def propose(self, request: ProposalRequest) -> Proposal | ProposerFailed:
        """Return what the model proposes for this request; a text with a token is not sent."""
        if has_token(request.text):
            return ProposerFailed(_NOT_SENT)

        room = max(self._max_tokens, len(request.text) // 2 + _ROOM)
        messages = (SystemText(SYSTEM), UserText(question(request)))
        # Most repairs need no model, and this takes long to import.
        from holdfast.loop.ports import ModelRequest  # noqa: PLC0415 - see above
        from holdfast.loop.reply import collect  # noqa: PLC0415 - see above

        ask = ModelRequest(messages, max_tokens=room)
        reply = collect(self._model.stream(ask, self._cancel), _ignore)
        proposal = read_reply(reply, self._model.name)
        if isinstance(proposal, ProposerFailed):
            return proposal

        text = keep_end(request.text, bring_back(request.text, proposal.text))
        return replace(proposal, text=text)


class LateProvider:
    """The model, looked for once, when the first repair needs it."""

    def __init__(
        self,
        look: Callable[[], Model | ProposerFailed] | None,
        named: str,
        max_tokens: int,
        say: Callable[[str], None],
        cancel: Cancel,
    ) -> None:
        """Find the model with `look`; None if no model may be asked.

        `named` is the model that responses are cached for otherwise.
        """
        self._look = look
        self._nobody = Provider(None, named)
        self._max_tokens = max_tokens
        self._say = say
        self._cancel = cancel
        self._lock = threading.Lock()
        self._found: Provider | None = None

    def find(self) -> Provider:
        """Return the provider; several repairs may call this at once."""
        with self._lock:
            if self._found is None:
                self._found = self._find()
            return self._found

    def _find(self) -> Provider:
        if self._look is None:
            return self._nobody

        model = self._look()
        if isinstance(model, ProposerFailed):
            if model.unreachable:
                return Provider(_Unreachable(model), self._nobody.model)
            self._say(model.message)
            return self._nobody

        return Provider(ModelProposer(model, self._cancel, max_tokens=self._max_tokens), model.name)


class _Unreachable:
    """A proposer on a server that does not answer."""

    def __init__(self, failed: ProposerFailed) -> None:
        self._failed = failed

    def propose(self, request: ProposalRequest) -> Proposal | ProposerFailed:  # noqa: ARG002 - the port
        """Return why there is no proposal."""
        return self._failed


def bring_back(text: str, proposed: str) -> str:
    r"""Return the proposal with undecodable bytes restored in the lines that it did not change.

    >>> bring_back("a \udce9\nb\n", "a ?\nc\n")
    'a \udce9\nc\n'
    """
    if not _NO_TEXT.search(text):
        return proposed

    originals = {}
    for line in text.split("\n"):
        if _NO_TEXT.search(line):
            originals[_shown(line)] = line

    # The model may have dropped the carriage returns.
    for shown, line in list(originals.items()):
        originals[shown.removesuffix("\r")] = line.removesuffix("\r")

    lines = [originals.get(line, line) for line in proposed.split("\n")]
    return "\n".join(lines)


def keep_end(text: str, proposed: str) -> str:
    r"""Return the proposal with the blank lines that the text ends with.

    Models add or drop one, which is no part of a fix: a rule learned from it would match nothing.
    If the end is all that the proposal changes, it is the fix.

    >>> keep_end("a = f(\n", "a = f()\n\n"), keep_end("a\n\n", "a\n")
    ('a = f()\n', 'a\n')
    """
    body, proposed_body = text.rstrip(), proposed.rstrip()
    if proposed_body in {"", body}:
        return proposed
    return proposed_body + text[len(body) :]


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def question(request: ProposalRequest) -> str:
    """Return the prompt: all diagnostics, hints, the whole file, and the attempts before."""
    # A check that sees other files may quote them.
    diagnostics = remove_tokens("\n".join(_diagnostic_lines(request)))
    hints = ""
    for hint in request.hints:
        hints += f"\n\nA fix that may be wrong, of {_shown(hint)}"

    tried = ""
    for number, refusal in enumerate(request.tried, 1):
        tried += f"\n\nAttempt {number} was refused:\n{refusal}"

    code = _shown(request.text)
    fence = _fence_around(request.text)
    head = f"File: {request.path} ({request.target})\n\nThe check says:\n{diagnostics}{hints}"
    return f"{head}\n\nThe file:\n{fence}\n{code}\n{fence}{tried}"


def _fence_around(text: str) -> str:
    """Return a fence that is longer than every run of backticks in the text."""
    runs = re.findall(r"`+", text)
    longest = max(map(len, runs), default=0)
    return "`" * max(3, longest + 1)


def _diagnostic_lines(request: ProposalRequest) -> Iterator[str]:
    """Yield each diagnostic, followed by the places that are related to it."""
    for diagnostic in request.diagnostics:
        yield describe(diagnostic)
        for related in diagnostic.related:
            where = related.path
            if related.area:
                where = f"{related.path}:{related.area.line}"
            yield f"    {where}: {related.message}"
        for fixit in diagnostic.fixits:
            if not fixit.safe:
                yield f"    a guess of {diagnostic.tool}, which may be wrong: {fixit.message}"

    if not request.diagnostics:
        yield "it fails, and says nothing that could be read."


def read_reply(  # noqa: PLR0911 - one return for each way a reply can fail
    reply: ModelReply, model_id: str
) -> Proposal | ProposerFailed:
    """Parse the proposal in a reply.

    A reply with one fenced file and no JSON object is a proposal without a confidence.
    """
    if reply.failure is not None:
        return ProposerFailed(reply.failure.message)
    if reply.finish == "length":
        return ProposerFailed(
            "the reply was cut at the limit on its length; raise max_tokens, or split the file."
        )
    if not reply.whole:
        return ProposerFailed("the reply is not whole.")

    # Here and below: most repairs need no model, and this takes long to import.
    from holdfast.loop.parse_reply.thinking import divide  # noqa: PLC0415 - see above

    text = divide(reply.text).text.strip()
    if not text:
        return ProposerFailed("the reply was empty.")

    fields = _find_object(text)
    if fields is not None:
        return _read_object(fields, model_id)

    fences = _FENCE.findall(text)
    if len(fences) == 1:
        return Proposal(fences[0][2], None, "", model_id)

    return ProposerFailed("the reply has no JSON object with `code` and `confidence`.")


def _find_object(text: str) -> Mapping[str, Any] | None:
    """Return the object with the code: the whole reply, in a fence, or after some words."""
    bodies = [text]
    for _, _, fenced in _FENCE.findall(text):
        bodies.append(fenced.strip())

    for body in bodies:
        for at in _openings(body):
            for value in _values(body, at):
                if _is_proposal(value):
                    return value

    return None


def _values(body: str, at: int) -> Iterator[Any]:
    """Yield the value that begins here: parsed strictly, then leniently."""
    from holdfast.syntax.loose_json import Loose, read_loose  # noqa: PLC0415 - above
    from holdfast.syntax.strict_json import DecodedJson, decode  # noqa: PLC0415 - above

    strict = decode(body, at, raw_controls=True)
    if isinstance(strict, DecodedJson):
        yield strict.value

    loose = read_loose(body, at)
    if isinstance(loose, Loose) and not loose.doubtful:
        yield loose.value

    not_finite = _with_constants(body, at)
    if not_finite is not None:
        yield not_finite


def _with_constants(body: str, at: int) -> dict[str, Any] | None:
    """Return an object whose confidence is NaN or infinite, which is no JSON, to say so."""
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(body, at)
    except (ValueError, RecursionError):
        return None

    if not isinstance(value, dict):
        return None

    confidence = value.get("confidence")
    if isinstance(confidence, float) and not math.isfinite(confidence):
        return value

    return None


def _openings(body: str) -> list[int]:
    """Return the first places where an object may begin.

    Code is full of braces, and each try reads to the end.
    """
    openings = re.finditer(r"\{\s*[\"'\w]", body)
    return [found.start() for found in islice(openings, 8)]


def _is_proposal(value: object) -> TypeGuard[Mapping[str, Any]]:
    if not isinstance(value, dict):
        return False
    return isinstance(value.get("code"), str)


def _read_object(fields: Mapping[str, Any], model_id: str) -> Proposal:
    reasoning = fields.get("reasoning")
    if not isinstance(reasoning, str):
        reasoning = ""

    return Proposal(
        fields["code"],
        fields.get("confidence"),
        reasoning,
        model_id,
        _read_rule(fields.get("rule")),
    )


def _read_rule(raw: object) -> tuple[str, str] | None:
    if not isinstance(raw, dict):
        return None
    pattern, fix = raw.get("pattern"), raw.get("fix")
    if isinstance(pattern, str) and isinstance(fix, str):
        return pattern, fix
    return None


def _ignore(_: StreamPiece) -> None:
    """Ignore a piece of the stream: a repair is not shown while it arrives."""
