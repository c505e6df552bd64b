/* SPDX-License-Identifier: Apache-2.0 */
/* play.h - runs circuit and twin, or the twin alone, on recorded vectors */
#ifndef LOOM_TB_PLAY_H
#define LOOM_TB_PLAY_H

/* Circuit and twin on the inputs of a .out file, compared with each other, and both with its
 * outputs where these are not x. `plant` as for --plant, or NULL. `waves`: NULL, or the folder that
 * gets a folder with waves of the whole run. Exit status: 0 equal, 1 a difference, 2 bad input. */
int play(const char *path, const char *circuits, const char *plant, const char *waves);

/* The twin alone, without its circuit, on the inputs of a .out file: inputs and what it answers go
 * into `record`. Outputs of the file that are not x are compared. Exit status as above. */
int play_twin(const char *path, const char *record);

#endif
