# SPDX-License-Identifier: Apache-2.0
"""Tools from PyPI in a virtual environment, each at the version that a list of the house pins."""

import subprocess
import sys
from pathlib import Path


def install(who, pins, venv):
    """Installs what the list `pins` has into `venv`, unless it is there. Returns what is pinned.

    Ends the program with exit status 2 and one line that begins with `who`, if that cannot be done.
    """
    text, kept = Path(pins).read_text(), Path(venv, "pins.txt")
    if not kept.exists() or kept.read_text() != text:
        for words in ([sys.executable, "-m", "venv", "--clear", str(venv)],
                      [str(Path(venv, "bin/pip")), "install", "-q", "--disable-pip-version-check",
                       "--no-deps", "-r", str(pins)]):
            done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                why = (done.stdout.strip().splitlines() or ["no message"])[-1]
                print(f"{who}: the tools of {pins} cannot be installed: {why}", file=sys.stderr)
                sys.exit(2)
        kept.write_text(text)
    return text
