# SPDX-License-Identifier: Apache-2.0

# The recorder of MPI programs (docs/record.md), which Open MPI's programs load. Nothing else of csim needs MPI.

RECORD_SRC := $(wildcard csim/record/*.c)
RECORD_OBJ := $(RECORD_SRC:%.c=$(BUILD)/%.o)
RECORDER := $(BUILD)/record/libloom_record.so

$(RECORD_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden $(DEPFLAGS) $(call pkg_cflags,ompi-c) -c -o $@ $<

$(RECORDER): $(RECORD_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) -shared -Wl,-z,defs -o $@ $^ $(call pkg_libs,ompi-c) -ldl

-include $(RECORD_OBJ:.o=.d)

.PHONY: record
record:
	@tools/bootstrap record
	@+$(MAKE) --no-print-directory $(PARALLEL) $(BUILD)/loom $(RECORDER)
