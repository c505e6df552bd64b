# SPDX-License-Identifier: Apache-2.0

# What `loom run --ranks` loads (docs/ranks.md): the messages between ranks, by Open MPI. The command itself needs none.

RANKS_SRC := $(wildcard csim/ranks/*.c)
RANKS_OBJ := $(RANKS_SRC:%.c=$(BUILD)/%.o)
RANKS_LIBRARY := $(BUILD)/ranks/libloom_ranks.so

$(RANKS_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden $(DEPFLAGS) $(call pkg_cflags,ompi-c) -c -o $@ $<

$(RANKS_LIBRARY): $(RANKS_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-z,defs -o $@ $^ $(call pkg_libs,ompi-c)

-include $(RANKS_OBJ:.o=.d)

.PHONY: ranks
ranks:
	@tools/bootstrap record
	@+$(MAKE) --no-print-directory $(PARALLEL) $(BUILD)/loom $(RANKS_LIBRARY)
