"""Each way to cheat in `fixes/` compiles, or it would prove nothing: the compiler itself would have refused it.

`make test` compiles a sample of each language, `make soak` all.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.preservation.fixes import c, cpp, go, java, javascript, python, rust, typescript
from tests.preservation.fixes.compilers import COMPILERS
from tests.preservation.fixes.fix import Shop
from tests.samples import sample

SHOPS = [each.SHOP for each in (python, javascript, typescript, c, cpp, rust, java, go)]

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shop", SHOPS, ids=lambda shop: shop.target)
def test_every_cheat_compiles_and_the_broken_program_does_not(shop: Shop, tmp_path: Path) -> None:
    compiler = COMPILERS[shop.target]
    if (missing := compiler.missing()) is not None:
        pytest.skip(f"{missing} is not installed")
    attacks = sample(shop.attacks(), 8)
    (tmp_path / "broken").mkdir()
    (tmp_path / "attacks").mkdir()
    assert compiler.failing([shop.fixed, shop.broken], tmp_path / "broken") == {1}
    failing = compiler.failing([shop.fixed, *(fix.after for fix in attacks)], tmp_path / "attacks")
    assert [
        ("the fix itself", *(fix.name for fix in attacks))[number] for number in sorted(failing)
    ] == []
