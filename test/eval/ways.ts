/** What the calls of one tool answer a task with; each call names its outputs by number. */
export interface Way {
  readonly calls: readonly {
    /** The output of `id`, and those of `with` by name. */
    readonly id: number;
    readonly with?: Readonly<Record<string, number>>;
    readonly asks: string;
  }[];
  /** The answer that the answers come to. Default: that of the one call. */
  readonly join?: (answers: readonly unknown[]) => unknown;
}

const one = (asks: string, others?: Readonly<Record<string, number>>): Way => ({
  calls: [{ id: 0, asks, ...(others && { with: others }) }],
});

const SQL_TIME = String.raw`epoch(strptime(regexp_extract(text, '\[(\S+)', 1), '%d/%b/%Y:%H:%M:%S'))`;
const SQL_VISITS = `SELECT regexp_extract(text, '^\\S+') AS who, ${SQL_TIME} AS t, CAST(regexp_extract(text, '" (\\d+) ', 1) AS INT) AS status FROM output`;
const JQ_VISIT = String.raw`capture("^(?<who>\\S+) - - .(?<at>\\S+) [^\"]*\"[^\"]*\" (?<status>[0-9]+)") | .at |= (strptime("%d/%b/%Y:%H:%M:%S") | mktime)`;
/** Of what one call names at most. */
const SERVERS = 17;
const AT_ONCE = 8;

const pauseIn = (answer: unknown): number => (Array.isArray(answer) ? Number(answer[1]) : 0);

/** The servers in as many calls as their limit asks for. */
function byServers(asks: (names: readonly (readonly [string, number])[]) => string): Way {
  const firsts = Array.from({ length: Math.ceil(SERVERS / AT_ONCE) }, (_, n) => n * AT_ONCE);
  return {
    calls: firsts.map((id) => {
      const servers = Array.from({ length: Math.min(AT_ONCE, SERVERS - id) }, (_, n) => id + n);
      const names = servers.map((server) => [server === id ? "" : `s${server}`, server] as const);
      return { id, with: Object.fromEntries(names.slice(1)), asks: asks(names) };
    }),
    join: (answers) => answers.toSorted((one, other) => pauseIn(other) - pauseIn(one))[0],
  };
}

/** The best way in SQL that was found for each task. */
export const SQL_WAYS: Readonly<Record<string, Way>> = {
  "join-delayed-states": one(
    "SELECT state, count(*) AS n FROM output JOIN airports ON origin = iata WHERE delay > 60 GROUP BY state ORDER BY n DESC LIMIT 1",
    { airports: 1 },
  ),
  "join-strikes-per-person": one(
    `SELECT s.state, c.city FROM states s JOIN capitals c ON c.state = s.state JOIN (SELECT "Origin State" AS state, count(*) AS n FROM output GROUP BY 1) b ON b.state = s.state
     WHERE CAST(s.hurricanes AS INT) >= 10 ORDER BY n / CAST(s.population AS DOUBLE) DESC LIMIT 1`,
    { states: 1, capitals: 2 },
  ),
  "join-fertile-region": one(
    "SELECT region, round(avg(fertility), 2) AS mean FROM (SELECT DISTINCT country, region FROM output) JOIN f USING (country) WHERE year = 2005 GROUP BY region ORDER BY mean DESC LIMIT 1",
    { f: 1 },
  ),
  "sequence-sessions": one(
    `WITH v AS (${SQL_VISITS}), g AS (SELECT who, t, lag(t) OVER (PARTITION BY who ORDER BY t) AS last FROM v),
     s AS (SELECT who, count(*) FILTER (last IS NULL OR t - last > 600) OVER (PARTITION BY who ORDER BY t) AS n FROM g),
     c AS (SELECT count(*) AS n FROM s GROUP BY who, s.n) SELECT count(*), max(n) FROM c`,
  ),
  "sequence-limiter": one(
    `WITH RECURSIVE v AS (${SQL_VISITS}), p AS (SELECT who, min(t) AS t FROM v GROUP BY who UNION ALL
     SELECT p.who, min(v.t) FROM p JOIN v ON v.who = p.who AND v.t - p.t >= 60 GROUP BY p.who) SELECT (SELECT count(*) FROM v) - (SELECT count(*) FROM p)`,
  ),
  "sequence-failures-before": one(
    `WITH v AS (${SQL_VISITS}), f AS (SELECT epoch(CAST(ts AS TIMESTAMP)) AS t FROM events WHERE http.status >= 500)
     SELECT count(*) FROM v WHERE status >= 500 AND EXISTS (SELECT 1 FROM f WHERE f.t <= v.t AND v.t - f.t <= 30)`,
    { events: 1 },
  ),
  "sequence-pauses": byServers((names) => {
    const lines = names.map(
      ([name, server]) =>
        `SELECT ${server} AS server, line, ${SQL_TIME} AS t FROM ${name || "output"}`,
    );
    return `SELECT server, CAST(t - lag(t) OVER (PARTITION BY server ORDER BY line) AS INT) AS pause FROM (${lines.join(" UNION ALL ")}) ORDER BY pause DESC NULLS LAST LIMIT 1`;
  }),
};

