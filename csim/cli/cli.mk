# The command `loom`, and the readers of files, which benches link as well.
# Stands alone, too: make -f csim/cli/cli.mk loom

ifndef BUILD
include tools/mk/common.mk
.PHONY: loom
loom: $(BUILD)/loom
endif

# Link $(LOOM_CLI_LIB) (or the one under the sanitizers) together with $(LOOM_CLI_LIBS).
LOOM_CLI_LIB := $(BUILD)/libloom_cli.a
LOOM_CLI_SAN_LIB := $(BUILD)/san/libloom_cli.a
LOOM_CLI_LIBS = $(call pkg_libs,libcyaml yaml-0.1 jansson)

LOOM_CLI_SRC := $(addprefix csim/qos/,ratio.c vlarb.c dtable.c) \
  $(addprefix csim/cli/,source.c yaml.c fixture.c read_vlarb.c read_dtable.c cli.c cmd_vlarb.c \
    cmd_dtable.c)
LOOM_CLI_OBJ := $(LOOM_CLI_SRC:%.c=$(BUILD)/%.o)
LOOM_CLI_SAN_OBJ := $(LOOM_CLI_SRC:%.c=$(BUILD)/san/%.o)
LOOM_MAIN_OBJ := $(BUILD)/csim/cli/main.o

$(LOOM_CLI_OBJ) $(LOOM_MAIN_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c $< -o $@

$(LOOM_CLI_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) -c $< -o $@

$(LOOM_CLI_LIB): $(LOOM_CLI_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(LOOM_CLI_SAN_LIB): $(LOOM_CLI_SAN_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/loom: $(LOOM_MAIN_OBJ) $(LOOM_CLI_LIB)
	$(CC) $(CFLAGS) -o $@ $^ $(LOOM_CLI_LIBS)

-include $(LOOM_CLI_OBJ:.o=.d) $(LOOM_CLI_SAN_OBJ:.o=.d) $(LOOM_MAIN_OBJ:.o=.d)
