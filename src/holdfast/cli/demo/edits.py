"""First part: replies are applied to files, refused and undone."""

from __future__ import annotations

from holdfast.cli.demo import samples
from holdfast.cli.demo.harness import DemoHarness, DemoStep


def indentation(stage: DemoHarness) -> None:
    """Apply spaces to a file with tabs."""
    ran = stage.apply(samples.WITH_SPACES, alone=True)
    text = stage.file("retry.py").read_text(encoding="utf-8")
    stage.claim(
        "it landed, and the tool reports that the match was not exact",
        ran.code == 0 and "match, " in ran.output,
    )
    stage.claim(
        "the new line has the file's tabs", "\n\t\treturn max(1, min(delay, self.limit))\n" in text
    )
    stage.claim(
        "the comment, which was not meant to change, is the file's own",
        "\t# Twice as long each time.\n" in text,
    )


def typography(stage: DemoHarness) -> None:
    """Apply typographic quotes to a file with straight ones."""
    ran = stage.apply(samples.CURLY)
    stage.claim(
        "it landed, with the file's straight quotes",
        ran.code == 0
        and stage.file("greet.py").read_text(encoding="utf-8")
        == samples.GREET.replace("Hello", "Good day"),
    )


def line_numbers(stage: DemoHarness) -> None:
    """Apply a diff with wrong line numbers."""
    ran = stage.apply(samples.STALE)
    head, _, tail = samples.NET.rpartition("timeout = 100")
    stage.claim(
        "numbers are a hint: the context decides, and the twin above is untouched",
        ran.code == 0
        and stage.file("net.py").read_text(encoding="utf-8") == f"{head}timeout = 30{tail}",
    )


def ambiguity(stage: DemoHarness) -> None:
    """Apply an edit that fits two places."""
    before = stage.texts()
    ran = stage.apply(samples.TWICE)
    stage.claim(
        "it was refused, and both lines are named", ran.code == 1 and "lines 3, 8" in ran.output
    )
    stage.claim("no file changed", stage.texts() == before)


def cut_number(stage: DemoHarness) -> None:
    """Apply an edit that would cut a number in two."""
    before = stage.texts()
    ran = stage.apply(samples.CUT)
    stage.claim("it was refused, and no file changed", ran.code == 1 and stage.texts() == before)


def repetition(stage: DemoHarness) -> None:
    """Apply the same reply again."""
    before = stage.texts()
    ran = stage.apply(samples.STALE)
    stage.claim("it was refused: it is already applied", ran.code == 1 and "already" in ran.output)
    stage.claim("no file changed", stage.texts() == before)


def wrapper(stage: DemoHarness) -> None:
    """Apply a diff that a fence surrounds."""
    ran = stage.apply(samples.FENCED)
    stage.claim(
        "it was refused, and the refusal shows how a diff is written",
        ran.code == 1 and "@@" in ran.output,
    )
    ran = stage.apply(samples.FENCED, "--unwrap")
    text = stage.file("greet.py").read_text(encoding="utf-8")
    stage.claim(
        "with --unwrap it landed",
        ran.code == 0 and "# Be polite, always." in text and "```" not in text,
    )


def many_files(stage: DemoHarness) -> None:
    """Apply a reply with a wrong file name, then correct it."""
    before = stage.texts()
    ran = stage.apply(samples.MANY.format(name="retries.py"))
    stage.claim(
        "it was refused, and the file that may be meant is named",
        ran.code == 1 and "src/retry.py" in ran.output,
    )
    stage.claim("the other two files did not change either", stage.texts() == before)
    ran = stage.apply(samples.MANY.format(name="retry.py"))
    after = stage.texts()
    stage.claim(
        "corrected, all three landed: one created, one edited, one deleted",
        ran.code == 0
        and set(after) == {*before, "docs/usage.md"} - {"src/retry.py"}
        and "60" in after["src/net.py"],
    )


def undo(stage: DemoHarness) -> None:
    """Undo each applied reply."""
    ran = stage.undo(alone=True)
    stage.claim(
        "the file that was deleted is back", ran.code == 0 and "src/retry.py" in stage.texts()
    )
    stage.claim("the directory made for it is gone too", not (stage.root / "docs").exists())
    edited = stage.file("greet.py").read_text(encoding="utf-8")
    stage.file("greet.py").write_text("# by hand\n" + edited, encoding="utf-8")
    ran = stage.undo()
    text = stage.file("greet.py").read_text(encoding="utf-8")
    stage.claim(
        "what was added elsewhere after the apply stays",
        ran.code == 0 and text.startswith("# by hand\n"),
    )
    stage.claim(
        "and only the edit is removed",
        text == "# by hand\n" + edited.replace("polite, always", "polite"),
    )
    codes = [stage.undo().code for _ in range(3)]
    rest = stage.start | {"src/greet.py": "# by hand\n" + samples.GREET}
    stage.claim(
        "three more, and the project is as at the start, with that line",
        codes == [0] * 3 and stage.texts() == rest,
    )


STEPS = (
    DemoStep(
        "The file has tabs. The model wrote spaces, and half remembered a comment.", indentation
    ),
    DemoStep("The model wrote typographic quotes, in the old text and in the new.", typography),
    DemoStep("A diff for lines 41 to 43 of a file that has nine.", line_numbers),
    DemoStep("The old text occurs in two places.", ambiguity),
    DemoStep("`timeout = 10` is a part of `timeout = 100`, which was not meant.", cut_number),
    DemoStep("The third reply once more, as an agent that lost count would send it.", repetition),
    DemoStep("A diff in a Markdown fence.", wrapper),
    DemoStep("One reply for three files, and one of these does not exist.", many_files),
    DemoStep("Undo everything, also in a file that was edited since.", undo),
)
