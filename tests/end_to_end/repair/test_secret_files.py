"""`holdfast repair` and files with secrets: no model sees them, whatever name they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.repair.workshop import Ran, Workshop, fix

pytestmark = pytest.mark.slow

SECRET = "hunter2_of_this_test"


def repair(workshop: Workshop, name: str) -> Ran:
    return workshop.repair(name, script=lambda _: fix("x = 1\n"))


def places_of_secret(workshop: Workshop) -> list[str]:
    """Return the files that have the secret: those of the project, and those of the state."""
    files = [*workshop.root.rglob("*"), *workshop.state.rglob("*")]
    return sorted(
        file.name for file in files if file.is_file() and SECRET.encode() in file.read_bytes()
    )


@pytest.mark.parametrize("link", ["hard", "symbolic", "its own name"])
def test_a_file_with_secrets_is_not_repaired_under_any_name(workshop: Workshop, link: str) -> None:
    own = ".aws/a.py" if link == "its own name" else "credentials.json"
    secret = workshop.write(own, f"KEY={SECRET}\n")
    name = own
    if link == "hard":
        name = "a.py"
        (workshop.root / name).hardlink_to(secret)
    if link == "symbolic":
        name = "a.py"
        (workshop.root / name).symlink_to(secret.name)

    ran = repair(workshop, name)
    assert (ran.code, ran.questions) == (1, 0)
    assert SECRET not in ran.out + ran.err
    assert "with passwords or keys" in ran.out
    assert places_of_secret(workshop) == sorted({secret.name, Path(name).name})


def test_a_hard_link_of_a_secret_that_is_found_in_a_directory_is_skipped(
    workshop: Workshop,
) -> None:
    secret = workshop.write(".env", f"KEY={SECRET}\n")
    (workshop.root / "a.py").hardlink_to(secret)
    workshop.write("b.py", "y = 1\n")
    ran = repair(workshop, str(workshop.root))
    assert (ran.code, ran.questions) == (0, 0), ran.out
    assert SECRET not in ran.out + ran.err


def test_a_file_with_a_token_is_checked_and_not_sent(workshop: Workshop) -> None:
    token = "ghp_" + "a1B2" * 9
    workshop.write("a.py", f'KEY = "{token}"\nprint(name)\n')
    ran = repair(workshop, "a.py")
    assert (ran.questions, ran.outcomes) == (0, {"a.py": "ProviderError"})
    assert "not sent to a model" in ran.out


def test_a_source_that_is_no_secret_is_sent(workshop: Workshop) -> None:
    workshop.write(".env", f"KEY={SECRET}\n")
    workshop.write("a.py", "print(name)\n")
    ran = repair(workshop, "a.py")
    assert ran.questions > 0
