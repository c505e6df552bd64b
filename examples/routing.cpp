/* SPDX-License-Identifier: Apache-2.0 */
// routing.cpp - in C++: a ring of switches, routed in two ways, one of which can deadlock
#include <cstdint>
#include <cstdio>
#include <memory>

#include <loom/routing.h>
#include <loom/topo.h>

namespace {

using topo_ptr = std::unique_ptr<loom_topo, decltype(&loom_topo_destroy)>;
using routing_ptr = std::unique_ptr<loom_routing, decltype(&loom_routing_destroy)>;

// `n` switches in a ring, a host at each: port 1 to the next switch, 2 to the last one, 3 to the
// host. Every device has a port 0 as well.
topo_ptr ring(uint32_t n) {
  topo_ptr t(loom_topo_create(2 * n, n * (4 + 2)), loom_topo_destroy);
  if (!t)
    return t;
  for (uint32_t i = 0; i < n; i++)
    loom_topo_add(t.get(), LOOM_TOPO_SWITCH, 3, "S%u", unsigned(i));
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t host = loom_topo_add(t.get(), LOOM_TOPO_HCA, 1, "H%u", unsigned(i));
    loom_topo_connect(t.get(), i, 3, host, 1);
    loom_topo_connect(t.get(), i, 1, (i + 1) % n, 2);
  }
  loom_topo_number(t.get());
  return t;
}

bool judge(const loom_topo *t, const char *name, loom_routing_engine engine) {
  const loom_routing_options as_usual{};
  loom_routing_error why;
  loom_routing_worth worth;
  const routing_ptr r(loom_routing_make(t, engine, &as_usual, &why), loom_routing_destroy);
  if (!r)
    return std::fprintf(stderr, "%s\n", why.text), false;
  if (!loom_routing_judge(r.get(), &worth))
    return false;
  std::printf("%s: %.2f links a path, %s\n", name, worth.hops_mean,
              worth.may_deadlock ? "can deadlock" : "cannot deadlock");
  return !worth.unreachable;
}

} // namespace

int main() {
  const topo_ptr t = ring(6);
  return t && judge(t.get(), "minhop", LOOM_ROUTING_MINHOP) &&
                 judge(t.get(), "updn", LOOM_ROUTING_UPDN)
             ? 0
             : 1;
}
