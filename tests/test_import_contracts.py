"""Each import contract is broken once, in a copy of the package, to prove that it can fail."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.slow  # seconds together: `make quick` does without

ROOT = Path(__file__).parents[1]


class Plant(NamedTuple):
    """A forbidden import: `module` imports `target`, which breaks the contract `contract`."""

    contract: str
    module: str
    target: str


LAYERS = "Down only, and siblings do not import each other"
PURE = "The pure packages have no world"
FACE = "The face imports landing and vocab only"
ADAPTERS = "Only wiring and testing import adapters"
ACYCLIC = "No cycles among the modules of a package"

# The layers from the bottom up; each must not import the one above it, nor a sibling.
UP = [
    "vocab",
    "syntax",
    "landing",
    "changes",
    "loop",
    "usecases",
    "adapters",
    "testing",
    "config",
    "wiring",
    "cli",
]
SIBLINGS = [
    ("landing", "guards"),
    ("rules", "preservation"),
    ("preservation", "landing"),
    ("changes", "checkpoints"),
    ("loop", "tools"),
    ("tools", "repair"),
]

PLANTS = [
    *(
        Plant(LAYERS, f"holdfast.{low}.planted", f"holdfast.{high}.planted")
        for low, high in pairwise(UP)
    ),
    *(Plant(LAYERS, f"holdfast.{one}.planted", f"holdfast.{two}.planted") for one, two in SIBLINGS),
    Plant(PURE, "holdfast.vocab.planted", "os"),
    Plant(PURE, "holdfast.landing.planted", "pathlib"),
    Plant(PURE, "holdfast.guards.planted", "subprocess"),
    Plant(PURE, "holdfast.repair.diagnostics.planted", "time"),
    Plant(PURE, "holdfast.syntax.planted", "io"),
    Plant(PURE, "holdfast.rules.planted", "os"),
    Plant(PURE, "holdfast.preservation.planted", "random"),
    Plant(ADAPTERS, "holdfast.cli.planted", "holdfast.adapters.planted"),
    Plant(ADAPTERS, "holdfast.config.planted", "holdfast.adapters.planted"),
    *(
        Plant(PURE, "holdfast.landing.planted", driver)
        for driver in ("sqlalchemy", "alembic", "psycopg")
    ),
]
ALONE = [
    Plant(LAYERS, "holdfast.stray.planted", "holdfast.vocab.planted"),
    # `changes.plan` imports `changes.swaps`.
    Plant(ACYCLIC, "holdfast.changes.swaps", "holdfast.changes.plan"),
    Plant(FACE, "holdfast", "holdfast.changes.planted"),
]
"""Those that are not reported as one import."""


def _name(plant: Plant) -> str:
    return f"{plant.module}-{plant.target}".replace("holdfast.", "").replace(".planted", "")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout with our source and our contracts in it, to spoil."""
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_source_as_it_is_keeps_the_contracts(copy: Path) -> None:
    code, output = lint_imports(copy)
    assert code == 0, output


# All of a contract in one copy: each is reported by itself.
@pytest.mark.parametrize("contract", [LAYERS, PURE, ADAPTERS])
def test_each_planted_import_breaks_its_contract(copy: Path, contract: str) -> None:
    planted = [plant for plant in PLANTS if plant.contract == contract]
    for plant in planted:
        add_import(copy, plant)

    code, output = lint_imports(copy)

    assert code == 1, output
    assert f"{contract} BROKEN" in output
    reported = output.partition("Broken contracts")[2]
    missing = [
        plant for plant in planted if f" {plant.module} -> {plant.target} (l." not in reported
    ]
    assert missing == [], output


@pytest.mark.parametrize("plant", ALONE, ids=_name)
def test_a_planted_import_breaks_its_contract(copy: Path, plant: Plant) -> None:
    add_import(copy, plant)

    code, output = lint_imports(copy)

    assert code == 1, output
    assert f"{plant.contract} BROKEN" in output
    package = plant.module.rpartition(".")[0] or plant.module
    assert package in output.partition("Broken contracts")[2]


def add_import(checkout: Path, plant: Plant) -> None:
    for name in (plant.module, plant.target):
        if name.startswith("holdfast."):
            add_module(checkout / "src", name)
    path = module_path(checkout / "src", plant.module)
    path.write_text(
        path.read_text(encoding="utf-8") + f"\nimport {plant.target}\n", encoding="utf-8"
    )


def add_module(src: Path, name: str) -> None:
    """Make an empty module and the packages above it, where they are missing."""
    path = src.joinpath(*name.split(".")).with_suffix(".py")
    for package in reversed(path.relative_to(src).parents[:-1]):
        (src / package).mkdir(exist_ok=True)
        (src / package / "__init__.py").touch()
    path.touch()


def module_path(src: Path, name: str) -> Path:
    """The file of a module or of a package."""
    folder = src.joinpath(*name.split("."))
    return folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")


def lint_imports(checkout: Path) -> tuple[int, str]:
    """Exit code and words of import-linter for the package in `checkout`, not for the installed one."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "COLUMNS": "200"}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--no-cache",
        ],
        cwd=checkout,
        env=environment,
        check=False,
        capture_output=True,
        encoding="utf-8",
    )
    return done.returncode, done.stdout + done.stderr
