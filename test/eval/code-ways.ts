/** A line of the access log: who, when, with which status. */
const VISITS = `function* visits(id) {
  for (const line of outputs.lines(id)) {
    const [, who, day, year, time, status] = line.match(/^(\\S+) - - \\[(\\d+)\\/Mar\\/(\\d+):(\\S+) \\+0000\\] "[^"]*" (\\d+)/);
    yield { who, at: Date.parse(year + "-03-" + day + "T" + time + "Z"), status: Number(status) };
  }
}
`;

/** What one call answers each task with; `a`, `b` and `c` are its first outputs, `all` are all. */
export const CODE: Readonly<Record<string, string>> = {
  "join-delayed-states": `
    const state = new Map();
    for (const p of outputs.open(b, ["iata", "state"])) state.set(p.iata, p.state);
    const n = {};
    for (const f of outputs.open(a, ["origin", "delay"])) {
      const s = state.get(f.origin) ?? "";
      if (f.delay > 60) n[s] = (n[s] ?? 0) + 1;
    }
    return Object.entries(n).sort((x, y) => y[1] - x[1])[0];`,
  "join-strikes-per-person": `
    const strikes = {};
    for (const s of outputs.open(a, ["Origin State"])) strikes[s["Origin State"]] = (strikes[s["Origin State"]] ?? 0) + 1;
    const rate = (s) => (strikes[s.state] ?? 0) / Number(s.population);
    const [top] = [...outputs.open(b)].filter((s) => Number(s.hurricanes) >= 10).sort((x, y) => rate(y) - rate(x));
    return [top.state, outputs.open(c).find((r) => r.state === top.state).city];`,
  "join-fertile-region": `
    const region = new Map();
    for (const r of outputs.open(a, ["country", "region"])) region.set(r.country, r.region);
    const sums = {};
    for (const r of outputs.open(b)) {
      const name = region.get(r.country);
      if (r.year !== 2005 || name === undefined) continue;
      const s = (sums[name] ??= [0, 0]);
      s[0] += r.fertility;
      s[1] += 1;
    }
    const [top] = Object.entries(sums).map(([k, [sum, n]]) => [k, sum / n]).sort((x, y) => y[1] - x[1]);
    return [top[0], Math.round(top[1] * 100) / 100];`,
  "sequence-sessions": `${VISITS}
    const open = new Map();
    let sessions = 0, longest = 0;
    for (const { who, at } of visits(a)) {
      const last = open.get(who);
      const isNew = last === undefined || at - last.at > 600_000;
      if (isNew) sessions += 1;
      const n = isNew ? 1 : last.n + 1;
      open.set(who, { at, n });
      longest = Math.max(longest, n);
    }
    return [sessions, longest];`,
  "sequence-limiter": `${VISITS}
    const last = new Map();
    let refused = 0;
    for (const { who, at } of visits(a)) {
      if (at - (last.get(who) ?? -Infinity) < 60_000) refused += 1;
      else last.set(who, at);
    }
    return refused;`,
  "sequence-failures-before": `${VISITS}
    const times = [...outputs.open(b)].filter((e) => e.http.status >= 500).map((e) => Date.parse(e.ts));
    let n = 0;
    for (const { at, status } of visits(a)) if (status >= 500 && times.some((t) => t <= at && at - t <= 30_000)) n += 1;
    return n;`,
  "sequence-pauses": `${VISITS}
    let top = [0, 0];
    for (const [server, id] of all.entries()) {
      let last;
      for (const { at } of visits(id)) {
        if (at - last > top[1] * 1000) top = [server, (at - last) / 1000];
        last = at;
      }
    }
    return top;`,
};
