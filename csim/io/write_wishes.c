/* SPDX-License-Identifier: Apache-2.0 */
#include "io/write_wishes.h"

#include <inttypes.h>

/* ---- opensm.conf ----------------------------------------------------------------------------- */

/* VLs that a port can be told to have: 1, 2, 4, 8 or 15. */
static unsigned max_vls(const struct loom_wishes *w) {
  unsigned vls = 1;
  for (uint32_t i = 0; i < w->wish.count; i++)
    while (w->wish.vl[i].vl >= vls)
      vls = vls == 8 ? LOOM_WISH_VLS : 2 * vls;
  return vls;
}

/* An empty table is one entry without a weight: without the option OpenSM has a table of its
 * own. */
static void write_list(FILE *file, const char *option, const struct loom_vlarb_entry *entry,
                       uint32_t count) {
  fputs(option, file);
  for (uint32_t e = 0; e < count; e++)
    fprintf(file, "%c%u:%u", e ? ',' : ' ', (unsigned)entry[e].vl, (unsigned)entry[e].weight);
  fputs(count ? "\n" : " 0:0\n", file);
}

void loom_write_wishes_conf(FILE *file, const struct loom_wishes *wishes,
                            const struct loom_wish_answer *answer) {
  const struct loom_wish_tables *t = &answer->tables;
  fputs("# options: 6\n", file);
  fprintf(file, "# loom vlarb solve: packets of %" PRIu32 " bytes, all VLs with packets\n",
          wishes->wish.packet_bytes);
  for (uint32_t i = 0; i < wishes->wish.count; i++) {
    unsigned vl = wishes->wish.vl[i].vl;
    uint32_t share = loom_vlarb_certified_share(&answer->certificate, vl);
    fprintf(file,
            "# VL %u: %" PRIu32 ".%04" PRIu32 " %% of the link, at most %" PRIu64
            " bytes of others between two packets\n",
            vl, share / 10000, share % 10000,
            answer->certificate.vl[vl].gap * wishes->wish.packet_bytes);
  }
  fprintf(file, "qos TRUE\nqos_max_vls %u\nqos_high_limit %" PRIu32 "\n", max_vls(wishes),
          t->limit);
  write_list(file, "qos_vlarb_high", t->high, t->high_count);
  write_list(file, "qos_vlarb_low", t->low, t->low_count);
  fputs("qos_sl2vl", file);
  for (unsigned sl = 0; sl < LOOM_OPENSM_SLS; sl++)
    fprintf(file, "%c%u", sl ? ',' : ' ', (unsigned)wishes->vl_of_sl[sl]);
  fputc('\n', file);
}

/* ---- a fixture ------------------------------------------------------------------------------- */

static void write_entries(FILE *file, const char *key, const struct loom_vlarb_entry *entry,
                          uint32_t count) {
  if (count)
    fprintf(file, "%s:\n", key);
  for (uint32_t e = 0; e < count; e++)
    fprintf(file, "  - {vl: %u, weight: %u}\n", (unsigned)entry[e].vl, (unsigned)entry[e].weight);
}

void loom_write_wishes_fixture(FILE *file, const struct loom_wishes *wishes,
                               const struct loom_wish_answer *answer, uint32_t tolerance) {
  const struct loom_wish *wish = &wishes->wish;
  const struct loom_wish_tables *t = &answer->tables;
  fputs("---\nname: wishes\nsource: loom vlarb solve\nscheduler: ibarb\n", file);
  write_entries(file, "high", t->high, t->high_count);
  write_entries(file, "low", t->low, t->low_count);
  fprintf(file,
          "cases:\n  - name: solved\n    mode: roundup\n    low_grant: entry\n    limit: %" PRIu32
          "\n    measure: packets\n    tolerance: %" PRIu32 ".%04" PRIu32 "\n    traffic:\n",
          t->limit, tolerance / 10000, tolerance % 10000);
  for (uint32_t i = 0; i < wish->count; i++)
    fprintf(file, "      - {vl: %u, size: %" PRIu32 "}\n", (unsigned)wish->vl[i].vl,
            wish->packet_bytes / LOOM_UNIT_BYTES);
  fputs("    shares:\n", file);
  for (uint32_t i = 0; i < wish->count; i++) {
    uint32_t share = loom_vlarb_certified_share(&answer->certificate, wish->vl[i].vl);
    fprintf(file, "      - {vl: %u, share: %" PRIu32 ".%04" PRIu32 "}\n", (unsigned)wish->vl[i].vl,
            share / 10000, share % 10000);
  }
  fputs("...\n", file);
}
