# SPDX-License-Identifier: Apache-2.0
"""How many commands a tool may run at a time."""

import os
import sys


def jobs():
    """JOBS of the environment, else LOOM_JOBS, else one a core."""
    name = "JOBS" if os.environ.get("JOBS") else "LOOM_JOBS"
    said = os.environ.get(name) or str(len(os.sched_getaffinity(0)))
    if not said.isdecimal() or int(said) < 1:
        print(f"{name}={said}: must be a number from 1", file=sys.stderr)
        sys.exit(2)
    return int(said)


def jobs_beside():
    """Half of them among the tests of tools/run_tests, which run several at a time."""
    return max(1, jobs() // 2) if "LOOM_RUN_TESTS" in os.environ else jobs()
