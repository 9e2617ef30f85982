"""Unified diffs: headers that are wrong, markers that are lost, prose around, and drift in the hunks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from bench.landing import drift as drifts
from bench.landing import words
from bench.landing.cases import Case
from bench.landing.drawing import is_plain
from bench.landing.drift import Drift
from bench.landing.forms import as_patch, file_header, hunk_of, hunks_of
from bench.landing.kinds.replacing import is_clear, is_clear_by_indent, surely
from bench.landing.kinds.workshop import Maker, Workshop
from bench.landing.likeness import windows
from bench.landing.scene import Scene, added, old_side
from bench.landing.several import is_found_once, scene_of_changes
from bench.landing.true_edits import ALL, STEADY, TrueEdit
from holdfast import Patch

Writer = Callable[[Scene, Random], Patch | None]
NO_NEWLINE: Final = "\\ No newline at end of file"


def written(
    write: Writer,
    fits: Callable[[Scene], bool] = is_clear,
    edits: Sequence[TrueEdit] = ALL,
    context: tuple[int, int] = (2, 3),
) -> Maker:
    """An exact hunk, written down in some way of its own."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(edits, context, fits=fits, trim=False)
        patch = write(scene, shop.rng) if scene else None
        return shop.land(scene, patch) if scene and patch else None

    return make


def drifting(
    drift: Drift, fits: Callable[[Scene], bool] = is_plain, context: tuple[int, int] = (2, 3)
) -> Maker:
    """A hunk whose lines drift under a right header."""

    def make(shop: Workshop) -> Case | None:
        scene = shop.scene(STEADY, context, fits=fits, trim=False)
        drifted = drift(scene, shop.rng) if scene else None
        if drifted is None or windows(drifted.before_lines, old_side(drifted.draft)) > 1:
            return None
        return shop.land(drifted, as_patch(drifted))

    return make


def mixed(shop: Workshop) -> Case | None:
    """Several drifts at once under a number that may be wrong: refusing is fine, harming is not."""
    scene = shop.scene(STEADY, (2, 4), fits=is_clear_by_indent, trim=False)
    drifted = surely(drifts.MIXED)(scene, shop.rng) if scene else None
    return (
        shop.land(drifted, as_patch(drifted, shift=shop.rng.choice((0, -3, 8))), refuse_ok=True)
        if drifted
        else None
    )


def _exact(scene: Scene, rng: Random) -> Patch:
    del rng
    return as_patch(scene)


def _off_by_few(scene: Scene, rng: Random) -> Patch:
    return as_patch(scene, shift=rng.choice((-1, 1)) * rng.randint(1, 20))


def _off_by_fifty(scene: Scene, rng: Random) -> Patch:
    return as_patch(scene, shift=rng.choice((-1, 1)) * rng.randint(40, 60))


def _miscounted(scene: Scene, rng: Random, shift: int = 0) -> Patch:
    hunk = hunk_of(scene, shift=shift)
    old, new = rng.randint(1, 12), rng.randint(1, 12)
    header = f"@@ -{hunk.start},{old} +{hunk.start},{new} @@"
    return _patch([*file_header(scene.name), header, *hunk.body])


def _off_and_miscounted(scene: Scene, rng: Random) -> Patch:
    return _miscounted(scene, rng, rng.choice((-7, -4, -1, 2, 5, 9)))


def _without_leading_spaces(scene: Scene, rng: Random) -> Patch | None:
    """Some lines of context lost the space that marks them."""
    spots = [
        at
        for at, line in enumerate(scene.draft)
        if line.mark == " "
        and not line.blank
        and not line.text.startswith(("+", "-", "@", "\\", "diff ", "index "))
    ]
    if not spots:
        return None
    lost = set(rng.sample(spots, rng.randint(1, len(spots))))
    body = [
        line.text if at in lost else line.mark + line.text for at, line in enumerate(scene.draft)
    ]
    return _patch([*file_header(scene.name), hunk_of(scene).header, *body])


