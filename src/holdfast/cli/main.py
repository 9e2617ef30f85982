"""The entry of the command `holdfast`."""

from __future__ import annotations

import signal


def main() -> None:
    """Load the commands and run one. Ctrl-C while they are loaded ends the process silently."""
    # Python's own handler would print where it was in the imports.
    has_pythons_handler = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if has_pythons_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    from holdfast.cli.app import run_command_line  # noqa: PLC0415 - not before the handler is set

    if has_pythons_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)

    run_command_line()


if __name__ == "__main__":
    main()
