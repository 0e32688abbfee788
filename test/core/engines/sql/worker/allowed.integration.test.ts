import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ALLOWED_FUNCTIONS } from "../../../../../src/core/engines/sql/worker/allowed.js";
import { recordsTable, rows, run, startEngine } from "../../../drill-in/sql-tables.js";

const engine = startEngine();
afterAll(() => engine.close());

const output = recordsTable(
  ["Oslo", "Rome", "Oslo", "Bern", "Rome", "Oslo"].map((city, at) => ({
    id: at + 1,
    city,
    price: at * 1.5,
    tags: at % 2 === 0 ? ["new", "red"] : ["old"],
    place: { lat: 59 + at, street: { name: `Street ${at}` } },
    made: `2026-01-0${at + 1}T03:04:05Z`,
    raw: at === 0 ? [1] : { n: at },
  })),
);
const rates = recordsTable(
  [
    { city: "Oslo", rate: 2 },
    { city: "Rome", rate: 3 },
  ],
  { name: "rates" },
);

/** Queries that a model may well write, and what comes first of each answer, or an expression that it matches. */
const USEFUL: readonly (readonly string[])[] = [
  ...String.raw`
  SELECT count(*) FROM output WHERE price < 1e400 ⇒ 6
  select * exclude (tags, place, raw, made) from output limit 1 ⇒ 1 | Oslo | 0
  SELECT * REPLACE (upper(city) AS city) FROM output LIMIT 1 ⇒ /^1 \| OSLO/
  SELECT COLUMNS('^(id|city)$') FROM output LIMIT 1 ⇒ 1 | Oslo
  VALUES (1, 'a'), (2, 'b') ⇒ 1 | a
  SELECT DISTINCT ON (city) city, id FROM output ORDER BY city, id DESC ⇒ Bern | 4
  SELECT city, count(*) AS n FROM output GROUP BY ALL ORDER BY n DESC, 1 ⇒ Oslo | 3
  SELECT city, sum(price) FROM output GROUP BY city HAVING sum(price) > 5 ORDER BY 1 ⇒ Oslo | 10.5
  SELECT city, count(*) FROM output GROUP BY ROLLUP (city) ORDER BY 1 NULLS FIRST ⇒ NULL | 6
  SELECT median(price), mode(city), quantile_cont(price, 0.9) FROM output ⇒ 3.75 | Oslo | 6.75
  SELECT arg_max(city, price), max_by(id, price), min(price) FROM output ⇒ Oslo | 6 | 0
  SELECT list(id ORDER BY id DESC) FROM output ⇒ [6,5,4,3,2,1]
  SELECT histogram(city) FROM output ⇒ {"Bern":1,"Oslo":3,"Rome":2}
  SELECT approx_count_distinct(city) > 0, bool_and(id > 0), any_value(city) FROM output ⇒ /^true \| true/
  SELECT id, lag(price, 1, -1) OVER (ORDER BY id), lead(id) OVER w FROM output WINDOW w AS (ORDER BY id) ⇒ 1 | -1 | 2
  SELECT sum(price) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM output ORDER BY id ⇒ 0
  SELECT city, id FROM output QUALIFY rank() OVER (PARTITION BY city ORDER BY id) = 1 ORDER BY id ⇒ Oslo | 1
  SELECT o.id, r.rate FROM output o JOIN rates r ON o.city = r.city ORDER BY 1 ⇒ 1 | 2
  SELECT id FROM output o SEMI JOIN rates r USING (city) ORDER BY id LIMIT 1 ⇒ 1
  SELECT o.id, r.rate FROM output o ASOF JOIN rates r ON o.id >= r.rate ORDER BY 1 ⇒ 2 | 2
  SELECT id FROM output o WHERE EXISTS (FROM rates r WHERE r.city = o.city) ORDER BY 1 ⇒ 1
  SELECT (SELECT max(rate) FROM rates), id = ANY(SELECT rate FROM rates) FROM output WHERE id = 2 ⇒ 3 | true
  WITH t AS (SELECT city, sum(price) s FROM output GROUP BY 1), u AS (FROM t WHERE s > 3) FROM u ORDER BY 1 ⇒ Bern | 4.5
  WITH tables AS MATERIALIZED (SELECT 1 AS x) FROM tables ⇒ 1
  WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 9) SELECT sum(n) FROM r ⇒ 45
  SELECT city FROM output UNION SELECT city FROM rates EXCEPT SELECT 'Rome' ORDER BY 1 ⇒ Bern
  SELECT id FROM output UNION ALL BY NAME SELECT rate FROM rates LIMIT 1 ⇒ /^1/
  SELECT * FROM (SELECT city, price FROM output) PIVOT (sum(price) FOR city IN ('Oslo', 'Rome')) ⇒ 10.5 | 7.5
  PIVOT (SELECT city, id FROM output) ON city IN ('Oslo') USING count(*) ORDER BY 1 ⇒ /^1 \| 1/
  UNPIVOT (SELECT id, price FROM output WHERE id = 2) ON id::DOUBLE AS id, price ⇒ id | 2
  SELECT tag, count(*) FROM (SELECT unnest(tags) AS tag FROM output) GROUP BY 1 ORDER BY 1 ⇒ new | 3
  SELECT id, t.tag FROM output, unnest(tags) AS t(tag) ORDER BY 1, 2 ⇒ 1 | new
  SELECT list_transform(tags, lambda t: upper(t)), list_filter(tags, x -> x <> 'red') FROM output ⇒ ["NEW","RED"] | ["new"]
  SELECT [x || '!' FOR x IN tags IF x = 'new'], len(tags), tags[1], tags[-1:] FROM output ⇒ ["new!"] | 2 | new | ["red"]
  SELECT flatten([[1], [2]]), list_distinct([1, 1]), len(list_zip([1], ['a'])), generate_series(1, 3) ⇒ /^\[1,2\] \| \[1\]/
  SELECT place.lat, place.street.name, place['lat'], struct_extract(place, 'lat') FROM output ⇒ 59 | Street 0 | 59 | 59
  SELECT {'a': 1, 'b': 'x'}, struct_pack(c := 2), map {'k': 1}['k'] FROM output ⇒ {"a":1,"b":"x"} | {"c":2} | 1
  SELECT raw->>'$.n', raw->'n', json_extract_string(raw, '$.n'), json_type(raw) FROM output WHERE id = 2 ⇒ 1 | 1 | 1 | OBJECT
  SELECT json_group_array(id), json_object('a', 1), to_json(tags), json_array_length('[1,2]') FROM output GROUP BY tags LIMIT 1 ⇒ /\| \{"a":1\} \|/
  SELECT count(*) FROM output, json_tree(raw) ⇒ 12
  SELECT made::TIMESTAMP, CAST(made AS DATE), made::TIMESTAMP::TIME FROM output LIMIT 1 ⇒ 2026-01-01 03:04:05 | 2026-01-01 | 03:04:05
  SELECT date_trunc('month', made::TIMESTAMP), count(*) FROM output GROUP BY 1 ⇒ 2026-01-01 00:00:00 | 6
  SELECT TIMESTAMP '2026-01-01 12:00:00' AT TIME ZONE 'UTC' IS NOT NULL, current_date > DATE '2020-01-01', now() IS NOT NULL ⇒ true | true | true
  SELECT regexp_matches(city, '^O'), regexp_extract(city, '(.)$', 1), regexp_replace(city, 's', 'z') FROM output ⇒ true | o | Ozlo
  SELECT city LIKE 'O%', city ILIKE 'o%', city NOT LIKE '%z', city GLOB 'O*', starts_with(city, 'Os') FROM output ⇒ true | true | true | true | true
  SELECT TRY_CAST('x' AS INTEGER), coalesce(NULL, 1), nullif(1, 1), ifnull(NULL, 2), if(true, 1, 2), try(1 // 0) ⇒ NULL | 1 | NULL | 2 | 1 | NULL
  SELECT CASE WHEN price > 3 THEN 'high' ELSE 'low' END, price BETWEEN 0 AND 1, id IN (1, 2), city IS DISTINCT FROM 'x' FROM output ⇒ low | true | true | true
  SELECT 170141183460469231731687303715884105727, 1e300, -0.0, 0x1F, 1_000, 'a'::BLOB, INTERVAL 3 DAY, NULL ⇒ /^170141183460469231731687303715884105727 \| /
  SELECT sum(x) FROM range(5) t(x) ⇒ 10
  SELECT g::DATE FROM generate_series(DATE '2026-01-01', DATE '2026-01-03', INTERVAL 1 DAY) AS s(g) LIMIT 1 ⇒ 2026-01-01
  SELECT count(*) FROM output USING SAMPLE reservoir(3 ROWS) REPEATABLE (42) ⇒ /\d/
  SELECT id FROM output ORDER BY city COLLATE NOCASE DESC NULLS LAST, id LIMIT 1 OFFSET 1 ⇒ 5
  SELECT city FROM output ORDER BY city COLLATE de LIMIT 1 ⇒ Bern
  SELECT #1, count(*) FROM (SELECT city FROM output) GROUP BY #1 ORDER BY 2 DESC ⇒ Oslo | 3
  DESCRIBE output ⇒ /^id \| BIGINT/
  SUMMARIZE output ⇒ /^id \| BIGINT \| 1 \| 6/
  SHOW TABLES ⇒ output
  SELECT table_name, column_name FROM information_schema.columns ORDER BY 1, ordinal_position LIMIT 1 ⇒ output | id
  SELECT typeof(id), typeof(tags), typeof(place.lat) FROM output LIMIT 1 ⇒ BIGINT | VARCHAR[] | BIGINT
  SELECT count(*) FROM memory.main.output JOIN main.rates ON true ⇒ 12
  SELECT output.city, o FROM output AS o, output WHERE o.id = 1 AND output.id = 1 ⇒ /^Oslo \| \{/`
    .split(/\n\s*/)
    .slice(1)
    .map((line) => line.split(" ⇒ ")),
  ["/* first */ SELECT 1 -- one\n;", "1"],
];

