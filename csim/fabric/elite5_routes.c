/* elite5_routes.c - route tables and broadcast groups of folded Clos trees (docs/elan5.md; E5-19,
 * E5-22, E5-26, E5-28, E5-40)
 *
 * Routers are numbered from the leaves up, so what is below a router is known when it is its turn
 * going up through the numbers, and what is above it going down.
 */
#include <loom/bits.h>
#include <string.h>

#include "fabric/elite5_tree.h"

/* ---- links that may be used ------------------------------------------------------------------ */

/* The other end of link `lane` of a router, if the tables may use it. */
static bool far_end(const struct loom_elite5_tree *tree, uint32_t router, uint32_t lane,
                    struct loom_net_end *far) {
  const struct loom_net_peer *peer = &tree->net->router[router].peer[lane];
  if (peer->link == (uint32_t)LOOM_NET_NO_LINK || tree->avoided[peer->link] || tree->off[router])
    return false;
  *far = peer->far;
  return !far->router || !tree->off[far->device];
}

static loom_links up_links(const struct loom_elite5_tree *tree, uint32_t router) {
  bool top = router >= tree->first[tree->cfg.levels - 1];
  return top ? 0 : (loom_links)loom_mask(tree->cfg.arity) << tree->cfg.arity;
}

static loom_links down_links(const struct loom_elite5_tree *tree, uint32_t router) {
  return (loom_links)loom_mask(tree->net->cfg.router.LINKS) & ~up_links(tree, router);
}

/* Of these links, those to the endpoint of a node. */
static loom_links to_node(const struct loom_elite5_tree *tree, uint32_t router, loom_links links,
                          uint32_t node) {
  loom_links found = 0;
  for (; links; links &= links - 1) {
    struct loom_net_end far;
    if (far_end(tree, router, loom_ctz(links), &far) && !far.router && far.device == node)
      found |= links & (~links + 1);
  }
  return found;
}

/* Of these links, those to routers that have a way. */
static loom_links to_routers(const struct loom_elite5_tree *tree, uint32_t router,
                             loom_links links) {
  loom_links found = 0;
  for (; links; links &= links - 1) {
    struct loom_net_end far;
    if (far_end(tree, router, loom_ctz(links), &far) && far.router && tree->way[far.device])
      found |= links & (~links + 1);
  }
  return found;
}

static loom_links lowest(loom_links links) { return links & (~links + 1); }

/* ---- routes to nodes ------------------------------------------------------------------------- */

/* tree->way of all routers for this node: down if they can, else up. */
static void find_ways(struct loom_elite5_tree *tree, uint32_t node) {
  for (uint32_t r = 0; r < tree->routers; r++) {
    loom_links down = down_links(tree, r);
    bool leaf = r < tree->per_level[0];
    tree->way[r] = leaf ? to_node(tree, r, down, node) : to_routers(tree, r, down);
  }
  for (uint32_t r = tree->routers; r-- > 0;)
    if (!tree->way[r])
      tree->way[r] = to_routers(tree, r, up_links(tree, r));
}

/* The class of a mask in a router. A class once written never changes, so that tables can be
 * rewritten under traffic; false when there is no room for another one. */
static bool find_class(struct loom_elite5_tree *tree, uint32_t router, loom_links mask,
                       uint16_t *class) {
  uint32_t room = tree->net->cfg.router.CLASSES;
  loom_links *masks = tree->masks + (size_t)router * room;
  uint32_t k = 0;
  while (k < tree->classes[router] && masks[k] != mask)
    k++;
  if (k == room)
    return false;
  *class = (uint16_t)k;
  if (k == tree->classes[router]) {
    masks[tree->classes[router]++] = mask;
    loom_elite5_net_write(tree->net, router, LOOM_ELITE5_REG_MASK + 2 * k, mask);
    loom_elite5_net_write(tree->net, router, LOOM_ELITE5_REG_CLASS_COUNT, k + 1);
  }
  return true;
}

bool loom_elite5_tree_routes(struct loom_elite5_tree *tree) {
  for (uint32_t node = 0; node < tree->nodes; node++) {
    find_ways(tree, node);
    for (uint32_t r = 0; r < tree->routers; r++) {
      uint16_t *written = &tree->dest_class[(size_t)r * tree->nodes + node], class;
      if (!find_class(tree, r, tree->way[r], &class))
        return false;
      if (*written != class)
        loom_elite5_net_write(tree->net, r, LOOM_ELITE5_REG_DEST + node, class);
      *written = class;
    }
  }
  return true;
}

/* ---- broadcast groups ------------------------------------------------------------------------ */

uint32_t loom_elite5_tree_root(const struct loom_elite5_tree *tree) {
  uint32_t root = tree->first[tree->cfg.levels - 1];
  while (root + 1 < tree->routers && tree->off[root])
    root++;
  return root;
}

/* The first link of a member that can be used: its copy comes over it. */
static bool entry_of(const struct loom_elite5_tree *tree, uint32_t node,
                     struct loom_net_end *plug) {
  for (uint32_t link = 0; link < tree->cfg.node_links; link++) {
    struct loom_net_end far;
    *plug = loom_elite5_tree_plug(tree, node, link);
    if (far_end(tree, plug->device, plug->lane, &far))
      return true;
  }
  return false;
}

/* Adds a member: which routers it is below, over which down link of each. False if nothing leads to
 * it. */
static bool add_member(struct loom_elite5_tree *tree, uint32_t node) {
  struct loom_net_end plug;
  if (!entry_of(tree, node, &plug))
    return false;
  for (uint32_t r = 0; r < tree->routers; r++) {
    if (r < tree->per_level[0])
      tree->way[r] = r == plug.device ? 1u << plug.lane : 0;
    else
      tree->way[r] = lowest(to_routers(tree, r, down_links(tree, r)));
    tree->group[r] |= tree->way[r];
    tree->members[r] += tree->way[r] != 0;
  }
  return true;
}

/* tree->way of all routers: up to those that span the group, or to the root. */
static void find_ways_up(struct loom_elite5_tree *tree, uint32_t members, bool fixed) {
  uint32_t root = loom_elite5_tree_root(tree);
  for (uint32_t r = tree->routers; r-- > 0;) {
    loom_links up = to_routers(tree, r, up_links(tree, r));
    bool end = fixed ? r == root : tree->members[r] == members;
    tree->way[r] = end ? LOOM_TREE_HERE : fixed ? lowest(up) : up;
  }
}

void loom_elite5_tree_group(struct loom_elite5_tree *tree, uint32_t group, const bool *member,
                            bool fixed) {
  uint32_t members = 0;
  memset(tree->group, 0, tree->routers * sizeof *tree->group);
  memset(tree->members, 0, tree->routers * sizeof *tree->members);
  for (uint32_t node = 0; member && node < tree->nodes; node++)
    members += member[node] && add_member(tree, node);
  find_ways_up(tree, members, fixed);
  uint32_t entry = LOOM_ELITE5_REG_MASK + 2 * (tree->net->cfg.router.CLASSES + 2 * group);
  for (uint32_t r = 0; r < tree->routers; r++) {
    bool spans = tree->members[r] == members;
    loom_links below = spans ? tree->group[r] : tree->way[r] & up_links(tree, r);
    loom_elite5_net_write(tree->net, r, entry + spans, below);
    loom_elite5_net_write(tree->net, r, entry + 3, tree->group[r]);
  }
}
