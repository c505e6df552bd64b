# SPDX-License-Identifier: Apache-2.0

# The C library: every twin and the table arithmetic, in build/csim/libloom.a.

CSIM_DIRS := $(addprefix csim/,parts sched switch elite5 axi elan5 fabric topo routing qos vef traffic)
CSIM_SRC := $(wildcard $(addsuffix /*.c,$(CSIM_DIRS)))
CSIM_OBJ := $(CSIM_SRC:%.c=$(BUILD)/%.o)
LIBLOOM := $(BUILD)/csim/libloom.a

$(LIBLOOM): $(CSIM_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

$(CSIM_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

# The same with the sanitizers, for tests.
CSIM_SAN_OBJ := $(CSIM_SRC:%.c=$(BUILD)/san/%.o)
LIBLOOM_SAN := $(BUILD)/san/csim/libloom.a

$(LIBLOOM_SAN): $(CSIM_SAN_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

$(CSIM_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC san,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) -c -o $@ $<

# The revision of the source, for whoever asks what a result came from. The file is touched only if
# the revision is another one. A release unpacked in somebody else's repository has none.
REVISION := $(BUILD)/revision
.PHONY: revision-now
$(REVISION): revision-now
	@mkdir -p $(@D)
	@now=$$([ ! -e .git ] || git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null) || :; \
	  now=$${now:-unknown}; [ "$$(cat $@ 2>/dev/null)" = "$$now" ] || \
	  { echo "$$now" > $@.$$$$ && mv $@.$$$$ $@; }

VERSION_OBJ := $(addsuffix csim/library/version.o,$(BUILD)/ $(BUILD)/san/ $(BUILD)/pic/)
$(VERSION_OBJ): $(REVISION)
$(VERSION_OBJ): CPPFLAGS += -DLOOM_REVISION='"$(shell cat $(REVISION))"'

-include $(CSIM_OBJ:.o=.d) $(CSIM_SAN_OBJ:.o=.d)
