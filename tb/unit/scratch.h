/* scratch.h - folders for the files of a unit test */
#ifndef LOOM_TB_UNIT_SCRATCH_H
#define LOOM_TB_UNIT_SCRATCH_H

enum { SCRATCH_FOLDER = 32 };

/* Makes an empty folder below build/; its name. The test removes it. */
void scratch_make(char folder[SCRATCH_FOLDER]);

#endif
