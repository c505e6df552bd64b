# SPDX-License-Identifier: Apache-2.0

# Fabrics in several processes give what one gives (docs/ranks.md).

RANKS_PLANT := $(BUILD)/tb/ranks/libplant.so

TESTS += test-ranks test-ranks-self-test
.PHONY: test-ranks test-ranks-self-test

test-ranks: $(BUILD)/loom $(RANKS_LIBRARY)
	@BUILD=$(BUILD) tb/ranks/check -
test-ranks-self-test: $(BUILD)/loom $(RANKS_LIBRARY) $(RANKS_PLANT)
	@BUILD=$(BUILD) tb/ranks/check $(abspath $(RANKS_PLANT)) --self-test

$(RANKS_PLANT): tb/ranks/plant.c csim/fabric/fabric.h
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -shared -fPIC $(call pkg_cflags,ompi-c) -o $@ $< $(call pkg_libs,ompi-c)
