/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

int main(int argc, char **argv) {
  static char name[] = "loom";
  const struct loom_streams io = {.out = stdout, .err = stderr};
  if (argc > 0)
    argv[0] = name;
  return loom_cli(argc, argv, &io);
}
