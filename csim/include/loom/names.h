/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - the names of registers, of their fields and of the fields of records, from the one list
 * that holds them (docs/registers.md)
 *
 * No include guard: include it once for each list,
 *
 *     #define LOOM_NAMES "switch/switch.regs"
 *     #include <loom/names.h>
 *
 * A list csim/D/N.regs holds the registers of N; csim/D/N.fields records that are no registers, as
 * the first word of a packet. tools/registers writes rtl/include/loom_regs.vh, loom_fields.vh and
 * the tables of the pages from the same lists.
 *
 *     LOOM_REG_MAP(map, bits, text)       a map of registers whose addresses have `bits` bits;
 *                                         text is the title of its table
 *     LOOM_REG(map, name, address, access, text)
 *                                         a register; access is r, w or rw
 *     LOOM_REG_ARRAY(map, name, address, count, index, access, text)
 *                                         `count` registers from `address` on; index names the
 *                                         number of one in the page
 *     LOOM_REG_WINDOWS(map, name, address, count, index, text)
 *                                         `count` windows of LOOM_REG_WINDOW addresses each
 *     LOOM_RECORD(record, bits, text)     a record that is no register
 *     LOOM_FIELD(record, field, high, low, text)
 *                                         its bits high:low; the record of a register is MAP_NAME.
 *                                         A text that ends in a colon goes before its fields
 *     LOOM_CONSTANT(name, bits, value, text)
 *     LOOM_DEVICE(name, number, text)     in devices.def
 *
 * C gets enumerators:
 *
 *     LOOM_MAP_NAME               an address
 *     LOOM_MAP_NAME_WORDS         the count of an array
 *     LOOM_MAP_NAME_WINDOWS       the count of windows
 *     LOOM_RECORD_FIELD_AT, LOOM_RECORD_FIELD_BITS
 *                                 lowest bit and width of a field, for LOOM_GET and LOOM_PUT of
 *                                 <loom/bits.h>
 *     LOOM_NAME                   a constant
 *     LOOM_DEVICE_ID_NAME         a device */
#ifndef LOOM_NAMES
#error "define LOOM_NAMES before including <loom/names.h>"
#endif

#define LOOM_REG_MAP(map, bits, text)
#define LOOM_REG(map, name, address, access, text) LOOM_##map##_##name = address,
#define LOOM_REG_ARRAY(map, name, address, count, index, access, text)                             \
  LOOM_##map##_##name = address, LOOM_##map##_##name##_WORDS = count,
#define LOOM_REG_WINDOWS(map, name, address, count, index, text)                                   \
  LOOM_##map##_##name = address, LOOM_##map##_##name##_WINDOWS = count,
#define LOOM_RECORD(record, bits, text)
#define LOOM_FIELD(record, field, high, low, text)                                                 \
  LOOM_##record##_##field##_AT = low, LOOM_##record##_##field##_BITS = (high) - (low) + 1,
#define LOOM_CONSTANT(name, bits, value, text) LOOM_##name = value,
#define LOOM_DEVICE(name, number, text) LOOM_DEVICE_ID_##name = number,

enum {
#include LOOM_NAMES
};

#undef LOOM_REG_MAP
#undef LOOM_REG
#undef LOOM_REG_ARRAY
#undef LOOM_REG_WINDOWS
#undef LOOM_RECORD
#undef LOOM_FIELD
#undef LOOM_CONSTANT
#undef LOOM_DEVICE
#undef LOOM_NAMES
