# SPDX-License-Identifier: Apache-2.0

# A system of processors and caches on a fabric, against its trace (docs/caches.md).
CACHES := $(BUILD)/tb/caches/caches
CACHES_OBJ := $(BUILD)/tb/caches/caches.o $(BUILD)/tb/caches/machine.o
TESTS += test-caches
.PHONY: test-caches caches

caches: $(CACHES)
test-caches: $(CACHES)
	@BUILD=$(BUILD) tb/caches/check

$(CACHES): $(CACHES_OBJ) $(LOOM_CLI_LIB) $(LIBLOOM)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(LOOM_CLI_LIBS) -ldl -lm
$(CACHES_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<
-include $(CACHES_OBJ:.o=.d)
