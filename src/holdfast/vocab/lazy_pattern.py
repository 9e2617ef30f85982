"""A regular expression that is compiled when it is first used.

A command imports several hundred patterns and uses few of them; to compile them all took a tenth of
the time of a short repair.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer")


class LazyPattern:
    """What `lazy_pattern` returns: it has the methods of the compiled pattern."""

    def __init__(self, pattern: object, flags: int) -> None:
        """Remember what to compile."""
        self.pattern = pattern
        self._wanted_flags = flags

    def __getattr__(self, name: str) -> Any:
        """Compile the pattern; from now on its methods are found without this."""
        if name.startswith("__"):
            raise AttributeError(name)

        compiled = self.compiled()
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))

        return getattr(compiled, name)

    def compiled(self) -> Any:
        """Return the compiled pattern; raise `re.error` if it is none."""
        return re.compile(cast("str", self.pattern), self._wanted_flags)


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern for a constant of a module.

    It is used by its methods: the functions of `re` do not take it.
    """
    return cast("re.Pattern[AnyStr]", LazyPattern(pattern, flags))
