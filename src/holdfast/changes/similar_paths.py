"""Files a model may have meant when it named one that is not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 3


def names_near(path: str, names: Sequence[str]) -> tuple[str, ...]:
    """Give the files most like `path`: those of the same name in another place, then those of a similar name.

    >>> names_near("src/util.py", ["docs/a.md", "src/utils.py", "src/app/util.py"])
    ('src/app/util.py', 'src/utils.py')
    """
    base = _base(path)
    same = [name for name in names if _base(name) == base]
    # Without the suffix: `a.py` and `b.py` would be alike.
    stems = {name: _base(name).partition(".")[0] for name in names}
    alike = get_close_matches(base.partition(".")[0], sorted(set(stems.values())), _MOST)
    similar = [name for stem in alike for name in names if stems[name] == stem]
    return tuple(dict.fromkeys([*same, *similar]))[:_MOST]


def _base(name: str) -> str:
    return name.rpartition("/")[2]
