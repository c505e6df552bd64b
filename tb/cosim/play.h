/* SPDX-License-Identifier: Apache-2.0 */
/* play.h - runs circuit and twin on recorded vectors */
#ifndef LOOM_TB_PLAY_H
#define LOOM_TB_PLAY_H

/* Circuit and twin on the inputs of a .out file, both compared with its outputs. `plant` as for
 * --plant, or NULL. Exit status: 0 equal, 1 a difference, 2 bad input. */
int play(const char *path, const char *circuits, const char *plant);

#endif
