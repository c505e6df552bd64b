/* SPDX-License-Identifier: Apache-2.0 */
/* mad.h - management packets: their fields and numbers (docs/ibsim.md) */
#ifndef LOOM_IBSIM_MAD_H
#define LOOM_IBSIM_MAD_H

#include <stdint.h>

#include "ibsim/mad_fields.h"

enum {
  LOOM_MAD_BYTES = 256,
  LOOM_MAD_DATA = 64,    /* where the attribute of an SMP or a PerfMgt MAD begins */
  LOOM_SMP_BYTES = 64,   /* of the attribute of an SMP */
  LOOM_GMP_BYTES = 192,  /* the same of PerfMgt */
  LOOM_SMP_PATH = 128,   /* initial path of a directed route, a byte a hop */
  LOOM_SMP_RETURN = 192, /* return path */
  LOOM_SMP_HOPS = 63,    /* of a path, at most */
  LOOM_LID_PERMISSIVE = 0xFFFF,
};

enum loom_mad_class {
  LOOM_CLASS_SUBNET = 0x01,
  LOOM_CLASS_PERFORMANCE = 0x04,
  LOOM_CLASS_DIRECT = 0x81,
};

enum loom_mad_method {
  LOOM_METHOD_GET = 0x01,
  LOOM_METHOD_SET = 0x02,
  LOOM_METHOD_TRAP = 0x05,
  LOOM_METHOD_REPRESS = 0x07,
  LOOM_METHOD_RESPONSE = 0x80, /* the bit */
  LOOM_METHOD_ANSWER = 0x81,
};

/* Those with one number and two meanings are of SMPs and of PerfMgt. */
enum loom_mad_attribute {
  LOOM_ATTRIBUTE_CLASS_INFO = 0x01,
  LOOM_ATTRIBUTE_NOTICE = 0x02,
  LOOM_ATTRIBUTE_NODE_DESCRIPTION = 0x10,
  LOOM_ATTRIBUTE_NODE_INFO = 0x11,
  LOOM_ATTRIBUTE_SWITCH_INFO = 0x12,
  LOOM_ATTRIBUTE_PORT_COUNTERS = 0x12,
  LOOM_ATTRIBUTE_GUID_INFO = 0x14,
  LOOM_ATTRIBUTE_PORT_INFO = 0x15,
  LOOM_ATTRIBUTE_PKEYS = 0x16,
  LOOM_ATTRIBUTE_SL2VL = 0x17,
  LOOM_ATTRIBUTE_VLARB = 0x18,
  LOOM_ATTRIBUTE_LINEAR = 0x19,
  LOOM_ATTRIBUTE_MULTICAST = 0x1B,
  LOOM_ATTRIBUTE_COUNTERS_EXTENDED = 0x1D,
  LOOM_ATTRIBUTE_SM_INFO = 0x20,
};

enum loom_mad_status {
  LOOM_STATUS_GOOD = 0,
  LOOM_STATUS_VERSION = 1 << 2,   /* class or version is not known */
  LOOM_STATUS_METHOD = 2 << 2,    /* nor the method */
  LOOM_STATUS_ATTRIBUTE = 3 << 2, /* nor the attribute with this method */
  LOOM_STATUS_VALUE = 7 << 2,     /* a field of attribute or modifier is not legal */
};

enum loom_node_type { LOOM_NODE_ADAPTER = 1, LOOM_NODE_SWITCH = 2 };

/* PortState and PortPhysicalState. */
enum loom_port_state {
  LOOM_PORT_KEEP, /* of a Set: no change */
  LOOM_PORT_DOWN,
  LOOM_PORT_INIT,
  LOOM_PORT_ARMED,
  LOOM_PORT_ACTIVE,
};
enum loom_port_physical {
  LOOM_PHYSICAL_POLLING = 2,
  LOOM_PHYSICAL_DISABLED = 3,
  LOOM_PHYSICAL_UP = 5,
};

enum loom_mad_field {
#define LOOM_MAD_NAME(name, byte, bit, bits) LOOM_##name,
  LOOM_MAD_FIELDS(LOOM_MAD_NAME)
#undef LOOM_MAD_NAME
      LOOM_MAD_FIELD_COUNT
};

/* What a field holds; `at` is the MAD or the attribute that the field is of. */
uint64_t loom_mad_get(const uint8_t *at, enum loom_mad_field field);
/* Cut to the width of the field. */
void loom_mad_put(uint8_t *at, enum loom_mad_field field, uint64_t value);
/* The same, but not above what the field can hold, as counters stop there. */
void loom_mad_put_most(uint8_t *at, enum loom_mad_field field, uint64_t value);

#endif
