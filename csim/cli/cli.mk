# SPDX-License-Identifier: Apache-2.0

# The command `loom`, and the readers of files, which benches link as well.
# Stands alone, too: make -f csim/cli/cli.mk loom

ifndef LIBLOOM
include tools/mk/common.mk csim/csim.mk
.DEFAULT_GOAL := loom
.PHONY: loom
loom: $(BUILD)/loom
endif

# Link $(LOOM_CLI_LIB) $(LIBLOOM), or the two under the sanitizers, and then $(LOOM_CLI_LIBS).
LOOM_CLI_LIB := $(BUILD)/csim/libloom_cli.a
LOOM_CLI_SAN_LIB := $(BUILD)/san/csim/libloom_cli.a
LOOM_CLI_LIBS = $(call pkg_libs,yaml-0.1 jansson)

LOOM_CLI_SRC := $(filter-out csim/cli/main.c,$(wildcard $(addsuffix /*.c,csim/io csim/run csim/ibsim csim/cli csim/library)))
LOOM_CLI_OBJ := $(LOOM_CLI_SRC:%.c=$(BUILD)/%.o)
LOOM_CLI_SAN_OBJ := $(LOOM_CLI_SRC:%.c=$(BUILD)/san/%.o)
LOOM_MAIN_OBJ := $(BUILD)/csim/cli/main.o

$(LOOM_CLI_OBJ) $(LOOM_MAIN_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(LOOM_CLI_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC san,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) -c -o $@ $<

# The page of `loom report` as a text.
REPORT_PAGE := $(BUILD)/csim/cli/report_page.c
$(REPORT_PAGE): csim/cli/report_page.html csim/cli/cli.mk
	@mkdir -p $(@D)
	$(call say,PAGE,$@)
	$(Q){ echo '#include "cli/report_page.h"'; echo 'const char loom_report_page[] ='; \
	  sed -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' $<; echo ';'; } > $@
$(BUILD)/csim/cli/report_page.o $(BUILD)/san/csim/cli/report_page.o: $(REPORT_PAGE)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(if $(filter $(BUILD)/san/%,$@),$(SANITIZE)) -c -o $@ $<
LOOM_CLI_OBJ += $(BUILD)/csim/cli/report_page.o
LOOM_CLI_SAN_OBJ += $(BUILD)/san/csim/cli/report_page.o

$(LOOM_CLI_LIB): $(LOOM_CLI_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

$(LOOM_CLI_SAN_LIB): $(LOOM_CLI_SAN_OBJ)
	@rm -f $@
	$(call say,AR,$@)
	$(Q)$(AR) rcs $@ $^

# -rdynamic: the library of shadows uses the twins of the command.
$(BUILD)/loom: $(LOOM_MAIN_OBJ) $(LOOM_CLI_LIB) $(LIBLOOM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -rdynamic -o $@ $^ $(LOOM_CLI_LIBS) -ldl

-include $(LOOM_CLI_OBJ:.o=.d) $(LOOM_CLI_SAN_OBJ:.o=.d) $(LOOM_MAIN_OBJ:.o=.d)
