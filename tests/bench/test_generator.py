"""The generator's cases are the same for the same seed, and each is what its kind says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

import pytest

from bench.landing.cases import Case, raw_edit
from bench.landing.engines import Answer, Engine, Holdfast
from bench.landing.generator import KINDS, generate, make_case
from bench.landing.peers.tools import PlainPeer, exact_once, first_hit
from bench.landing.tally import Row, row_of, tally
from bench.landing.words import listed
from holdfast import Replace

ANYTHING = re.compile(".")

# The kinds of the shared corpus, but for those that a real model wrote.
CORPUS_KINDS = listed("""
    blank-added blank-dropped bom-file clean combo-crlf-quotes-blank combo-fence-lineno-indent combo-indent-trail
    combo-typo-indent comment-dropped comment-reworded crlf-file crlf-needle elision elision-edge esc-newlines
    esc-quotes fences html-entities indent-lost-first indent-lost-first-multi indent-shift le-bad-count le-clean
    le-dup-lineno le-neg-absent le-neg-stale-minus le-off-by-n le-old-drift le-stale-50 lineno-prefix
    lineno-prefix-old-only neg-absent neg-applied neg-applied-insert neg-dup-cloned neg-dup-exact neg-dup-fuzzy
    neg-renamed neg-similar neg-stale-minus nfc-nfd partial-lines quotes-file quotes-needle spaces-to-tabs
    stale-ident-ctx tabs-to-spaces trail-ws-file trail-ws-needle typo-soft ud-blank-ctx-stripped ud-clean ud-crlf-file
    ud-dup-lineno ud-indent-shift ud-multi-hunk ud-neg-absent ud-neg-applied ud-neg-dup ud-neg-dup-cloned
    ud-neg-similar ud-neg-stale-minus ud-no-eof-newline ud-no-header ud-no-lead-space ud-one-ctx ud-prefix-odd
    ud-prose-fence ud-prose-nofence ud-stale-50 ud-stale-ctx ud-tabs-to-spaces ud-trail-ws ud-typo-ctx ud-wrong-counts
    ud-wrong-lineno ud-wrong-lineno-counts wrappers zero-width
""")


def cases(seed: int, count: int) -> list[Case]:
    return list(islice(generate(seed, ANYTHING), count))


@lru_cache(maxsize=1)
def one_of_each() -> list[Case]:
    return cases(10, len(KINDS))


def rows(engine: Engine, some: Sequence[Case]) -> list[Row]:
    answers = [(case, engine.answer(case)) for case in some]
    return [row_of(engine.name, case, answer) for case, answer in answers if answer is not None]


def test_the_same_seed_gives_the_same_cases() -> None:
    assert cases(7, 30) == cases(7, 30)


def test_another_seed_gives_other_cases() -> None:
    assert cases(7, 10) != cases(8, 10)


def test_every_kind_of_the_corpus_is_generated() -> None:
    assert set(CORPUS_KINDS) <= set(KINDS)


def test_a_pattern_that_no_kind_matches_gives_no_cases() -> None:
    assert list(generate(1, re.compile("no such kind"))) == []


def test_every_kind_finds_a_file_and_an_edit_that_fit() -> None:
    assert {case.kind for case in one_of_each()} == set(KINDS)


def test_a_case_says_what_was_meant() -> None:
    for case in one_of_each():
        assert raw_edit(case.edit)["format"] in ("search_replace", "unified_diff", "line_edits"), (
            case.id
        )
        assert bool(case.expected) == (case.polarity == "land"), case.id
        assert case.before not in case.expected, case.id


def test_nothing_outside_the_region_is_meant_to_change() -> None:
    for case in one_of_each():
        if case.region is None:
            continue
        start, end = case.region
        before = case.before.split("\n")
        tail = before[end:]
        for expected in case.expected:
            after = expected.split("\n")
            assert after[:start] == before[:start], case.id
            assert not any(tail) or after[len(after) - len(tail) :] == tail, case.id


def test_must_refuse_kinds_must_be_refused_and_no_others() -> None:
    for case in one_of_each():
        assert (case.polarity == "refuse") == ("neg-" in case.kind)


@pytest.mark.parametrize(
    ("name", "replace"), [("first hit", first_hit), ("exact, once", exact_once)]
)
def test_a_naive_engine_is_found_corrupt(name: str, replace: object) -> None:
    engine = PlainPeer(name, replace)  # type: ignore[arg-type]
    counts = tally(rows(engine, one_of_each()))
    assert counts.landed > 0
    assert counts.landed_on_must_refuse > 0
    assert counts.refused_wrongly > 0


def test_taking_the_first_of_two_twins_is_found_corrupt() -> None:
    case = make_case(1, 0, "neg-dup-cloned")
    assert case is not None
    assert isinstance(case.edit, Replace)
    row = row_of(
        "first hit", case, Answer(first_hit(case.before, case.edit.old, case.edit.new), 0.0)
    )
    assert row.verdict == "wrong"


def test_who_knows_the_answers_has_no_fault() -> None:
    known = [
        row_of("oracle", case, Answer(case.expected[0] if case.expected else None, 0.0))
        for case in one_of_each()
    ]
    counts = tally(known)
    assert (counts.corrupted, counts.refused_wrongly, counts.exceptions) == (0, 0, 0)


@pytest.mark.parametrize("gate", [False, True])
def test_our_engine_corrupts_nothing_and_raises_nothing(gate: bool) -> None:
    faults = [row for row in rows(Holdfast(gate=gate), one_of_each()) if row.corrupted or row.error]
    assert faults == []
