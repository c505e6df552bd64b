# SPDX-License-Identifier: Apache-2.0
"""The flows through which a design can go: each a function that measures it and returns its figures.

xc7      Xilinx 7 series by Yosys: lut (with those of memories, lutram), ff, ram (of 36 kbit), dsp, levels,
         path; of a switch also modules, the LUTs and flops of each module's own cells
asic     gates, in NAND2 of the OSU library for 0.18 um, ff, and ps of the longest path of its logic
generic  lut4 depth4 lut6 depth6 ff, for any FPGA
ice40    lut, ff, ram and, placed and routed on hx8k, mhz
"""

import re
import statistics

from designs import Failed, run
from netlist import Netlist

SEEDS = (1, 2, 3)
LIBERTY = "/usr/share/qflow/tech/osu018/osu018_stdcells.lib"
LATCHES = "t:$dlatch t:$adlatch t:$dlatchsr t:$_DLATCH* t:$sr %u %u %u %u"
# The array of loom_ram stays whole; a few words beside (a field of each VL) become flops.
LOGIC = ("synth -flatten -run begin:fine; check -assert; opt -fast -full; memory_map t:$mem_v2 n:*mem %d; "
         f"opt -full; techmap; opt -fast; select -assert-none {LATCHES}; ")
RAM_AS_FLOPS = re.compile(r"using FF mapping for memory (\S*\bmem)$", re.M)


def yosys(design, flow, script):
    text = run(["yosys", "-Q", "-p", script], design.out / f"{flow}.log")
    bad = RAM_AS_FLOPS.findall(text)
    if bad:
        raise Failed(f"{flow}: memory {', '.join(bad)} becomes flops")
    return text


def cells(file):
    found = {}
    for kind, n in re.findall(r"^\s+(\$?\S+)\s+(\d+)$", file.read_text(), re.M):
        found[kind] = found.get(kind, 0) + int(n)
    return found


def count(found, pattern):
    return sum(n for kind, n in found.items() if re.fullmatch(pattern, kind))


def xc7(design):
    """Parts as one piece; of a switch each module once, put together without optimizing across them."""
    file = design.out / "xc7.json"
    options = ("" if design.modular else "-flatten ") + ("-nowidelut " if design.narrow else "")
    yosys(design, "xc7", design.read() + f"synth_xilinx {options}"
          f"-family xc7 -top measured; check -assert; write_json {file}")
    netlist = Netlist(file, "measured")
    figures, modules = netlist.areas()
    figures["levels"], figures["path"] = netlist.levels()
    if design.modular:
        figures["modules"] = modules
    file.unlink()
    return figures


def asic(design):
    """Without the arrays of RAMs, without wires, clock to output and setup."""
    stat = design.out / "asic.stat"
    script = "+strash;scorr;dc2;dch,-f;map;topo;buffer,-c;topo;upsize;dnsize;stime"
    text = yosys(design, "asic", design.read() + LOGIC + f"dfflibmap -liberty {LIBERTY}; opt_clean; "
                 f"abc -liberty {LIBERTY} -script {script}; opt_clean; tee -o {stat} stat -liberty {LIBERTY}")
    nand = float(re.search(r"cell\s*\(NAND2X1\)\s*\{.*?area\s*:\s*([\d.]+)", open(LIBERTY).read(), re.S)[1])
    area = re.search(r"Chip area for .*: ([\d.]+)", stat.read_text())
    delay = [float(ps) for ps in re.findall(r"Delay =\s*([\d.]+) ps", text)]
    return {"gates": round(float(area[1]) / nand) if area else 0, "ff": count(cells(stat), r"DFF\w+"),
            "ps": round(max(delay, default=0))}


def generic(design):
    script = design.read() + LOGIC + "abc -fast; opt -fast; check -assert; design -save gates; "
    for k in (4, 6):
        script += (f"design -load gates; abc -lut {k}; opt_clean; tee -o {design.out}/stat{k} stat; "
                   f"tee -o {design.out}/ltp{k} ltp -noff w:* t:$lut %u; ")
    yosys(design, "generic", script)
    figures = {}
    for k in (4, 6):
        figures[f"lut{k}"] = count(cells(design.out / f"stat{k}"), r"\$lut")
        depth = re.search(r"\(length=(\d+)\)", (design.out / f"ltp{k}").read_text())
        figures[f"depth{k}"] = int(depth[1]) if depth else 0
    figures["ff"] = count(cells(design.out / "stat4"), r"\$_S?D?A?L?FF\w*_")
    return figures


def ice40(design):
    """The clock is the median of the seeds, through the harness of synth/harness.py."""
    design.harness()
    netlist = design.out / "ice40.json"
    yosys(design, "ice40", design.read() + "synth_ice40 -top measured; check -assert; "
          f"tee -o {design.out}/ice40.stat stat; design -reset; read_verilog -Irtl/include {design.files()} {design.out}/harness.v; "
          f"synth_ice40 -top harness -json {netlist}")
    found = cells(design.out / "ice40.stat")
    mhz = []
    for seed in SEEDS:
        text = run(["nextpnr-ice40", "--hx8k", "--package", "ct256", "--timing-allow-fail", "--seed", str(seed),
                    "--json", str(netlist)], design.out / f"ice40_{seed}.log")
        mhz.append(float(re.findall(r"Max frequency for clock .*: ([\d.]+) MHz", text)[-1]))
    return {"lut": count(found, "SB_LUT4"), "ff": count(found, r"SB_DFF\w*"), "ram": count(found, r"SB_RAM40_4K\w*"),
            "mhz": round(statistics.median(mhz), 1)}
