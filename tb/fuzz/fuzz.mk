# SPDX-License-Identifier: Apache-2.0

# Every reader of files against truncations and mutations, under the sanitizers. SEED=n for others.

TESTS += fuzz-readers
.PHONY: fuzz-readers

fuzz-readers: $(BUILD)/san/tb/fuzz/fuzz_readers
	@$< $(or $(SEED),1)

$(BUILD)/san/tb/fuzz/fuzz_readers: tb/fuzz/fuzz_readers.c \
  $(addprefix tb/cosim/,outfile.c pkt.c fields.c) $(wildcard tb/cosim/*.h) $(LOOM_CLI_SAN_LIB) \
  $(LIBLOOM_SAN)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) -o $@ $(filter %.c %.a,$^) $(LOOM_CLI_LIBS)
