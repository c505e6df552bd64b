/* SPDX-License-Identifier: Apache-2.0 */
#include "io/write_testbed.h"

#include <inttypes.h>

static bool serves(const struct loom_vlarb_table *table, unsigned vl) {
  for (size_t e = 0; e < table->count; e++)
    if (table->entry[e].vl == vl && table->entry[e].weight)
      return true;
  return false;
}

int loom_testbed_flows(struct loom_testbed *testbed, const struct loom_opensm_qos *qos) {
  testbed->count = 0;
  for (unsigned vl = 0; vl < LOOM_IB_VLS - 1; vl++) {
    unsigned sl = 0;
    if (!serves(&qos->high, vl) && !serves(&qos->low, vl))
      continue;
    while (sl < LOOM_OPENSM_SLS && qos->sl2vl[sl] != vl)
      sl++;
    if (sl == LOOM_OPENSM_SLS)
      return (int)vl;
    testbed->flow[testbed->count].sl = (uint8_t)sl;
    testbed->flow[testbed->count++].vl = (uint8_t)vl;
  }
  return -1;
}

/* What comes before and after the list of SLs. */
static const char before[] =
    "#!/bin/sh\n"
    "# Made by `loom vlarb testbed`: the share of a link that each service level (SL) gets.\n"
    "#\n"
    "# 1. On the node of the subnet manager: opensm -Q -F opensm.conf (or with the options of that "
    "file\n"
    "#    in its own configuration).\n"
    "# 2. On a node, the sender: ./testbed.sh RECEIVER. The receiver is another node behind a "
    "switch, which\n"
    "#    ssh reaches without a password. Both have perftest. No other traffic should be on the "
    "link.\n"
    "# 3. Where loom is: loom vlarb testbed with the same options, and --results results.\n"
    "#\n"
    "# Each flow asks for the whole link, so the arbiter decides. Environment: SECONDS_EACH (30),\n"
    "# MARGIN (5: seconds at both ends that do not count), MESSAGE (65536 bytes), START (3: "
    "seconds that\n"
    "# the servers have to start), DEVICE and PORT (of InfiniBand, at both nodes; perftest's "
    "default).\n"
    "set -u\n"
    "[ $# = 1 ] || { echo \"usage: $0 RECEIVER\" >&2; exit 2; }\n"
    "receiver=$1\n"
    "cd \"$(dirname \"$0\")\" || exit 2\n";

static const char after[] =
    "options=\"-m $mtu -s ${MESSAGE:-65536} -D ${SECONDS_EACH:-30} -f ${MARGIN:-5} -F "
    "--report_gbits\"\n"
    "options=\"$options ${DEVICE:+-d $DEVICE} ${PORT:+-i $PORT}\"\n"
    "mkdir results || exit 2 # what is there already is kept\n"
    "\n"
    "for sl in $levels; do\n"
    "  ssh \"$receiver\" \"ib_send_bw -S $sl -p $((18515 + sl)) $options\" \\\n"
    "    > \"results/server-$sl.txt\" 2>&1 &\n"
    "done\n"
    "sleep \"${START:-3}\"\n"
    "clients=\n"
    "for sl in $levels; do # options are words, so they stand without quotes\n"
    "  ib_send_bw -S \"$sl\" -p $((18515 + sl)) $options \"$receiver\" > \"results/sl-$sl.txt\" "
    "2>&1 &\n"
    "  clients=\"$clients $!\"\n"
    "done\n"
    "bad=0\n"
    "for client in $clients; do\n"
    "  wait \"$client\" || bad=1\n"
    "done\n"
    "wait\n"
    "[ $bad = 0 ] || { echo \"$0: a flow failed; see results\" >&2; exit 1; }\n"
    "echo \"$0: done; results of SLs $levels are in $PWD/results\"\n";

void loom_write_testbed(FILE *file, const struct loom_testbed *testbed) {
  fputs(before, file);
  fprintf(file, "mtu=%" PRIu32 "\nlevels=\"", testbed->mtu);
  for (uint32_t i = 0; i < testbed->count; i++)
    fprintf(file, "%s%u", i ? " " : "", (unsigned)testbed->flow[i].sl);
  fputs("\"\n", file);
  fputs(after, file);
}
