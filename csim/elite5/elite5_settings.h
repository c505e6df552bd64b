/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_settings.h - the settings of an Elite5 router, of either edition (docs/elite5.md, section
 * Registers; E5-39)
 *
 * Inside: elite5_router, crosspoint_router. */
#ifndef LOOM_ELITE5_ELITE5_SETTINGS_H
#define LOOM_ELITE5_ELITE5_SETTINGS_H

#include "elite5/elite5_lanes.h"
#include "elite5/elite5_registers.h"

struct loom_elite5_settings {
  uint32_t mode;
  bool activity;
  uint32_t dest_count, class_count, group_count;
  uint32_t expire, threshold;
  loom_links uplinks;
  uint32_t chip_id, protocol, prbs_words, prbs_limit, timeout;
  uint32_t window;
  uint32_t limit[2]; /* of errors in a window: redundant, single */
};

/* The parameters that bound them. */
struct loom_elite5_size {
  uint32_t links, dests, classes, groups;
};

/* As after reset. */
void loom_elite5_settings_init(struct loom_elite5_settings *set);
/* The register at this address; 0 if it is no setting. */
uint32_t loom_elite5_settings_read(const struct loom_elite5_settings *set, uint32_t a);
/* A write; ignored if it is no setting. */
void loom_elite5_settings_write(struct loom_elite5_settings *set,
                                const struct loom_elite5_size *size, uint32_t a, uint32_t data);

/* The register says how many entries of a table are in use. */
static inline bool loom_elite5_is_count(uint32_t addr) {
  return addr == LOOM_ELITE5_REG_DEST_COUNT || addr == LOOM_ELITE5_REG_CLASS_COUNT ||
         addr == LOOM_ELITE5_REG_GROUP_COUNT;
}

/* Entry k of the mask table, or of the dest table, is one of those that are counted. */
static inline bool loom_elite5_mask_shows(const struct loom_elite5_settings *set,
                                          const struct loom_elite5_size *size, uint32_t k) {
  return k < size->classes ? k < set->class_count : (k - size->classes) / 2 < set->group_count;
}

/* Registers 0x80000 and on that the mask table has. */
static inline uint32_t loom_elite5_mask_registers(const struct loom_elite5_size *size) {
  return 2 * (size->classes + 2 * size->groups);
}

/* `addr` is one of `size` registers from `base` on. */
static inline bool loom_elite5_within(uint32_t addr, uint32_t base, uint32_t size) {
  return addr >= base && addr - base < size;
}

#endif
