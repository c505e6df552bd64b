/* version.h - the version of Loom */
#ifndef LOOM_VERSION_H
#define LOOM_VERSION_H

#define LOOM_VERSION "0.1.0"

#endif
