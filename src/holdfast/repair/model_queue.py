"""The queue of repairs before a model: the same error is paid for once within a run."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from holdfast.vocab.diagnostics import Diagnostic

_Key: TypeAlias = tuple[str, str, str]


class ModelTurn:
    """A repair's turn to ask a model.

    `rules_known` is how many rules earlier turns about the same kinds of errors have learned. The
    repair sets `learned` to whether its own turn did; it stays None if no model was asked.
    """

    def __init__(self, rules_known: int) -> None:
        """Begin a turn."""
        self.rules_known = rules_known
        self.learned: bool | None = None


class ModelQueue:
    """One question at a time for each template of a diagnostic.

    A repair that waited finds the rule of the one before it, and tries it before it takes a turn:
    rules hold up nobody. When a turn learns no rule, waiting for the next would not help: the
    others with its templates then ask at once.
    """

    def __init__(self) -> None:
        """Begin a run."""
        self._changed = threading.Condition()
        self._asking: set[_Key] = set()
        self._learned: Counter[_Key] = Counter()
        self._not_learned: set[_Key] = set()

    @contextmanager
    def turn(
        self,
        errors: Sequence[Diagnostic],
        tried: int,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> Iterator[ModelTurn]:
        """Wait until no other repair asks about an error with one of these templates.

        If there are more rules about them than `tried`, wait no longer, and hold up nobody.
        """
        keys = {(error.tool, error.code, error.template) for error in errors}
        with waiting(), self._changed:
            self._changed.wait_for(
                lambda: self._rules(keys) > tried or keys.isdisjoint(self._asking)
            )
            turn = ModelTurn(self._rules(keys))
            held = keys - self._not_learned if turn.rules_known <= tried else set[_Key]()
            self._asking |= held

        try:
            yield turn
        finally:
            with self._changed:
                self._asking -= held
                if turn.learned:
                    self._learned.update(held)
                elif turn.learned is False:
                    self._not_learned |= held
                self._changed.notify_all()

    def _rules(self, keys: set[_Key]) -> int:
        return sum(map(self._learned.__getitem__, keys))
