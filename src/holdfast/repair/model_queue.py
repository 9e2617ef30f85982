"""The queue of repairs before a model: the same error is paid for once within a run."""

from __future__ import annotations

import threading
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from holdfast.vocab.diagnostics import Diagnostic

_Key: TypeAlias = tuple[str, str, str]


class ModelTurn:
    """A repair's turn to ask a model.

    `may_have_rule` is whether an earlier turn about the same kind of error learned a rule. The
    repair sets `learned` to whether its own turn did; it stays None if no model was asked.
    """

    def __init__(self, *, may_have_rule: bool) -> None:
        """Begin a turn."""
        self.may_have_rule = may_have_rule
        self.learned: bool | None = None


class ModelQueue:
    """One question at a time for each template of a diagnostic.

    A repair that waited finds the rule of the one before it. When a turn learns no rule, waiting
    for the next would not help: the others with its templates then ask at once.
    """

    def __init__(self) -> None:
        """Begin a run."""
        self._changed = threading.Condition()
        self._asking: set[_Key] = set()
        self._learned: set[_Key] = set()
        self._not_learned: set[_Key] = set()

    @contextmanager
    def turn(
        self,
        errors: Sequence[Diagnostic],
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> Iterator[ModelTurn]:
        """Wait until no other repair asks about an error with one of these templates."""
        keys = {(error.tool, error.code, error.template) for error in errors}
        with waiting(), self._changed:
            self._changed.wait_for(lambda: keys.isdisjoint(self._asking))
            held = keys - self._not_learned
            self._asking |= held
            turn = ModelTurn(may_have_rule=not keys.isdisjoint(self._learned))

        try:
            yield turn
        finally:
            with self._changed:
                self._asking -= held
                if turn.learned:
                    self._learned |= held
                elif turn.learned is False:
                    self._not_learned |= held
                self._changed.notify_all()
