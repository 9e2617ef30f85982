"""Third part: code that does not compile. The compiler is real, the model is scripted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.cli.demo import samples

if TYPE_CHECKING:
    from holdfast.cli.demo.harness import DemoHarness


def paid(stage: DemoHarness) -> None:
    """Code as Python 2 had it. A model is asked, and the compiler says whether it is right."""
    stage.file("load.py").write_text(samples.LOAD, encoding="utf-8")
    ran = stage.repair("load.py", samples.proposed(samples.LOAD_MENDED))
    stage.claim(
        "it is mended, and was paid for: one question", ran.code == 0 and len(ran.requests) == 1
    )
    stage.claim("the file has the text that passed", stage.text("load.py") == samples.LOAD_MENDED)
    rules = list((stage.root / ".holdfast/rules").rglob("*.json"))
    stage.claim("what was learned of it is a file of the project", len(rules) > 0)


def free(stage: DemoHarness) -> None:
    """The same error in another program, with other names, deeper down. A fix is paid for once."""
    stage.file("till.py").write_text(samples.TILL, encoding="utf-8")
    ran = stage.repair("till.py", [])
    stage.claim("it is mended by a rule", ran.code == 0 and "by a rule" in ran.told)
    stage.claim("and nobody was asked", not ran.requests)
    stage.claim("just that line has changed", stage.text("till.py") == samples.TILL_MENDED)


def hidden(stage: DemoHarness) -> None:
    """A model whose fix compiles, because it has thrown the code away."""
    stage.file("area.py").write_text(samples.AREA, encoding="utf-8")
    ran = stage.repair("area.py", samples.proposed("def area(width, height):\n    pass\n") * 2)
    stage.claim("it is refused", ran.code == 1)
    stage.claim("the file has its exact bytes", stage.text("area.py") == samples.AREA)


def pinned(stage: DemoHarness) -> None:
    """Before a production build: whatever the code rests on must have been looked at by somebody."""
    ran = stage.command("decisions", "gate")
    stage.claim("the gate is shut", ran.code == 4)
    for line in stage.command("decisions", "list").told.splitlines():
        if line.strip() and "accepted" in line:
            stage.command("decisions", "pin", line.split()[0], "--reason", "read and found right")
    stage.claim("once all is pinned, it is open", stage.command("decisions", "gate").code == 0)


STEPS = (paid, free, hidden, pinned)
