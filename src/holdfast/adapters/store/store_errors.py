"""The exceptions that a store raises when it cannot be used.

Each message is one sentence for a person, and never holds a password.
"""

from __future__ import annotations


class StoreError(Exception):
    """The store cannot be used; the message says where, why, and the next step."""


class BadAddress(StoreError):  # noqa: N818 - the word for it
    """The address names no store."""


class StoreNewer(StoreError):  # noqa: N818 - the word for it
    """The store was written by a newer Holdfast."""


class NotAStore(StoreError):  # noqa: N818 - the word for it
    """The file or database holds something else."""


class StoreUnavailable(StoreError):  # noqa: N818 - the word for it
    """The store could not be read or written. What was under way was not recorded.

    Exception: if the PostgreSQL server is lost during the commit, the caller has to check.
    """


class DriverMissing(StoreError):  # noqa: N818 - the word for it
    """The store is in PostgreSQL, and the driver for it is not installed."""

    def __init__(self, address: str) -> None:
        """Name the extra that brings the driver."""
        super().__init__(
            f"{address}: PostgreSQL needs its driver, which is not installed; run pip install "
            "'holdfast[postgres]'."
        )


class Gone(StoreError):  # noqa: N818 - the word for it
    """The row that something was to be added to is no longer there: somebody has removed it."""

    def __init__(self, noun: str, row_id: str) -> None:
        """Name what is gone."""
        super().__init__(
            f"{noun} {row_id}: it is no longer in the store; list what is there, and begin from "
            "that."
        )
