"""What a proposal makes of a unit."""

from __future__ import annotations

from holdfast.landing.encoding import decode, encode
from holdfast.landing.land import land
from holdfast.repair.context import RepairUnit
from holdfast.repair.verify import Candidate
from holdfast.vocab.outcomes import Refused
from holdfast.vocab.requests import WriteFile

_MARK = "\ufeff"


def make_candidate(unit: RepairUnit, text: str) -> Candidate | Refused:
    """Give the text and the bytes that the unit would have: in its own line endings and its own encoding."""
    decoded = decode(unit.data)
    landed = land(decoded.text, WriteFile(text), unit.path)
    if isinstance(landed, Refused):
        return landed
    whole = landed.text.removeprefix(_MARK) if decoded.marked else landed.text
    try:
        return Candidate(whole, encode(whole, decoded.encoding))
    except UnicodeEncodeError:
        return Refused(
            "conflict", f"{unit.path}: the file is {decoded.encoding} and cannot hold this text."
        )
