# Unit tests of the table arithmetic, of the readers of files and of the command: plain and under the
# sanitizers.

UNIT_QOS := vlarb dtable fixture cli
TESTS += $(UNIT_QOS:%=unit-%) $(UNIT_QOS:%=unit-%-san)
.PHONY: $(UNIT_QOS:%=unit-%) $(UNIT_QOS:%=unit-%-san)

$(UNIT_QOS:%=unit-%): unit-%: $(BUILD)/tb/unit/test_% $(BUILD)/loom
	$<

$(UNIT_QOS:%=unit-%-san): unit-%-san: $(BUILD)/san/tb/unit/test_% $(BUILD)/loom
	$<

$(UNIT_QOS:%=$(BUILD)/tb/unit/test_%): $(BUILD)/tb/unit/test_%: tb/unit/test_%.c $(LOOM_CLI_LIB) \
  $(LIBLOOM)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ $(filter %.c %.a,$^) \
	  $(LOOM_CLI_LIBS) $(call pkg_libs,cmocka) -lm

$(UNIT_QOS:%=$(BUILD)/san/tb/unit/test_%): $(BUILD)/san/tb/unit/test_%: tb/unit/test_%.c \
  $(LOOM_CLI_SAN_LIB) $(LIBLOOM_SAN)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ \
	  $(filter %.c %.a,$^) $(LOOM_CLI_LIBS) $(call pkg_libs,cmocka) -lm

-include $(UNIT_QOS:%=$(BUILD)/tb/unit/test_%.d) $(UNIT_QOS:%=$(BUILD)/san/tb/unit/test_%.d)
