# SPDX-License-Identifier: Apache-2.0
"""A run in which circuit and twin differ, as ABC found it: read, replayed, and written for the lock-step bench."""

import re
import subprocess
from pathlib import Path

import devices

BENCH = """module bench;
  reg clk = 1'b0, rst = 1'b1;
  reg [{free}:0] free = {{{free_bits}{{1'b0}}}};
{declared}
  miter miter (.clk(clk), .rst(rst), .free(free){connected});
  task look(input integer cycle);
    begin
      #1;
{looks}
      #1 clk = 1'b1;
      #1 clk = 1'b0;
    end
  endtask
  initial begin
    $dumpfile("{out}/counterexample.vcd");
    $dumpvars(0, bench);
{cleared}
    #1 clk = 1'b1;
    #1 clk = 1'b0;
    rst = 1'b0;
{cycles}
    $finish;
  end
endmodule
"""
BROKEN = ("undefined behaviour", "an access outside its object", "a loop that runs on", "a bit above the port",
          "a field that is larger than the job says")


class Counterexample:
    """The inputs of each cycle, {port: value}, from what ABC and Yosys wrote into `out`."""

    def __init__(self, out, ports):
        self.out, self.ports = Path(out), ports
        places = {}  # number of an input of the AIG -> (name, bit)
        for line in (self.out / "miter.map").read_text().splitlines():
            words = line.split()
            if words[0] == "input":
                places[int(words[1])] = (words[3].lstrip("\\"), int(words[2]))
        text = (self.out / "cex").read_text()
        length = int(re.search(r"LENGTH: (\d+)", text)[1])
        self.cycles = [dict.fromkeys((n for d, n, _, _ in ports if d == "in"), 0) for _ in range(length)]
        self.free = [0] * length
        for number, cycle, value in re.findall(r"^pi(\d+)@(\d+)=(\d)$", text, re.M):
            name, bit = places.get(int(number), (None, 0))
            if name in self.cycles[int(cycle)]:
                self.cycles[int(cycle)][name] |= int(value) << bit
            elif name == "free":
                self.free[int(cycle)] |= int(value) << bit

    def replay(self, rtl, free_bits):
        """Circuit and translated twin under Icarus, with waves; the first difference in words, or ''."""
        ins = [(n, l * b) for d, n, l, b in self.ports if d == "in"]
        outs = [n for d, n, _, _ in self.ports if d == "out"]
        looks = [f'      if (miter.care && miter.circuit_{n} !== miter.twin_{n}) $display("in cycle %0d, output {n}_o: circuit 0x%h, twin '
                 f'0x%h", cycle, miter.circuit_{n}, miter.twin_{n});' for n in outs]
        looks += [f'      if (miter.broken[{k}]) $display("in cycle %0d, in the twin: {what}", cycle);'
                  for k, what in enumerate(BROKEN)]
        cycles = []
        for number, values in enumerate(self.cycles):
            assigned = "".join(f"{n} = {w}'h{values[n]:x}; " for n, w in ins)
            cycles.append(f"    {assigned}free = {free_bits}'h{self.free[number]:x}; look({number});")
        (self.out / "bench.v").write_text(BENCH.format(
            free=free_bits - 1, free_bits=free_bits, out=self.out, looks="\n".join(looks), cycles="\n".join(cycles),
            declared="\n".join(f"  reg [{w - 1}:0] {n};" for n, w in ins),
            cleared="".join(f"    {n} = {w}'h0;\n" for n, w in ins),
            connected="".join(f", .{n}({n})" for n, _ in ins)))
        folders = [w for d in ("parts", "sched", "switch", "elite5", "axi") for w in ("-y", f"{rtl}/{d}")] + ["-y", "tb/prove"]
        subprocess.run(["iverilog", "-g2005", f"-I{rtl}/include", *folders, "-o", f"{self.out}/bench",
                        f"{self.out}/bench.v", f"{self.out}/miter.v", f"{self.out}/twin.v"],
                       check=True, capture_output=True)
        said = subprocess.run([f"{self.out}/bench"], check=True, capture_output=True, text=True).stdout
        return next((line for line in said.splitlines() if line.startswith("in cycle")), "")

    def write(self, device, values):
        """counterexample.out for the lock-step bench, which compares circuit and twin at these inputs. Returns
        the command that plays it; '' if no configuration of tb/devices.list has these parameters."""
        config = next((c for c in devices.read_configs() if c.dut == device and c.circuit and c.values() == values), None)
        if not config:
            return ""
        width = {"in": 0, "out": 0}
        for direction, _, lanes, bits in self.ports:
            width[direction] += lanes * bits
        lines = [f"// loom-out 1 {device} {config.name} seed 1 cycles {len(self.cycles)}"]
        lines += [f"// {' '.join(map(str, p))}" for p in self.ports]
        for values_ in self.cycles:
            word, at = 0, 0
            for direction, name, lanes, bits in self.ports:
                if direction == "in":
                    word |= values_[name] << at
                    at += lanes * bits
            lines.append("x" * ((width["out"] + 3) // 4) + f"_{word:0{(width['in'] + 3) // 4}x}")
        path = self.out / "counterexample.out"
        path.write_text("\n".join([*lines, "// end"]) + "\n")
        return f"make sim PLAY={path} WAVES=1"
