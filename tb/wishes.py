# SPDX-License-Identifier: Apache-2.0
"""Random wishes for `loom vlarb solve` (docs/vlarb.md), for the benches that try its answers."""


def draw_shares(rng, count):
    """Percent with two decimals, none below 0.5, that sum to 100."""
    parts = [rng.uniform(1, 1 + 20 * rng.random()) for _ in range(count)]
    whole = [50 + int(p * (10000 - 50 * count) / sum(parts)) for p in parts]
    whole[0] += 10000 - sum(whole)
    return [w / 100 for w in whole]


def draw_vl(rng, vl, share, mtu):
    """Waits, where there are any, are up to three times what the share needs, or a little less."""
    wish = {"vl": vl, "share": share}
    if rng.random() < 0.3:
        wish["gap"] = int(mtu * (100 / share - 1) * rng.uniform(1.2, 3)) + mtu
    if rng.random() < 0.2:
        wish["distance"] = max(2, int(100 / share * rng.uniform(0.8, 2)))
    if len(wish) == 2 and rng.random() < 0.1:
        wish["table"] = "low"
    return wish


def draw(rng, vls=15, sizes=(16, 32, 64)):
    """Wishes of VLs below `vls` for tables of one of the sizes, as the file has them."""
    mtu = rng.choice([256, 512, 1024, 2048, 4096])
    count = rng.randint(2, vls)
    chosen = sorted(rng.sample(range(vls), count))
    wish = {"mtu": mtu, "high": rng.choice(sizes), "low": rng.choice(sizes)}
    if rng.random() < 0.1:
        wish["limit"] = rng.randint(1, 20)
    wish["vls"] = [draw_vl(rng, vl, share, mtu) for vl, share in zip(chosen, draw_shares(rng, count))]
    return wish


def write(path, wish):
    lines = [f"{key}: {wish[key]}" for key in wish if key != "vls"] + ["vls:"]
    for v in wish["vls"]:
        lines.append("  - {" + ", ".join(f"{key}: {v[key]}" for key in v) + "}")
    path.write_text("\n".join(["---", *lines, "..."]) + "\n")
