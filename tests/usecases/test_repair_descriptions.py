"""What is said of a repair."""

from __future__ import annotations

from holdfast.repair.outcomes import Repaired
from holdfast.usecases.repair.descriptions import describe_repair
from holdfast.usecases.repair.file_repair import FileRepair


def test_a_learned_rule_is_named_only_if_there_is_one() -> None:
    said = [
        describe_repair(FileRepair("a.py", "python", Repaired("", 1, rule)))
        for rule in (None, "rule-7")
    ]
    assert said == ["after 1 model request", "after 1 model request; learned rule rule-7"]
