# SPDX-License-Identifier: Apache-2.0

# Loom. `make` alone prints what can be made.
#
# The rooms bring their own make files, included below. Each may append to
#   TESTS   targets that check something and say so: lines `PASS name` or `FAIL name`, or cmocka's
#   LINTS   targets that check form, in the same way
# and a target may print as much besides as it likes. `make test` runs both lists through
# tools/run_tests. Packages may be missing when make reads these files, so nothing may call a tool
# while they are read: the targets that people type install first and then call make again.

include tools/mk/common.mk

.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

TESTS :=
LINTS :=

include $(wildcard csim/csim.mk csim/cli/cli.mk csim/library/library.mk csim/record/record.mk csim/ranks/ranks.mk tb/cosim/cosim.mk tb/replay/replay.mk \
  tb/systemc/systemc.mk tb/unit/unit.mk tb/shadow/shadow.mk tb/soak/soak.mk tb/fuzz/fuzz.mk tb/formal/formal.mk tb/prove/prove.mk tb/mutate/mutate.mk \
  tb/peer/peer.mk tb/record/record.mk tb/ranks/ranks.mk tb/caches/caches.mk tb/failures/failures.mk tb/schema/schema.mk tb/trace/trace.mk tb/bench/bench.mk tb/cocotb/cocotb.mk \
  synth/synth.mk)
include tools/mk/lint.mk tools/mk/house.mk tools/mk/reproduce.mk

TB ?= cosim

.PHONY: help
help:
	@echo 'Loom: switches as circuit and C twin, equal on every clock cycle.'
	@echo
	@echo '  make sim        circuit and twin of every device in lock-step on the vectors'
	@echo '                  DUT=name CONFIG=name CASE=name SEED=n CYCLES=n WAVES=1'
	@echo '                  PLANT=cycle:output:bit TB=cosim|systemc|replay PLAY=file.out'
	@echo '  make test       everything that must hold; ends with "N passed, N failed"'
	@echo '                  SKIP=targets leaves some out, and what only they need (docs/install.md)'
	@echo '  make unit       C unit tests; T=file, T=test or T=pattern for some; SAN=1 under sanitizers'
	@echo '  make sim-long   lock-step runs that take too long for make test'
	@echo '  make soak-elite5  100 million packets through a tree of Elite5 routers whose links fail'
	@echo '  make loom       the command build/loom'
	@echo '  make record     loom, and the recorder of MPI programs (docs/record.md), which needs Open MPI'
	@echo '  make ranks      loom, and what runs a fabric in several processes (docs/ranks.md), which needs Open MPI'
	@echo '  make library    build/lib/libloom.a and libloom.so, for programs (docs/library.md)'
	@echo '  make install    command, library, headers, pages  DESTDIR=folder PREFIX=/usr/local'
	@echo '  make deb        Debian packages of them and of the circuits, in build/deb'
	@echo '  make failures   loom while disks are full, memory ends, calls fail and signals come  SEED=n'
	@echo '  make test-fabrics  short runs of the published fabrics: nothing lost, the same bits twice'
	@echo '  make shadow     a fabric file with the circuits of some switches beside their twins'
	@echo '                  FABRIC=file CYCLES=n PLANT=switch:cycle:output:bit'
	@echo '  make reproduce  the figures of the papers; hours  SWEEPS=names JOBS=n'
	@echo '  make lint       Verilog and C without a warning, in every tool'
	@echo '  make formal     proofs of the parts'
	@echo '  make prove      proofs that twin and circuit are equal for all inputs and all time; prove-long for more'
	@echo '  make mutate     faults planted in circuits: which of them the benches find  D=names SEED=n'
	@echo '  make mutate-c   the same in the C of twins, engine, routing, traffic and readers  SEED=n'
	@echo '  make synth      area and depth of parts, schedulers and switches  D=names'
	@echo '  make pnr        their clock, placed and routed on a Lattice ECP5, tools from PyPI  D=names'
	@echo '  make fusesoc    lint, sim and synth of the cores for FuseSoC, which comes from PyPI  D=names'
	@echo '  make cocotb     packets through a switch with AXI ends, by cocotbext-axi from PyPI'
	@echo '                  SIM=verilator|icarus PACKETS=n SEED=n'
	@echo '  make bench      speed of the twins against their own circuits, and of fabrics as they grow'
	@echo '  make house      folders, names, pages and dependencies are as docs/house.md says'
	@echo '  make waves      the timing diagrams of the pages, drawn anew from recordings (WaveDrom from PyPI)'
	@echo '  make format     clang-format over all C'
	@echo '  make bootstrap  install every Debian package that any target needs'
	@echo '  make clean      remove build/'
	@echo
	@echo 'JOBS=n: commands at a time, by default LOOM_JOBS or one a core. V=1: the commands, and what tests print.'
	@echo 'sim, test and the others install the packages they need first (apt; sudo when not root).'

.PHONY: sim
sim:
	@case '$(TB)' in cosim|systemc|replay) ;; \
	  *) echo 'make sim: TB=$(TB): must be cosim, systemc or replay' >&2; exit 2;; esac
	@tools/bootstrap $(TB:cosim=sim)
	@+$(MAKE) --no-print-directory sim-$(TB)

.PHONY: test
test:
	@$(if $(filter-out $(LINTS) $(TESTS),$(SKIP)),echo >&2 \
	  'make test: SKIP: no such target: $(filter-out $(LINTS) $(TESTS),$(SKIP))'; exit 2)
	@LOOM_SKIP='$(SKIP)' tools/bootstrap test
	@tools/run_tests $(MAKEOVERRIDES) $(filter-out $(SKIP),$(LINTS) $(TESTS))

.PHONY: lint
lint:
	@tools/bootstrap test
	@+$(MAKE) --no-print-directory -k $(LINTS)

.PHONY: loom
loom:
	@tools/bootstrap loom
	@+$(MAKE) --no-print-directory $(PARALLEL) $(BUILD)/loom

.PHONY: formal synth pnr bench
formal:
	@tools/bootstrap test
	@+$(MAKE) --no-print-directory formal-all
synth:
	@tools/bootstrap synth
	@+$(MAKE) --no-print-directory synth-run
pnr:
	@tools/bootstrap synth
	@+$(MAKE) --no-print-directory pnr-run
bench:
	@tools/bootstrap sim
	@+$(MAKE) --no-print-directory bench-run

.PHONY: format
format:
	@tools/bootstrap test
	@tools/format

.PHONY: bootstrap
bootstrap:
	@tools/bootstrap all

.PHONY: clean
clean:
	rm -rf $(BUILD)

# Last: it needs the whole of TESTS and LINTS.
include tools/mk/run_tests.mk