def _without_numbers(scene: Scene, rng: Random) -> Patch | None:
    header = rng.choice(("@@ @@", "@@", "@@ ... @@", ""))
    body = hunk_of(scene).body
    if not header and body[0].startswith(("--", "++")):
        return None
    return _patch([*file_header(scene.name), *([header] if header else []), *body])


def _odd_header(scene: Scene, rng: Random) -> Patch:
    hunk = hunk_of(scene)
    base = scene.name.rsplit("/", 1)[-1]
    header = rng.choice(
        (
            [f"--- {scene.name}", f"+++ {scene.name}"],
            [f"--- /home/user/project/{scene.name}", f"+++ /home/user/project/{scene.name}"],
            [],
            [f"--- a/{base}\t2024-01-01 00:00:00", f"+++ b/{base}\t2024-01-01 00:00:01"],
            [
                f"diff --git a/{scene.name} b/{scene.name}",
                "index 1234567..89abcde 100644",
                *file_header(scene.name),
            ],
        )
    )
    return _patch([*header, hunk.header, *hunk.body])


def _with_section(scene: Scene, rng: Random) -> Patch:
    """The header names the function, as git does."""
    hunk = hunk_of(scene, shift=rng.choice((0, 0, 3)))
    above = [line for line in scene.above if line.strip() and line[0] not in " \t#/"]
    return _patch(
        [
            *file_header(scene.name),
            f"{hunk.header} {above[-1] if above else ''}".rstrip(),
            *hunk.body,
        ]
    )


def _in_fence(scene: Scene, rng: Random) -> Patch | None:
    diff = as_patch(scene).diff
    if "```" in diff:
        return None
    intro = rng.choice(("", "I will now apply the fix.\n", "Sure! Here is the change:\n\n"))
    outro = rng.choice(("", "\nThis makes the code behave as expected.\n"))
    return Patch(f"{intro}```diff\n{diff}```\n{outro}", unwrap=True)


def _in_prose(scene: Scene, rng: Random) -> Patch:
    intro = rng.choice(
        ("I will now apply the fix.\n", "Sure! I updated the file. The diff is below.\n\n")
    )
    outro = rng.choice(("", "\nThis makes the code behave as expected.\n"))
    return Patch(intro + as_patch(scene).diff + outro, unwrap=True)


def _blank_context_stripped(scene: Scene, rng: Random) -> Patch | None:
    del rng
    body = [
        "" if line.mark == " " and not line.text else line.mark + line.text for line in scene.draft
    ]
    if "" not in body[:-1] or body[-1] == "" or body[0] == "":
        return None
    return _patch([*file_header(scene.name), hunk_of(scene).header, *body])


def _in_crlf(scene: Scene, rng: Random) -> Patch:
    del rng
    return Patch(as_patch(scene).diff.replace("\n", "\r\n"))


def one_line_of_context(shop: Workshop) -> Case | None:
    """A hunk with a single line above and below."""
    scene = shop.scene(ALL, (1, 1), fits=is_clear, trim=False)
    return shop.land(scene, as_patch(scene)) if scene else None


def several_hunks(*, shuffled: bool = False, shift: bool = False) -> Maker:
    """Two or three changes in one diff, in any order, with numbers right or wrong."""

    def make(shop: Workshop) -> Case | None:
        source = shop.source()
        scene = scene_of_changes(shop.rng, source, shop.rng.choice((2, 2, 3))) if source else None
        if scene is None:
            return None
        hunks = hunks_of(scene.true, scene.start)
        if len(hunks) < 2 or not all(is_found_once(scene, hunk) for hunk in hunks):
            return None
        if shuffled:
            shop.rng.shuffle(hunks)
        if shift:
            off = [shop.rng.randint(-4, 4) for _ in hunks]
            hunks = [
                replace(hunk, start=max(1, hunk.start + by))
                for hunk, by in zip(hunks, off, strict=True)
            ]
        lines = [part for hunk in hunks for part in (hunk.header, *hunk.body)]
        return shop.land(scene, _patch([*file_header(scene.name), *lines]))

    return make


def no_final_newline(shop: Workshop) -> Case | None:
    """The file's last line has no newline and the diff does not say so; the result may have one."""
    scene = _scene_at_end(shop)
    if scene is None:
        return None
    bare = replace(scene, ends=False)
    return shop.land(bare, as_patch(bare), scene.after)


