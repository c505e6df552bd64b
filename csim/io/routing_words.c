/* SPDX-License-Identifier: Apache-2.0 */
#include "io/routing_words.h"

#include <loom/routing.h>
#include <stddef.h>

const char *const loom_routing_engine_words[] = {
    [LOOM_ROUTING_MINHOP] = "minhop",
    [LOOM_ROUTING_UPDN] = "updn",
    [LOOM_ROUTING_FTREE] = "ftree",
    [LOOM_ROUTING_VALIANT] = "valiant",
    [LOOM_ROUTING_DOR] = "dor",
    [LOOM_ROUTING_HDOR] = "hdor",
    [LOOM_ROUTING_LASH] = "lash",
    [LOOM_ROUTING_DFSSSP] = "dfsssp",
    [LOOM_ROUTING_DRAGONFLY] = "dragonfly",
    [LOOM_ROUTING_DRAGONFLY_VALIANT] = "dragonfly-valiant",
    [LOOM_ROUTING_DRAGONFLY_UGAL] = "dragonfly-ugal",
    [LOOM_ROUTING_SLIMFLY] = "slimfly",
    [LOOM_ROUTING_DOR_VALIANT] = "dor-valiant",
    [LOOM_ROUTING_DRAGONFLYPLUS] = "dragonflyplus",
    [LOOM_ROUTING_DRAGONFLYPLUS_VALIANT] = "dragonflyplus-valiant",
    [LOOM_ROUTING_DRAGONFLYPLUS_UGAL] = "dragonflyplus-ugal",
    [LOOM_ROUTING_SLIMFLY_VALIANT] = "slimfly-valiant",
    [LOOM_ROUTING_DOR_UGAL] = "dor-ugal",
    NULL};

const char *const loom_routing_avoid_words[] = {[LOOM_ROUTING_DATELINE_TURN] = "turn",
                                                [LOOM_ROUTING_DATELINE_PATH] = "path",
                                                [LOOM_ROUTING_AVOID_NONE] = "none",
                                                [LOOM_ROUTING_AVOID_BUBBLE] = "bubble",
                                                NULL};

const char *const loom_routing_ties_words[] = {
    [LOOM_ROUTING_TIES_SPLIT] = "split", [LOOM_ROUTING_TIES_UP] = "up", NULL};

const char *const loom_routing_trunk_words[] = {[LOOM_ROUTING_TRUNK_LID] = "lid",
                                                [LOOM_ROUTING_TRUNK_FLOW] = "flow",
                                                [LOOM_ROUTING_TRUNK_LOAD] = "load",
                                                NULL};

const char *const loom_routing_cover_words[] = {
    [LOOM_ROUTING_COVER_HOSTS] = "hosts", [LOOM_ROUTING_COVER_ALL] = "all", NULL};

const char *const loom_routing_choose_words[] = {[LOOM_ROUTING_CHOOSE_USUAL] = "usual",
                                                 [LOOM_ROUTING_CHOOSE_BEST] = "best",
                                                 [LOOM_ROUTING_CHOOSE_MEDIAN] = "median",
                                                 NULL};
