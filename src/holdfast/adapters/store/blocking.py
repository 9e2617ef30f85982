"""The store for code that is not async: the commands."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from holdfast.adapters.store.store import Store, open_store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.ext.asyncio import AsyncConnection

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class BlockingStore:
    """An open store, one transaction a call; made by `blocking_store`. For one thread, outside of any loop."""

    def __init__(self, store: Store, runner: asyncio.Runner) -> None:
        """Join a store and the loop it was opened in."""
        self._store = store
        self._runner = runner
        self.address = store.address

    def run(
        self,
        function: Callable[Concatenate[AsyncConnection, Given], Awaitable[Answer]],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call the function in one transaction: recorded as a whole, or not at all if it raises."""

        async def in_one_transaction() -> Answer:
            async with self._store.write() as connection:
                return await function(connection, *args, **options)

        return self._runner.run(in_one_transaction())

    def read(
        self,
        function: Callable[Concatenate[AsyncConnection, Given], Awaitable[Answer]],
        *args: Given.args,
        **options: Given.kwargs,
    ) -> Answer:
        """Call the function in one transaction that waits for no writer and cannot write."""

        async def at_one_moment() -> Answer:
            async with self._store.read() as connection:
                return await function(connection, *args, **options)

        return self._runner.run(at_one_moment())


@contextmanager
def blocking_store(url: str) -> Iterator[BlockingStore]:
    """Open the store that a URL or a path names; raises a `StoreError` if it cannot be."""
    with asyncio.Runner() as runner:
        opened = open_store(url, alone=True)
        store = runner.run(opened.__aenter__())
        try:
            yield BlockingStore(store, runner)
        finally:
            runner.run(opened.__aexit__(None, None, None))
