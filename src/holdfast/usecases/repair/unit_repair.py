"""The repair of one unit in memory, with the reasons why it may not end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdfast.repair.decisions.manifest import BadManifest
from holdfast.repair.pipeline import repair
from holdfast.repair.ports import CheckCrashed, ToolchainMissing
from holdfast.usecases.repair.file_repair import NotRepaired

if TYPE_CHECKING:
    from holdfast.repair.outcomes import RepairOutcome
    from holdfast.repair.ports import PipelinePorts, RepairUnit
    from holdfast.repair.strictness import RepairPolicy


def repair_unit(
    unit: RepairUnit, ports: PipelinePorts, policy: RepairPolicy
) -> RepairOutcome | NotRepaired:
    """Repair a unit, and return the outcome or what was in the way. Raise OSError."""
    try:
        return repair(unit, ports, policy)
    except _expected_errors() as error:
        return NotRepaired(str(error))


def _expected_errors() -> tuple[type[Exception], ...]:
    """Return what a repair raises if it cannot end; called only when something is raised."""
    # Most repairs need no rule, and rules take long to import.
    from holdfast.rules.rule_yaml import BadRule  # noqa: PLC0415 - see above

    return ToolchainMissing, CheckCrashed, BadManifest, BadRule
