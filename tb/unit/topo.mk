# Unit tests of fabrics as graphs, of their files and of the command `loom topo`: plain and under the
# sanitizers.

UNIT_TOPO := topo net_file
TESTS += $(UNIT_TOPO:%=unit-%) $(UNIT_TOPO:%=unit-%-san)
.PHONY: $(UNIT_TOPO:%=unit-%) $(UNIT_TOPO:%=unit-%-san)

$(UNIT_TOPO:%=unit-%): unit-%: $(BUILD)/tb/unit/test_%
	$<

$(UNIT_TOPO:%=unit-%-san): unit-%-san: $(BUILD)/san/tb/unit/test_%
	$<

$(UNIT_TOPO:%=$(BUILD)/tb/unit/test_%): $(BUILD)/tb/unit/test_%: tb/unit/test_%.c $(LOOM_CLI_LIB) \
  $(LIBLOOM)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ $(filter %.c %.a,$^) \
	  $(LOOM_CLI_LIBS) $(call pkg_libs,cmocka)

$(UNIT_TOPO:%=$(BUILD)/san/tb/unit/test_%): $(BUILD)/san/tb/unit/test_%: tb/unit/test_%.c \
  $(LOOM_CLI_SAN_LIB) $(LIBLOOM_SAN)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(SANITIZE) $(DEPFLAGS) $(call pkg_cflags,cmocka) -o $@ \
	  $(filter %.c %.a,$^) $(LOOM_CLI_LIBS) $(call pkg_libs,cmocka)

-include $(UNIT_TOPO:%=$(BUILD)/tb/unit/test_%.d) $(UNIT_TOPO:%=$(BUILD)/san/tb/unit/test_%.d)
