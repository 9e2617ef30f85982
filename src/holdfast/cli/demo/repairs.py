"""Third part: code that does not compile. The compiler is real, the model is scripted."""

from __future__ import annotations

from holdfast.cli.demo import samples
from holdfast.cli.demo.harness import DemoHarness, DemoStep


def paid(stage: DemoHarness) -> None:
    """Repair a file with a model."""
    stage.file("load.py").write_text(samples.LOAD, encoding="utf-8")
    ran = stage.repair("load.py", samples.proposed(samples.LOAD_FIXED))
    stage.claim(
        "it is fixed, and was paid for: one model call", ran.code == 0 and len(ran.requests) == 1
    )
    stage.claim("the file has the text that passed", stage.text("load.py") == samples.LOAD_FIXED)
    rules = list((stage.root / ".holdfast/rules").rglob("*.yaml"))
    stage.claim("the rule that was learned is a file of the project", len(rules) > 0)


def free(stage: DemoHarness) -> None:
    """Repair a file by the rule that was learned."""
    stage.file("till.py").write_text(samples.TILL, encoding="utf-8")
    ran = stage.repair("till.py", [])
    stage.claim("it is fixed by a rule", ran.code == 0 and "by a rule" in ran.output)
    stage.claim("and no model was called", not ran.requests)
    stage.claim("only that line has changed", stage.text("till.py") == samples.TILL_FIXED)


def hidden(stage: DemoHarness) -> None:
    """Refuse a fix that loses code."""
    stage.file("area.py").write_text(samples.AREA, encoding="utf-8")
    ran = stage.repair("area.py", samples.proposed("def area(width, height):\n    pass\n") * 2)
    stage.claim("it is refused", ran.code == 1)
    stage.claim("the file has its exact bytes", stage.text("area.py") == samples.AREA)


def pinned(stage: DemoHarness) -> None:
    """Pin the decisions that close the gate."""
    ran = stage.command("decisions", "gate")
    stage.claim("the gate is closed", ran.code == 4)
    for line in stage.command("decisions", "list").output.splitlines():
        if "accepted" in line:
            stage.command("decisions", "pin", line.split()[0], "--reason", "read and found right")
    stage.claim("once all are pinned, it is open", stage.command("decisions", "gate").code == 0)


STEPS = (
    DemoStep("Code of Python 2. A model is asked, and the compiler checks its fix.", paid),
    DemoStep("The same error in another program, with other names. A fix is paid for once.", free),
    DemoStep("A model whose fix compiles because it has deleted the code.", hidden),
    DemoStep("Before a production build, each fix that code depends on must be reviewed.", pinned),
)
