/* SPDX-License-Identifier: Apache-2.0 */
/* elite5_settings.c - settings of an Elite5 router, written from docs/elite5.md
 *
 * Inside: elite5_router, crosspoint_router. */
#include "elite5/elite5_settings.h"

#include "elite5/elite5_registers.h"

#include <loom/bits.h>

/* After reset; those that are not here are 0. */
enum {
  RESET_THRESHOLD = 1,
  RESET_PROTOCOL = 0x51,
  RESET_PRBS_WORDS = 1024,
  RESET_TIMEOUT = 4096,
  RESET_WINDOW = 65536,
  RESET_REDUNDANT = 16,
  RESET_SINGLE = 1024,
};

void loom_elite5_settings_init(struct loom_elite5_settings *set) {
  *set = (struct loom_elite5_settings){
      .threshold = RESET_THRESHOLD,
      .protocol = RESET_PROTOCOL,
      .prbs_words = RESET_PRBS_WORDS,
      .timeout = RESET_TIMEOUT,
      .window = RESET_WINDOW,
      .limit = {RESET_REDUNDANT, RESET_SINGLE},
  };
}

uint32_t loom_elite5_settings_read(const struct loom_elite5_settings *set, uint32_t a) {
  switch (a) {
  case LOOM_ELITE5_REG_CONTROL:
    return LOOM_PUT(LOOM_ELITE5_REG_CONTROL_MODE, set->mode) |
           LOOM_PUT(LOOM_ELITE5_REG_CONTROL_ACTIVITY, set->activity);
  case LOOM_ELITE5_REG_DEST_COUNT:
    return set->dest_count;
  case LOOM_ELITE5_REG_CLASS_COUNT:
    return set->class_count;
  case LOOM_ELITE5_REG_GROUP_COUNT:
    return set->group_count;
  case LOOM_ELITE5_REG_EXPIRE:
    return set->expire;
  case LOOM_ELITE5_REG_UPLINKS:
    return set->uplinks;
  case LOOM_ELITE5_REG_THRESHOLD:
    return set->threshold;
  case LOOM_ELITE5_REG_CHIP_ID:
    return set->chip_id;
  case LOOM_ELITE5_REG_PROTOCOL:
    return set->protocol;
  case LOOM_ELITE5_REG_PRBS_WORDS:
    return set->prbs_words;
  case LOOM_ELITE5_REG_PRBS_LIMIT:
    return set->prbs_limit;
  case LOOM_ELITE5_REG_TIMEOUT:
    return set->timeout;
  case LOOM_ELITE5_REG_WINDOW:
    return set->window;
  case LOOM_ELITE5_REG_LIMIT_REDUNDANT:
  case LOOM_ELITE5_REG_LIMIT_SINGLE:
    return set->limit[a - LOOM_ELITE5_REG_LIMIT_REDUNDANT];
  default:
    return 0;
  }
}

void loom_elite5_settings_write(struct loom_elite5_settings *set,
                                const struct loom_elite5_size *size, uint32_t a, uint32_t data) {
  switch (a) {
  case LOOM_ELITE5_REG_CONTROL:
    set->mode = LOOM_GET(LOOM_ELITE5_REG_CONTROL_MODE, data);
    set->activity = LOOM_GET(LOOM_ELITE5_REG_CONTROL_ACTIVITY, data);
    break;
  case LOOM_ELITE5_REG_DEST_COUNT:
    set->dest_count = loom_min(data, size->dests);
    break;
  case LOOM_ELITE5_REG_CLASS_COUNT:
    set->class_count = loom_min(data, size->classes);
    break;
  case LOOM_ELITE5_REG_GROUP_COUNT:
    set->group_count = loom_min(data, size->groups);
    break;
  case LOOM_ELITE5_REG_EXPIRE:
    set->expire = LOOM_GET(LOOM_ELITE5_REG_EXPIRE_AGE, data);
    break;
  case LOOM_ELITE5_REG_UPLINKS:
    set->uplinks = data & (loom_links)loom_mask(size->links);
    break;
  case LOOM_ELITE5_REG_THRESHOLD:
    set->threshold = LOOM_GET(LOOM_ELITE5_REG_THRESHOLD_PENDING, data);
    break;
  case LOOM_ELITE5_REG_CHIP_ID:
    set->chip_id = LOOM_GET(LOOM_ELITE5_REG_CHIP_ID_CHIP, data);
    break;
  case LOOM_ELITE5_REG_PROTOCOL:
    set->protocol = LOOM_GET(LOOM_ELITE5_REG_PROTOCOL_PROTOCOL, data);
    break;
  case LOOM_ELITE5_REG_PRBS_WORDS:
    set->prbs_words = LOOM_GET(LOOM_ELITE5_REG_PRBS_WORDS_WORDS, data);
    break;
  case LOOM_ELITE5_REG_PRBS_LIMIT:
    set->prbs_limit = LOOM_GET(LOOM_ELITE5_REG_PRBS_LIMIT_ERRORS, data);
    break;
  case LOOM_ELITE5_REG_TIMEOUT:
    set->timeout = LOOM_GET(LOOM_ELITE5_REG_TIMEOUT_CYCLES, data);
    break;
  case LOOM_ELITE5_REG_WINDOW:
    set->window = LOOM_GET(LOOM_ELITE5_REG_WINDOW_CYCLES, data);
    break;
  case LOOM_ELITE5_REG_LIMIT_REDUNDANT:
  case LOOM_ELITE5_REG_LIMIT_SINGLE:
    set->limit[a - LOOM_ELITE5_REG_LIMIT_REDUNDANT] =
        LOOM_GET(LOOM_ELITE5_REG_LIMIT_REDUNDANT_ERRORS, data);
    break;
  default:
    break;
  }
}
