"""A model that is asked to mend code (port `Proposer` of `repair`)."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from holdfast.loop.parse_reply.loose_json import Loose, read_loose
from holdfast.loop.parse_reply.strict_json import DecodedJson, decode
from holdfast.loop.parse_reply.thinking import divide
from holdfast.loop.ports import Model, ModelRequest
from holdfast.loop.reply import ModelReply, collect
from holdfast.repair.ports import Proposal, ProposalRequest, ProposerFailed, Provider
from holdfast.repair.verify import describe
from holdfast.vocab.transcript import SystemText, UserText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from holdfast.loop.ports import StreamPiece
    from holdfast.vocab.cancellation import Cancel

SYSTEM = """\
You repair code that does not pass its check. You get one file and all that the check says of it.
Answer with one JSON object and nothing else:
{"code": "<the whole file, repaired>", "confidence": <0 to 1>, "reasoning": "<one sentence>"}
`confidence` is how sure you are that the code now passes and means what it was meant to mean.
Change as little as you can. Keep every name that is declared or exported, keep the comments, \
delete nothing that is not wrong, and never silence the check \
(no noqa, no ignore comments, no any, no unsafe, no pragmas)."""

_FENCE = re.compile(
    r"^(```+|~~~+)[ \t]*([\w+.#-]*)[^\n]*\n(.*?)^\1[ \t]*$", re.DOTALL | re.MULTILINE
)
_NO_TEXT = re.compile("[\ud800-\udfff]")
_ROOM = 1_024
"""Tokens for all but the code."""


class ModelProposer:
    """Asks a model, and reads what it answers."""

    def __init__(self, model: Model, cancel: Cancel, *, max_tokens: int) -> None:
        """Ask this model; a long file gets more room than `max_tokens`."""
        self._model = model
        self._cancel = cancel
        self._max_tokens = max_tokens

    def propose(self, asked: ProposalRequest) -> Proposal | ProposerFailed:
        """Ask once."""
        room = max(self._max_tokens, len(asked.text) // 2 + _ROOM)
        ask = ModelRequest((SystemText(SYSTEM), UserText(question(asked))), max_tokens=room)
        reply = collect(self._model.stream(ask, self._cancel), _ignore)
        proposal = read_reply(reply, self._model.name)
        if isinstance(proposal, ProposerFailed):
            return proposal
        return replace(proposal, text=bring_back(asked.text, proposal.text))


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
        """Look with `look`, if anybody may be asked.

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
        """Return whom to ask; several repairs at once may want to know."""
        with self._lock:
            if self._found is None:
                self._found = self._find()
            return self._found

    def _find(self) -> Provider:
        model = self._look() if self._look is not None else None
        if model is None:
            return self._nobody
        if isinstance(model, ProposerFailed):
            self._say(model.message)
            return self._nobody
        return Provider(ModelProposer(model, self._cancel, max_tokens=self._max_tokens), model.name)


def bring_back(text: str, proposed: str) -> str:
    r"""Return the proposal with undecodable bytes restored in the lines that it did not change.

    >>> bring_back("a \udce9\nb\n", "a ?\nc\n")
    'a \udce9\nc\n'
    """
    if not _NO_TEXT.search(text):
        return proposed
    own = {_shown(line): line for line in text.split("\n") if _NO_TEXT.search(line)}
    own |= {shown.removesuffix("\r"): line.removesuffix("\r") for shown, line in own.items()}
    return "\n".join(own.get(line, line) for line in proposed.split("\n"))


def _shown(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def question(asked: ProposalRequest) -> str:
    """Return what the model is told: all diagnostics, the whole file, and what was tried before."""
    told = "\n".join(_whole(asked))
    tried = "".join(
        f"\n\nAttempt {number} was refused:\n{what}" for number, what in enumerate(asked.tried, 1)
    )
    code = _shown(asked.text)
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", asked.text)), default=0))
    head = f"File: {asked.path} ({asked.target})\n\nThe check says:\n{told}"
    return f"{head}\n\nThe file:\n{fence}\n{code}\n{fence}{tried}"


def _whole(asked: ProposalRequest) -> Iterator[str]:
    """Tell every diagnostic, with the places that it is also about."""
    for diagnostic in asked.diagnostics:
        yield describe(diagnostic)
        for related in diagnostic.related:
            where = f"{related.path}:{related.area.line}" if related.area else related.path
            yield f"    {where}: {related.message}"
    if not asked.diagnostics:
        yield "it fails, and says nothing that could be read."


def read_reply(  # noqa: PLR0911 - one return for each way a reply can fail
    reply: ModelReply, model_id: str
) -> Proposal | ProposerFailed:
    """Read a proposal out of a reply.

    A fenced file without a confidence is one that nobody is sure of.
    """
    if reply.failure is not None:
        return ProposerFailed(reply.failure.message)
    if reply.finish == "length":
        return ProposerFailed(
            "the reply was cut at the limit on its length; raise max_tokens, or split the file."
        )
    if not reply.whole:
        return ProposerFailed("the reply is not whole.")
    said = divide(reply.text).text.strip()
    if not said:
        return ProposerFailed("the reply was empty.")
    told = _find_object(said)
    if told is not None:
        return _read_object(told, model_id)
    fences = _FENCE.findall(said)
    if len(fences) == 1:
        return Proposal(fences[0][2], None, "", model_id)
    return ProposerFailed("the reply has no JSON object with `code` and `confidence`.")


def _find_object(said: str) -> Mapping[str, Any] | None:
    """Find the object with the code: the whole reply, in a fence, or after some words."""
    bodies = [said, *(body.strip() for _, _, body in _FENCE.findall(said))]
    starts = [(body, at) for body in bodies for at in _openings(body)]
    return next(
        (value for body, at in starts for value in _values(body, at) if _is_proposal(value)), None
    )


def _values(body: str, at: int) -> Iterator[Any]:
    """Return the value that begins here, read strictly, or else almost."""
    strict = decode(body, at, raw_controls=True)
    if isinstance(strict, DecodedJson):
        yield strict.value
    loose = read_loose(body, at)
    if isinstance(loose, Loose) and not loose.doubtful:
        yield loose.value


def _openings(body: str) -> list[int]:
    """Return the first places where an object may begin.

    Code is full of braces, and each try reads to the end.
    """
    return [found.start() for found in re.finditer(r"\{\s*[\"'\w]", body)][:8]


def _is_proposal(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("code"), str)


def _read_object(told: Mapping[str, Any], model_id: str) -> Proposal:
    reasoning = told.get("reasoning")
    return Proposal(
        told["code"],
        told.get("confidence"),
        reasoning if isinstance(reasoning, str) else "",
        model_id,
    )


def _ignore(_: StreamPiece) -> None:
    """Nobody watches a repair word by word."""
