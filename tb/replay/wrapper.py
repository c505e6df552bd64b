#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Write the top module that joins loom_player and one circuit, from csim/D/N.def and tb/devices.list.

    tb/replay/wrapper.py DUT CONFIG [FILE]

The module is `loom_replay`. With LOOM_NETLIST defined it instantiates the circuit without parameters:
for a netlist, in which they are fixed. Exit status: 0 done, 2 bad input.
"""

import sys
from pathlib import Path

from recorded import ROOT, devices


def place(ports, side):
    """[(name, lanes, bits, at)] of a side: where each port lies on its bus, and the bus' width."""
    at, found = 0, []
    for direction, name, lanes, bits in ports:
        if direction == side:
            found.append((name, lanes, bits, at))
            at += lanes * bits
    return found, at


def report(outs):
    """An if-chain that names the first output, in the order of the list, that differs."""
    text = []
    for name, lanes, bits, at in outs:
        for lane in range(lanes):
            low = at + lane * bits
            where = f"{name}_o" + (f" lane {lane}" if lanes > 1 else "")
            text.append(f"if (bad[{low} +: {bits}] != 0)\n"
                        f"      $display(\"first difference in cycle %0d, output {where}: "
                        f"circuit 0x%0h, recorded 0x%0h\",\n"
                        f"               cycle, got[{low} +: {bits}], want[{low} +: {bits}]);\n")
    return "    " + "    else ".join(text)


def wrapper(config):
    ports = config.widths()
    ins, in_bits = place(ports, "in")
    outs, out_bits = place(ports, "out")
    pins = [f".{n}_i(in[{at} +: {lanes * bits}])" for n, lanes, bits, at in ins]
    pins += [f".{n}_o(out[{at} +: {lanes * bits}])" for n, lanes, bits, at in outs]
    params = ", ".join(f".{n}({v})" for n, v in config.values().items())
    cases = "".join(f'      "{n}": begin plant_at = {at}; plant_bits = {lanes * bits}; end\n'
                    for n, lanes, bits, at in outs)
    return f"""\
// made by tb/replay/wrapper.py: {config.dut} {config.name}
`default_nettype none

module loom_replay;
  parameter MAX_CYCLES = 65536;
  parameter PERIOD = 10;

  wire clk, rst, differs;
  wire [{in_bits - 1}:0] in;
  wire [{out_bits - 1}:0] out, got, want, bad;
  wire [31:0] cycle;
  wire [8*32-1:0] plant_name;
  reg [31:0] plant_at, plant_bits;

  loom_player #(.DUT("{config.dut}"), .CONFIG("{config.name}"), .IN_BITS({in_bits}),
    .OUT_BITS({out_bits}), .MAX_CYCLES(MAX_CYCLES), .PERIOD(PERIOD)) player (
    .clk_o(clk), .rst_o(rst), .in_o(in), .out_i(out), .differs_o(differs), .cycle_o(cycle),
    .got_o(got), .want_o(want), .bad_o(bad),
    .plant_name_o(plant_name), .plant_at_i(plant_at), .plant_bits_i(plant_bits));

`ifdef LOOM_NETLIST
  loom_{config.dut} dut (
`else
  loom_{config.dut} {f"#({params}) " if params else ""}dut (
`endif
    .clk_i(clk), .rst_i(rst),
    {(","+chr(10)+"    ").join(pins)});

  always @(plant_name)
    case (plant_name)
{cases}      default: begin plant_at = 0; plant_bits = 0; end
    endcase

  always @(posedge differs)
{report(outs)}endmodule

`default_nettype wire
"""


def main(argv):
    if len(argv) not in (3, 4):
        raise devices.Bad("usage: wrapper.py DUT CONFIG [FILE]")
    text = wrapper(devices.find(devices.read_configs(ROOT / devices.LIST), argv[1], argv[2]))
    if len(argv) == 4:
        Path(argv[3]).write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    try:
        main(sys.argv)
    except (devices.Bad, OSError) as bad:
        print(bad, file=sys.stderr)
        sys.exit(2)
