# SPDX-License-Identifier: Apache-2.0

# Unit tests, without a circuit: each tb/unit/FOLDER/test_NAME.c is a program of its own, run plain
# (unit-NAME) and under the sanitizers (unit-NAME-san). FOLDER is the folder of csim that it tests,
# or that of tb. The other .c files, in the folders and beside them, are what some tests share.

UNIT_SRC := $(wildcard tb/unit/*/test_*.c)
UNIT := $(patsubst test_%.c,%,$(notdir $(UNIT_SRC)))
UNIT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tb/unit/*.c tb/unit/*/*.c))
# Of tests by name: their programs below $(BUILD), or below $(BUILD)/san.
unit_programs = $(foreach t,$(1),$(patsubst %.c,%,$(filter %/test_$(t).c,$(UNIT_SRC))))
# The comparison of circuits with twins, which has a test of its own.
UNIT_LOCKSTEP := $(addprefix tb/cosim/,lockstep.o circuit.o fields.o)
# The judge of the switches, and what it works out by itself.
UNIT_JUDGE := $(addprefix tb/cosim/,\
  $(addprefix switch_,groups.o judge.o kns.o plan.o) fields.o rng.o)
UNIT_ENDS := $(patsubst %.c,%.o,$(wildcard tb/ends/*.c))
UNIT_SAN_OBJ := $(UNIT_OBJ:$(BUILD)/%=$(BUILD)/san/%) \
  $(addprefix $(BUILD)/san/,$(sort $(UNIT_LOCKSTEP) $(UNIT_JUDGE)) $(UNIT_ENDS))
TESTS += $(UNIT:%=unit-%) $(UNIT:%=unit-%-san)
.PHONY: $(UNIT:%=unit-%) $(UNIT:%=unit-%-san)

define unit_target
unit-$(1): $(BUILD)/$(call unit_programs,$(1))
	@$$<
unit-$(1)-san: $(BUILD)/san/$(call unit_programs,$(1))
	@$$<
endef
$(foreach t,$(UNIT),$(eval $(call unit_target,$(t))))

# It runs the command as well.
$(BUILD)/$(call unit_programs,cli) $(BUILD)/san/$(call unit_programs,cli): | $(BUILD)/loom

# make unit [T=name] [SAN=1]: all tests, those of a file, or those whose names match a pattern.
.PHONY: unit
unit:
	@tools/bootstrap test
	@+tools/unit $(if $(filter 1,$(SAN)),--san) $(if $(T),'$(T)')

# What threads do together, under the thread sanitizer, in a build of its own.
TESTS += unit-threads
.PHONY: unit-threads
unit-threads:
	@+$(MAKE) --no-print-directory BUILD=$(BUILD)/threads CFLAGS='-std=c11 -O1 -g $(CWARN) -fsanitize=thread' \
	  $(addprefix $(BUILD)/threads/,$(call unit_programs,crew cores))
	@$(BUILD)/threads/$(call unit_programs,crew)
	@$(BUILD)/threads/$(call unit_programs,cores)

TESTS += unit-names
.PHONY: unit-names
unit-names: $(BUILD)/$(call unit_programs,latency)
	@tools/unit_test

# Of loom run, loom sweep and loom plot.
UNIT_RUN := collectives cores engines faults ibsim_command net_fabric operations permutation plot report results run saturation stalls statistics sweep theory traces vlarb_command
# These tests share tb/NAME.c: $(call unit_share,NAME,tests)
define unit_share
$(addprefix $(BUILD)/,$(call unit_programs,$(2))): $(BUILD)/tb/$(1).o
$(addprefix $(BUILD)/san/,$(call unit_programs,$(2))): $(BUILD)/san/tb/$(1).o
endef
$(eval $(call unit_share,unit/elite5_bench,crosspoint_router \
  $(addprefix elite5_,broadcast choice link registers router sleep traffic)))
$(eval $(call unit_share,unit/elite5_tree,elite5_fabric elite5_sleep elan5_jobs))
$(eval $(call unit_share,unit/switch_bench,switch switch_faults switch_registers switch_stall fabric))
$(eval $(call unit_share,unit/fabric_bench,fabric))
$(eval $(call unit_share,unit/switch/alloc_model,pipelined_alloc mport_alloc))
$(eval $(call unit_share,unit/switch/crossbar_bench,crossbar_switch crossbar_groups packet_engine mport_switch))
$(eval $(call unit_share,unit/model_network,offers experiment settle))
$(eval $(call unit_share,unit/cli_run,chakra cli schema_command lfts_file net_file path_records source discovered links vef log graph $(UNIT_RUN)))
$(eval $(call unit_share,unit/scratch,chakra log lfts_file net_file path_records source discovered links $(UNIT_RUN)))
$(eval $(call unit_share,unit/run_bench,$(UNIT_RUN)))
$(eval $(call unit_share,ends/credits,ends switch switch_faults switch_registers switch_stall fabric nic sched_port))
$(eval $(call unit_share,unit/unit,$(UNIT)))
$(eval $(call unit_share,unit/parts/tracker_model,credit_tracker room_tracker vl_buffer))

$(BUILD)/$(call unit_programs,lockstep): $(UNIT_LOCKSTEP:%=$(BUILD)/%)
$(BUILD)/san/$(call unit_programs,lockstep): $(UNIT_LOCKSTEP:%=$(BUILD)/san/%)
$(BUILD)/$(call unit_programs,switch_judge): $(UNIT_JUDGE:%=$(BUILD)/%)
$(BUILD)/san/$(call unit_programs,switch_judge): $(UNIT_JUDGE:%=$(BUILD)/san/%)

$(addprefix $(BUILD)/,$(call unit_programs,$(UNIT))): %: %.o $(LOOM_CLI_LIB) $(LIBLOOM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LOOM_CLI_LIBS) \
	  $(call pkg_libs,cmocka) -lm

$(addprefix $(BUILD)/san/,$(call unit_programs,$(UNIT))): %: %.o $(LOOM_CLI_SAN_LIB) $(LIBLOOM_SAN)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS) $(SANITIZE) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LOOM_CLI_LIBS) \
	  $(call pkg_libs,cmocka) -lm

$(UNIT_OBJ): $(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

$(UNIT_SAN_OBJ): $(BUILD)/san/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC san,$<)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -c -o $@ $<

-include $(UNIT_OBJ:.o=.d) $(UNIT_SAN_OBJ:.o=.d)
