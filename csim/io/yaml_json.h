/* SPDX-License-Identifier: Apache-2.0 */
/* yaml_json.h - the schema of a YAML file as a JSON Schema, which editors know */
#ifndef LOOM_IO_YAML_JSON_H
#define LOOM_IO_YAML_JSON_H

#include <jansson.h>

#include "io/yaml_schema.h"

/* A schema of draft 7, the caller's. It says of each value by itself what Loom's reader says, and
 * nothing of what values mean together. NULL: out of memory. */
json_t *loom_yaml_json(const struct loom_yaml_schema *schema, const char *title);

#endif
