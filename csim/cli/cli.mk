# The command `loom` and the readers of files that benches link as well.
# Stands alone, too: make -f csim/cli/cli.mk loom

ifndef BUILD
include tools/mk/common.mk
loom: $(BUILD)/loom
.PHONY: loom
endif

# Readers of files, with the table arithmetic: link libloom_cli.a with LOOM_CLI_LIBS.
LOOM_CLI_SRC := $(addprefix csim/cli/,source.c yaml.c fixture.c)
LOOM_CLI_PKGS := libcyaml yaml-0.1 jansson
LOOM_CLI_LIBS = $(call pkg_libs,$(LOOM_CLI_PKGS))

LOOM_CLI_OBJ := $(LOOM_CLI_SRC:%.c=$(BUILD)/%.o)
LOOM_CLI_LIB := $(BUILD)/libloom_cli.a

$(LOOM_CLI_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c $< -o $@

$(LOOM_CLI_LIB): $(LOOM_CLI_OBJ)
	$(AR) rcs $@ $^

-include $(LOOM_CLI_OBJ:.o=.d)
