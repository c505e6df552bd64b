# SPDX-License-Identifier: Apache-2.0
"""A switch with AXI ends, driven by the masters of cocotbext-axi: tables, then packets, then counters.

Runs inside a simulator on axi_bench.v; tb/cocotb/axi starts it and says by the environment: LOOM_PACKETS (how many
frames go), LOOM_SEED, LOOM_PLANT (what is wrong on purpose, so that a check below must fail:
bit, order or table).
"""

import collections
import os
import random
import re
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

ROOT = Path(__file__).resolve().parents[2]
PORTS, VLS, LIDS, MTU_UNITS, UNITS, RESERVED, ENTRIES = 8, 9, 64, 8, 128, 8, 64
SLS, MANAGEMENT_SL, MANAGEMENT_VL, FRAME_WORDS = 32, 31, 15, 8 * MTU_UNITS - 1
PACKETS, SEED = int(os.environ["LOOM_PACKETS"]), int(os.environ["LOOM_SEED"])
PLANT = os.environ["LOOM_PLANT"]


def addresses():
    """{name: value} of the registers that rtl/include/loom_regs.vh defines."""
    found = re.findall(r"(?m)^`define LOOM_(\w+) \d+'h(\w+)$", (ROOT / "rtl/include/loom_regs.vh").read_text())
    return {name: int(value, 16) for name, value in found}


REG = addresses()
DEVICE = int(re.search(r"LOOM_DEVICE_ID_CROSSBAR_SWITCH (\d+)", (ROOT / "rtl/include/loom_regs.vh").read_text())[1])
WINDOW, ALL = 0x1000, 63


class Registers:
    """The register bus of the switch behind AXI4-Lite: a register is a word."""

    def __init__(self, dut):
        self.master = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axil"), dut.clk, dut.rst)
        for half in (self.master.write_if, self.master.read_if):
            half.log.setLevel("WARNING")

    async def write(self, address, data):
        done = await self.master.write(4 * address, data.to_bytes(4, "little"))
        assert done.resp == AxiResp.OKAY, f"a write of register {address:#x} is answered {done.resp}"

    async def read(self, address):
        return int.from_bytes((await self.master.read(4 * address, 4)).data, "little")

    async def write_and_read(self, words):
        """Writes {address: word} and looks whether all of it is there."""
        for address, word in words.items():
            await self.write(address, word)
        await self.look(words)

    async def look(self, words):
        for address, word in words.items():
            there = await self.read(address)
            assert there == word, f"register {address:#x} has {there:#x}, {word:#x} was written"


def window(port):
    return REG["SWITCH_REG_PORTS"] + WINDOW * port


def port_of(lid):
    return lid * 3 % PORTS


def map_of(port, out, sl):
    """The VL of packets of a service level from one port to another: a row of each port is its own."""
    return (sl + out + (3 if sl == port else 0)) % (VLS - 1)


def high_entry(port, i):
    """An entry of a port's table of high priority: VL and weight. The first ones are the port's own."""
    return (port + i) % 4 << 8 | 8 if i < 4 else i % 4 << 8 | (4 if i < 8 else 0)


def low_entry(i):
    return i % (VLS - 1) << 8 | 16 + i


