"""Serve the protocol on standard input and output until the input ends."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, BinaryIO

from acp.agent.connection import AgentSideConnection

from holdfast.acp.agent import HoldfastAgent
from holdfast.acp.stdio import StdioTransport, claim_stdio

if TYPE_CHECKING:
    from holdfast.acp.session import Flags

_LONGEST_ANSWER = 10.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def serve(flags: Flags) -> int:
    """Serve until the input ends or a signal comes, and return the exit code."""
    received, sent = claim_stdio()
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="holdfast acp: %(message)s", force=True
    )
    return asyncio.run(_serve(flags, received, sent))


async def _serve(flags: Flags, received: BinaryIO, sent: BinaryIO) -> int:
    transport = StdioTransport(received, sent)
    agent = HoldfastAgent(flags)
    connection = AgentSideConnection(agent, transport, listening=False)  # type: ignore[arg-type]  # the SDK asks for methods of the unstable protocol too
    code = 0

    def stop(number: int) -> None:
        nonlocal code
        code = 128 + number
        transport.end_input()

    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        # Under `nohup` a signal is ignored, and stays so.
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, stop, number)

    try:
        await connection.listen()
        await agent.end()
        # What was asked before the input ended is answered.
        with suppress(TimeoutError):
            async with asyncio.timeout(_LONGEST_ANSWER):
                await transport.wait_for_answers()
    finally:
        await connection.close()

    return code
