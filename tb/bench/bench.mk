# Speed of the twins against their own Verilated circuits, in one run.

BENCH := $(BUILD)/tb/bench/bench
BENCH_CIRCUITS := sched_port-paper_dtable_sl sched_port-paper_rr_sl sched_port-paper_sbt_sl \
  sched_port-paper_ibarb_vl sched_rr-paper_sl sched_sbt-paper_sl sched_dtable-paper_sl \
  sched_ibarb-paper_vl

$(BENCH): tb/bench/bench.c $(BUILD)/csim/libloom.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -o $@ $(filter %.c %.a,$^) -ldl
-include $(BENCH).d

.PHONY: bench-run
bench-run: $(BENCH) $(BENCH_CIRCUITS:%=$(BUILD)/rtl/%/shim.so)
	@$(BENCH) $(BUILD)/rtl