def final_newline_marked(shop: Workshop) -> Case | None:
    """The diff says that the last line has no newline, before or after or both."""
    scene = _scene_at_end(shop)
    if scene is None:
        return None
    last = scene.true[-1]
    hunk = hunk_of(scene)
    lines = [*file_header(scene.name), hunk.header, *hunk.body]
    bare = replace(scene, ends=False)
    if last.mark == " ":
        return shop.land(bare, _patch([*lines, NO_NEWLINE]))
    if last.mark == "+" and scene.true[-2].mark == "-":
        keeps = shop.rng.random() < 0.5
        lines.insert(len(lines) - 1, NO_NEWLINE)
        case = shop.land(bare, _patch([*lines, *([NO_NEWLINE] if keeps else [])]))
        return case if case is None or keeps else replace(case, expected=(scene.after,))
    return None


def edits_markup(shop: Workshop) -> Case | None:
    """The diff adds Markdown fences or tags of the protocol: content, not contamination."""
    scene = shop.scene(STEADY, (2, 3), "markdown", trim=False)
    if scene is None:
        return None
    extra = shop.rng.choice(
        (["```", words.sentence(shop.rng), "```"], ["<tool_call>", words.name(shop.rng)])
    )
    at = max(at for at, line in enumerate(scene.true) if line.mark != " ") + 1
    true = (*scene.true[:at], *added(extra), *scene.true[at:])
    scene = scene.filed(true).drafted(true)
    return shop.land(scene, as_patch(scene))


def _scene_at_end(shop: Workshop) -> Scene | None:
    def fits(scene: Scene) -> bool:
        return (
            is_plain(scene) and not scene.below and len(scene.true) > 2 and not scene.true[-1].blank
        )

    return shop.scene(STEADY, (0, 4), fits=fits, trim=False)


def _patch(lines: Sequence[str]) -> Patch:
    return Patch("\n".join(lines) + "\n")


KINDS: Final[dict[str, Maker]] = {
    "ud-clean": written(_exact),
    "ud-wrong-lineno": written(_off_by_few),
    "ud-stale-50": written(_off_by_fifty),
    "ud-wrong-counts": written(_miscounted),
    "ud-wrong-lineno-counts": written(_off_and_miscounted),
    "ud-no-lead-space": written(_without_leading_spaces, is_plain, STEADY),
    "ud-no-header": written(_without_numbers),
    "ud-section": written(_with_section),
    "ud-no-eof-newline": no_final_newline,
    "ud-eof-marker": final_newline_marked,
    "ud-prose-fence": written(_in_fence),
    "ud-prose-nofence": written(_in_prose),
    "ud-prefix-odd": written(_odd_header),
    "ud-blank-ctx-stripped": written(_blank_context_stripped, context=(2, 5)),
    "ud-tabs-to-spaces": drifting(drifts.tabs_to_spaces, is_clear_by_indent),
    "ud-spaces-to-tabs": drifting(drifts.spaces_to_tabs, is_clear_by_indent),
    "ud-indent-shift": drifting(drifts.shifted_indent, is_clear_by_indent),
    "ud-trail-ws": drifting(drifts.trailing_blanks),
    "ud-typo-ctx": drifting(surely(drifts.soft_typos), context=(2, 5)),
    "ud-typo-indent": drifting(
        surely(drifts.both(drifts.soft_typos, drifts.shifted_indent)), is_clear_by_indent, (2, 5)
    ),
    "ud-stale-ctx": drifting(surely(drifts.stale_name), context=(2, 5)),
    "ud-quotes": drifting(drifts.typography),
    "ud-crlf-file": drifting(drifts.crlf_in_file),
    "ud-crlf-diff": written(_in_crlf),
    "ud-one-ctx": one_line_of_context,
    "ud-multi-hunk": several_hunks(),
    "ud-multi-hunk-lineno": several_hunks(shift=True),
    "ud-hunks-shuffled": several_hunks(shuffled=True),
    "ud-loose-mixed": mixed,
    "ud-edits-markup": edits_markup,
}