it.each(USEFUL)(
  "SQL that only reads what it was given is answered: %s",
  async (query = "", first = "") => {
    const [row = "no row"] = await rows(engine, [output, rates], query);
    if (first.startsWith("/")) expect(row).toMatch(new RegExp(first.slice(1, -1)));
    else expect(row).toBe(first);
  },
);

describe("the functions of the installed DuckDB", () => {
  let known: readonly (readonly [name: string, kind: string])[] = [];
  beforeAll(async () => {
    const instance = await DuckDBInstance.create(":memory:");
    const connection = await instance.connect();
    const found = await connection.runAndReadAll(
      "SELECT DISTINCT lower(function_name), function_type FROM duckdb_functions() ORDER BY 1, 2",
    );
    known = found.getRows().map(([name, kind]) => [String(name), String(kind)]);
    connection.closeSync();
  });

  it("are refused by name when they are not in the list, as values and in FROM", async () => {
    const callable = known.filter(([name, kind]) => kind !== "pragma" && /^\w+$/.test(name));
    const names = new Set(
      callable.map(([name]) => name).filter((name) => !ALLOWED_FUNCTIONS.has(name)),
    );
    expect(names.size).toBeGreaterThan(100);
    for (const name of ["a_function_of_tomorrow", ...names]) {
      for (const query of [
        `SELECT "${name}"('x')`,
        `FROM "${name}"('x')`,
        `SELECT system.main."${name}"()`,
      ]) {
        const { error } = await run(engine, [output, rates], query);
        expect([query, error]).toEqual([
          query,
          expect.stringContaining(`There is no function ${name} here.`),
        ]);
      }
    }
  });

  it("are named by their own names: none in the list is unknown", () => {
    const names = new Set(known.map(([name]) => name));
    const bySyntax = new Set("coalesce escape if ifnull overlay try list_reduce unnest".split(" "));
    expect(
      [...ALLOWED_FUNCTIONS].filter((name) => !names.has(name) && !bySyntax.has(name)),
    ).toEqual([]);
  });
});
