"""A sample of requests from the OpenAPI document; `make soak` sends thousands."""

from __future__ import annotations

import os
import warnings
from typing import Any

import pytest

from holdfast.testing import say
from tests.server.fuzz import fuzz
from tests.server.harness import RunningServer

CASES = int(os.environ.get("HOLDFAST_TEST_API_CASES", "90"))


@pytest.fixture
def script() -> Any:
    return lambda _: say("Done.")


@pytest.mark.slow
def test_no_answer_is_a_fault_or_outside_of_the_document(server: RunningServer) -> None:
    with warnings.catch_warnings():
        # Of the library's own making.
        warnings.simplefilter("ignore")
        statuses = fuzz(server, CASES, int(os.environ.get("HOLDFAST_TEST_SEED", "1")))
    print(sorted(statuses.items()))
    assert sum(statuses.values()) >= CASES * 0.9
    assert not [status for status in statuses if status >= 500]
    assert sum(count for status, count in statuses.items() if status < 300) > CASES / 10
