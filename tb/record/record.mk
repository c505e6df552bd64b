# SPDX-License-Identifier: Apache-2.0

# MPI programs that are recorded, and the check of their traces (docs/record.md).

RECORDED := $(addprefix $(BUILD)/tb/record/,halo_cg bfs calls refused ring)

TESTS += test-record test-record-self-test
.PHONY: test-record test-record-self-test

test-record: $(BUILD)/loom $(RECORDER) $(RECORDED)
	@BUILD=$(BUILD) tb/record/check $(BUILD)/tb/record
test-record-self-test: $(BUILD)/loom $(RECORDER) $(RECORDED)
	@BUILD=$(BUILD) tb/record/check $(BUILD)/tb/record --self-test

$(filter-out %/ring,$(RECORDED)): $(BUILD)/%: %.c tb/record/counts.h
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(call pkg_cflags,ompi-c) -o $@ $< $(call pkg_libs,ompi-c) -lm

$(BUILD)/tb/record/ring: tb/record/ring.f90
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)mpifort -O2 -o $@ $<