async def program(registers, rng):
    """Every table and limit of every port: what all have by way of window 63, then what is a port's own."""
    ident = await registers.read(REG["SWITCH_REG_ID"])
    assert ident == 76 << 24 | DEVICE << 16 | PORTS << 8 | VLS, f"ID is {ident:#x}"
    some = await registers.master.write(4 * REG["SWITCH_REG_LFT_COUNT"], b"\x11\x22")
    assert some.resp == AxiResp.SLVERR, "a write of half a register is answered OKAY"

    await registers.write_and_read({REG["SWITCH_REG_LFT_COUNT"]: LIDS, REG["SWITCH_REG_CONTROL"]: 1})
    await registers.write_and_read({REG["SWITCH_REG_LFT"] + lid: port_of(lid) for lid in range(LIDS)})
    await registers.write_and_read({REG["SWITCH_REG_MTU"] + lane: MTU_UNITS for lane in range(VLS)})

    entry, table = REG["SWITCH_WIN_MAP"], REG["SWITCH_WIN_TABLE"]
    high, low = table + REG["IBARB_REG_HIGH"], table + REG["IBARB_REG_LOW"]
    common = {entry + SLS * out + sl: map_of(ALL, out, sl) for out in range(PORTS) for sl in range(SLS)}
    common.update({high + i: high_entry(ALL, i) for i in range(ENTRIES)})
    common.update({low + i: low_entry(i) for i in range(ENTRIES)})
    common.update({table + REG["IBARB_REG_LIMIT"]: 4, table + REG["IBARB_REG_MODE"]: 1, REG["SWITCH_WIN_HOLD"]: 1})
    for address, word in common.items():
        await registers.write(window(ALL) + address, word)
    for limits in ("OUT", "FAR"):
        tracker = window(ALL) + REG[f"SWITCH_WIN_TRACKER_{limits}"]
        for lane in range(VLS):
            await registers.write(tracker + REG["TRACKER_REG_CAP"] + lane, UNITS - lane)
            await registers.write(tracker + REG["TRACKER_REG_RESERVED"] + lane, RESERVED + lane // 4)
        await registers.write(tracker + REG["TRACKER_REG_TOTAL"], UNITS - 1)
    for port in range(PORTS):
        own = {entry + SLS * out + port: map_of(port, out, port) for out in range(PORTS)}
        own.update({high + i: high_entry(port, i) for i in range(4)})
        own[REG["SWITCH_WIN_HOLD"]] = 0
        await registers.write_and_read({window(port) + address: word for address, word in own.items()})
        rest = sorted(common.keys() - own.keys())
        await registers.look({window(port) + address: common[address] for address in rng.sample(rest, 40)})
    if PLANT == "table":
        await registers.write(REG["SWITCH_REG_LFT"] + 5, (port_of(5) + 1) % PORTS)



class Traffic:
    """Frames from all ports to all ports, and what is still to come of them."""

    def __init__(self):
        self.rng = random.Random(SEED)
        self.expected = collections.defaultdict(collections.deque)   # (source, port, SL): (LID, id, bytes)
        self.pieces = {}                                             # of a frame that is longer than a packet
        self.frames = self.packets = self.words = 0

    def pauses(self, share):
        """Whether an end pauses in a cycle: phases of some length, some of them long."""
        rng = random.Random(self.rng.random())
        while True:
            paused, length = rng.random() < share, rng.choice((1, 1, 2, 5, 20))
            for _ in range(length):
                yield paused

    def frame(self, port):
        sl, lid = self.rng.choice((self.rng.randrange(SLS), self.rng.randrange(4))), self.rng.randrange(LIDS)
        words = self.rng.choice((1, 2, self.rng.randint(1, 16), self.rng.randint(1, FRAME_WORDS)))
        if self.rng.random() < 0.02:
            words = self.rng.randint(FRAME_WORDS, 3 * FRAME_WORDS)
        vl = MANAGEMENT_VL if sl == MANAGEMENT_SL else sl % (VLS - 1)
        return AxiStreamFrame(self.rng.randbytes(8 * words), tdest=lid, tid=self.rng.randrange(1 << 13),
                              tuser=sl << 5 | vl)

    async def send(self, port, source, count):
        held = None
        for _ in range(count):
            frame = self.frame(port)
            flow = (port, port_of(frame.tdest), frame.tuser >> 5)
            self.expected[flow].append((frame.tdest, frame.tid, bytes(frame.tdata)))
            if PLANT == "order" and port == 2 and not held:          # this one goes behind another of its flow
                held = (flow, frame)
                continue
            await source.send(frame)
            if held and held[0] == flow:
                await source.send(held[1])
                held = (None, None)

    def take(self, port, frame):
        """A packet came out of a port."""
        after, more, lid = frame.tuser >> 27, frame.tuser >> 26 & 1, frame.tdest
        source, sl, vl = frame.tuser >> 10 & 0xFFFF, frame.tuser >> 5 & 31, frame.tuser & 31
        flow = (source, port, sl)
        assert port == port_of(lid), f"a packet to LID {lid} came out at port {port}"
        wanted = MANAGEMENT_VL if sl == MANAGEMENT_SL else map_of(source, port, sl)
        assert vl == wanted, f"a packet {flow} came on VL {vl}, not {wanted}"
        data = bytes(frame.tdata)
        assert 8 <= len(data) <= 8 * FRAME_WORDS, f"a packet {flow} of {len(data)} bytes"
        before = self.pieces.pop(flow, None)
        assert (before is not None) == after, f"a packet {flow} says after = {after}"
        data = (before or b"") + data
        self.packets += 1
        self.words += len(frame.tdata) // 8
        if more:
            self.pieces[flow] = data
            return
        assert self.expected[flow], f"a packet {flow} that nobody sent"
        there, ident, sent = self.expected[flow].popleft()
        assert (lid, frame.tid) == (there, ident), \
            f"a packet {flow} out of order: LID {lid}, id {frame.tid} before {there}, {ident}"
        assert data == sent, f"a packet {flow} with id {ident} has other words than were sent"
        self.frames += 1

    async def receive(self, port, sink):
        while True:
            self.take(port, await sink.recv())


async def sums(registers, first, count):
    """The sum of a row of counters over all ports."""
    total = 0
    for port in range(PORTS):
        for i in range(count):
            total += await registers.read(window(port) + REG[first] + i)
    return total


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def packets_cross_a_switch_with_axi_ends(dut):
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    traffic = Traffic()
    dut.rst.value = 1
    dut.plant.value = PLANT == "bit"
    for port in range(PORTS):
        end = dut.g_port[port]
        end.s_axis_tvalid.value = 0
        end.m_axis_tready.value = 0
    await ClockCycles(dut.clk, 4)
    dut.rst.value = 0
    registers = Registers(dut)
    await program(registers, traffic.rng)
    dut._log.info("programmed")

    senders, receivers = [], []
    for port in range(PORTS):
        source = AxiStreamSource(AxiStreamBus.from_prefix(dut.g_port[port], "s_axis"), dut.clk, dut.rst, byte_lanes=8)
        sink = AxiStreamSink(AxiStreamBus.from_prefix(dut.g_port[port], "m_axis"), dut.clk, dut.rst, byte_lanes=8)
        source.log.setLevel("WARNING")
        sink.log.setLevel("WARNING")
        source.queue_occupancy_limit_frames = 4
        source.set_pause_generator(traffic.pauses(0.1))
        sink.set_pause_generator(traffic.pauses(0.2))
        count = PACKETS // PORTS + (port < PACKETS % PORTS)
        senders.append(cocotb.start_soon(traffic.send(port, source, count)))
        receivers.append(cocotb.start_soon(traffic.receive(port, sink)))
    for sender in senders:
        await sender
    quiet, seen = 0, -1
    while traffic.frames < PACKETS and quiet < 20:
        await ClockCycles(dut.clk, 200)
        quiet, seen = (quiet + 1, seen) if seen == traffic.packets else (0, traffic.packets)
    assert traffic.frames == PACKETS, f"{PACKETS - traffic.frames} frames never came"
    assert not traffic.pieces and not any(traffic.expected.values())

    flits = traffic.words + traffic.packets
    for names in (("IN_PACKETS", traffic.packets), ("OUT_PACKETS", traffic.packets), ("IN_FLITS", flits),
                  ("OUT_FLITS", flits)):
        counted = await sums(registers, f"SWITCH_WIN_{names[0]}", VLS)
        assert counted == names[1], f"{names[0]} of all ports are {counted}, not {names[1]}"
    errors = await sums(registers, "SWITCH_WIN_LINK_ERRORS", 10)
    assert errors == 0, f"the switch counted {errors} errors"
    assert dut.faults.value == 0 and dut.trap.value == 0, "an end saw a fault, or the switch has a trap"
    dut._log.info(f"{traffic.frames} frames, {traffic.packets} packets, {traffic.words} words")
