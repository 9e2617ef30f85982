"""Fixes that compile and cheat are refused, and honest ones are not: a table for each language in `fixes/`."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.preservation.fixes import c, cpp, go, java, javascript, python, rust, typescript
from tests.preservation.fixes.fix import Fix, Shop
from tests.preservation.judged import objections, refusals

# 900 judgements of 25 ms: the fast loop does without.
pytestmark = pytest.mark.slow

SHOPS = [each.SHOP for each in (python, javascript, typescript, c, cpp, rust, java, go)]
ATTACKS = [
    pytest.param(shop, fix, id=f"{shop.target}-{fix.name}")
    for shop in SHOPS
    for fix in shop.attacks()
]
HONEST = [
    pytest.param(shop, fix, id=f"{shop.target}-{fix.name}")
    for shop in SHOPS
    for fix in shop.honest_fixes()
]


@pytest.mark.parametrize(("shop", "fix"), ATTACKS)
def test_a_fix_that_cheats_is_refused_or_shown(shop: Shop, fix: Fix) -> None:
    assert fix.before != fix.after
    assert objections(fix.before, fix.after, shop.path, shop.target, fix.diagnostics)


@pytest.mark.parametrize(("shop", "fix"), HONEST)
def test_an_honest_fix_is_not(shop: Shop, fix: Fix) -> None:
    # A Java class of another program is in a file of its own name.
    path = "A.java" if shop.target == "java" and fix.before != shop.broken else shop.path
    assert fix.before != fix.after
    assert refusals(fix.before, fix.after, path, shop.target, fix.diagnostics) == ()


def test_few_honest_fixes_are_shown_to_a_person() -> None:
    honest = [(shop, fix) for shop in SHOPS for fix in shop.honest_fixes()]
    shown = []
    for shop, fix in honest:
        path = "A.java" if shop.target == "java" and fix.before != shop.broken else shop.path
        if objections(fix.before, fix.after, path, shop.target, fix.diagnostics):
            shown.append(f"{shop.target}-{fix.name}")
    assert len(shown) * 11 <= len(honest), shown


@pytest.mark.parametrize("shop", SHOPS, ids=lambda shop: shop.target)
def test_what_is_not_changed_loses_nothing(shop: Shop) -> None:
    for text in (shop.broken, shop.fixed, *(fix.after for fix in shop.attacks())):
        assert refusals(text, text, shop.path, shop.target) == ()


@given(st.data())
def test_to_put_back_a_mark_that_was_lost_or_doubled_is_never_refused(data: st.DataObject) -> None:
    shop = data.draw(st.sampled_from(SHOPS))
    at = data.draw(
        st.sampled_from([found.start() for found in re.finditer(r"[^\w\s]", shop.fixed)])
    )
    end = data.draw(st.sampled_from((at, at + 1)))
    broken = shop.fixed[:at] + shop.fixed[at : end + 1] * (end == at) + shop.fixed[end:]
    fix = Fix("put back", broken, shop.fixed, "syntax error", broken[at : at + 20] or broken[-1])
    assert refusals(broken, shop.fixed, shop.path, shop.target, fix.diagnostics) == ()


def test_pragma_once_silences_no_check() -> None:
    text = "struct p { int x; };\nint f(struct q a);\n"
    fixed = "#pragma once\n" + text.replace("struct q", "struct p")
    assert refusals(text, fixed, "p.h", "c") == ()
