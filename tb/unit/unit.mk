# Unit tests, without a circuit: each tb/unit/test_NAME.c is a program of its own, run plain
# (unit-NAME) and under the sanitizers (unit-NAME-san). The other .c files are what some share.

UNIT := $(patsubst tb/unit/test_%.c,%,$(wildcard tb/unit/test_*.c))
UNIT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tb/unit/*.c))
# The comparison of circuits with twins, which has a test of its own.
UNIT_LOCKSTEP := $(addprefix tb/cosim/,lockstep.o circuit.o fields.o)
UNIT_SAN_OBJ := $(UNIT_OBJ:$(BUILD)/%=$(BUILD)/san/%) $(UNIT_LOCKSTEP:%=$(BUILD)/san/%)
TESTS += $(UNIT:%=unit-%) $(UNIT:%=unit-%-san)
.PHONY: $(UNIT:%=unit-%) $(UNIT:%=unit-%-san)

$(UNIT:%=unit-%): unit-%: $(BUILD)/tb/unit/test_%
	$<

$(UNIT:%=unit-%-san): unit-%-san: $(BUILD)/san/tb/unit/test_%
	$<

# It runs the command as well.
unit-cli unit-cli-san: $(BUILD)/loom

# Of loom run, loom sweep and loom plot.
UNIT_RUN := net_fabric permutation plot results run sweep traces
# These tests share tb/unit/NAME.c: $(call unit_share,NAME,tests)
define unit_share
$(2:%=$(BUILD)/tb/unit/test_%): $(BUILD)/tb/unit/$(1).o
$(2:%=$(BUILD)/san/tb/unit/test_%): $(BUILD)/san/tb/unit/$(1).o
endef
$(eval $(call unit_share,elite5_bench,\
  $(addprefix elite5_,broadcast choice link regs router sleep traffic)))
$(eval $(call unit_share,switch_bench,switch switch_faults switch_regs fabric))
$(eval $(call unit_share,fabric_bench,fabric))
$(eval $(call unit_share,model_network,offers experiment))
$(eval $(call unit_share,cli_run,cli lfts_file net_file path_records vef $(UNIT_RUN)))
$(eval $(call unit_share,scratch,lfts_file net_file path_records $(UNIT_RUN)))
$(eval $(call unit_share,run_bench,$(UNIT_RUN)))

$(BUILD)/tb/unit/test_lockstep: $(UNIT_LOCKSTEP:%=$(BUILD)/%)
$(BUILD)/san/tb/unit/test_lockstep: $(UNIT_LOCKSTEP:%=$(BUILD)/san/%)

$(UNIT:%=$(BUILD)/tb/unit/test_%): %: %.o $(LOOM_CLI_LIB) $(LIBLOOM)
	$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LOOM_CLI_LIBS) \
	  $(call pkg_libs,cmocka) -lm

$(UNIT:%=$(BUILD)/san/tb/unit/test_%): %: %.o $(LOOM_CLI_SAN_LIB) $(LIBLOOM_SAN)
	$(CC) $(CFLAGS) $(SANITIZE) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LOOM_CLI_LIBS) \
	  $(call pkg_libs,cmocka) -lm

$(UNIT_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

$(UNIT_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

-include $(UNIT_OBJ:.o=.d) $(UNIT_SAN_OBJ:.o=.d)
