"""The command `dense`, and `python -m dense_cli`."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    arguments = sys.argv[1:]
    if arguments in (["--version"], ["-V"]):
        from dense_cli import __version__

        print(f"dense {__version__}")
        return
    from dense_cli.cli.main import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
