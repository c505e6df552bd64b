# SPDX-License-Identifier: Apache-2.0
"""What the benches that play recorded vectors share: the files, and the recording of them."""

import concurrent.futures
import random
import re
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tb"), str(ROOT / "tools")]
import devices  # noqa: E402  the reader of the lists
import parallel  # noqa: E402

COSIM = "build/cosim/cosim"
HEAD = re.compile(r"// loom-out 1 ([a-z0-9_]+) ([a-z0-9_]+) seed (\d+) cycles (\d+)\n")
PORT = re.compile(r"// (in|out) ([a-z0-9_]+) (\d+) (\d+)\n")
DEFAULT_CYCLES = 2000


class Failed(Exception):
    """A check that failed; its text says which."""


class Vectors:
    """A file of recorded vectors: what its head says, checked against the lists."""

    def __init__(self, path, configs):
        self.path = Path(path)
        with open(path, encoding="ascii", errors="replace") as f:
            head = HEAD.fullmatch(f.readline())
            if not head:
                raise devices.Bad(f"{path}:1: need: // loom-out 1 device configuration seed N cycles N")
            self.config = devices.find(configs, head[1], head[2])
            self.cycles = int(head[4])
            self.ports = self.config.widths()
            for number, port in enumerate(self.ports, 2):
                m = PORT.fullmatch(f.readline())
                if not m or (m[1], m[2], int(m[3]), int(m[4])) != port:
                    raise devices.Bad(f"{path}:{number}: need: // {' '.join(map(str, port))}")
        self.name = f"{head[1]}-{head[2]}"
        self.label = self.path.stem

    def draw_plant(self):
        """(cycle, output, bit): drawn, but for these vectors always the same."""
        draw = random.Random(self.label)
        _, output, lanes, bits = draw.choice([p for p in self.ports if p[0] == "out"])
        # In the second half: vectors of memories begin with cycles that are not compared.
        return draw.randrange(self.cycles // 2, self.cycles), output, draw.randrange(lanes * bits)

    def cut(self):
        """The same file without its last word."""
        path = self.path.with_suffix(".cut")
        lines = self.path.read_text().splitlines(keepends=True)
        path.write_text("".join(lines[:-2] + lines[-1:]))
        return path


def found_plant(text, cycle, output):
    """Whether the report of a bench names this cycle and output as the first difference."""
    want = re.escape(f"first difference in cycle {cycle}, output {output}_o")
    return re.search(f"^{want}(:| lane )", text, re.M) is not None


def config_of_twin(job):
    """Whether the twin runs alone there, without a circuit."""
    return job[1].startswith("twin") or job[2].endswith(":twin")


def jobs(dut=None, config=None, case=None, must=True):
    """[(dut, config, case, cycles)] of the lock-step bench that fit; idle ones only by name."""
    done = subprocess.run([COSIM, "--list"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise devices.Bad(f"{COSIM} --list failed")
    found = []
    for line in done.stdout.splitlines():
        *job, cycles = line.split(maxsplit=2)[:2] + line.split(maxsplit=2)[2].rsplit(maxsplit=1)
        if config_of_twin(job):
            continue
        if all(want in (None, have) for want, have in zip((dut, config, case), job)) and \
                (int(cycles) or config):
            found.append((*job, int(cycles)))
    if must and not found:
        raise devices.Bad("no run of the lock-step bench fits --dut, --config and --case")
    return found


def record(job, seed, cycles, folder):
    """Run a job of the lock-step bench and keep what went in and came out."""
    dut, config, case = job[:3]
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^a-z0-9_.-]+", "-", case.lower())
    path = folder / f"{dut}-{config}.{name}-s{seed}-n{cycles}.out"
    path.unlink(missing_ok=True)
    done = subprocess.run(
        [COSIM, f"--dut={dut}", f"--config={config}", f"--case={case}", f"--seed={seed}",
         f"--cycles={cycles}", f"--record={path}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    # A case that is cut short may miss what it expects of the whole; that is not our question.
    if done.returncode == 2 or "first difference" in done.stdout or not path.exists():
        raise Failed(f"recording {dut} {config} {case}: {done.stdout.strip()}")
    return path


def add_choice(parser):
    """The options that choose runs of the lock-step bench."""
    for name in ("dut", "config", "case"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cycles", type=int)


def run_all(todo, play):
    """Play all; print what `play` returns, (text, status), in order. Returns the worst status."""
    def one(path):
        try:
            return play(path())
        except Failed as failed:
            return f"{failed}\nFAIL {path.label}", 1
        except (devices.Bad, OSError) as bad:
            return f"{bad}\nFAIL {path.label}", 2

    worst = 0
    with concurrent.futures.ThreadPoolExecutor(parallel.jobs_beside()) as pool:
        for text, status in pool.map(one, todo):
            print(text, flush=True)
            worst = max(worst, status)
    return worst


class File:
    """A file that is there already."""

    def __init__(self, path, who):
        self.path, self.label = path, f"{who} {path}"

    def __call__(self):
        return self.path


class Run:
    """A run that is recorded when its turn comes."""

    def __init__(self, job, seed, cycles, folder, who):
        self.args = job, seed, cycles, folder
        self.label = f"{who} {' '.join(job[:3])}"

    def __call__(self):
        return record(*self.args)
