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
    import gc

    # Imports make many objects and no garbage: looking for some is a twentieth of a small call's time.
    gc.set_threshold(20_000)
    from dense_cli.cli.main import run

    sys.exit(run(arguments))


if __name__ == "__main__":
    main()