/** The best way in jq that was found for each task. */
export const JQ_WAYS: Readonly<Record<string, Way>> = {
  "join-delayed-states": one(
    'INDEX($airports[]; .iata) as $of | reduce (inputs | select(.delay > 60)) as $f ({}; .[$of[$f.origin].state // ""] += 1) | to_entries | max_by(.value) | [.key, .value]',
    { airports: 1 },
  ),
  "join-strikes-per-person": one(
    'reduce inputs as $s ({}; .[$s["Origin State"]] += 1) | . as $n | [$states[] | select((.hurricanes | tonumber) >= 10)] | max_by(($n[.state] // 0) / (.population | tonumber)).state as $top | [$top, ($capitals[] | select(.state == $top).city)]',
    { states: 1, capitals: 2 },
  ),
  "join-fertile-region": one(
    "reduce inputs as $r ({}; .[$r.country] = $r.region) | . as $of | [$f[] | select(.year == 2005 and $of[.country]) | {r: $of[.country], fertility}] | group_by(.r) | map([.[0].r, (map(.fertility) | add / length)]) | max_by(.[1]) | .[1] |= (. * 100 | round / 100)",
    { f: 1 },
  ),
  "sequence-sessions": one(
    `reduce (inputs | ${JQ_VISIT}) as $v ({open: {}, n: 0, most: 0}; .open[$v.who] as $o
       | if $o == null or $v.at - $o.at > 600 then .n += 1 | .open[$v.who] = {at: $v.at, n: 1} else .open[$v.who] = {at: $v.at, n: ($o.n + 1)} end
       | .most = ([.most, .open[$v.who].n] | max)) | [.n, .most]`,
  ),
  "sequence-limiter": one(
    `reduce (inputs | ${JQ_VISIT}) as $v ({last: {}, n: 0}; if .last[$v.who] != null and $v.at - .last[$v.who] < 60 then .n += 1 else .last[$v.who] = $v.at end) | .n`,
  ),
  "sequence-failures-before": one(
    `[$events[] | select(.http.status >= 500) | (.ts[:19] + "Z" | fromdate) + (.ts[19:23] | tonumber)] as $times
     | [inputs | ${JQ_VISIT} | select((.status | tonumber) >= 500) | .at as $at | select(any($times[]; . <= $at and $at - . <= 30))] | length`,
    { events: 1 },
  ),
  "sequence-pauses": byServers((names) => {
    const times = (lines: string): string => `[${lines} | ${JQ_VISIT} | .at]`;
    const lists = names.map(
      ([name, server]) => `{server: ${server}, t: ${times(name ? `$${name}[]` : "inputs")}}`,
    );
    return `[${lists.join(", ")}] | map([.server, (.t | [.[1:], .[:-1]] | transpose | map(.[0] - .[1]) | max)]) | max_by(.[1])`;
  }),
};
