import { memoryCorpus } from "../../../bench/corpus.js";
import type { DetailLevel } from "../../../src/core/types/artifact.js";
import type { Content } from "../../../src/core/types/content.js";
import { rowsContent, textContent, valuesContent } from "./fixture.js";

const TOPICS = "cache index retry queue token schema shard lease replica cursor batch window";
const WORDS = TOPICS.split(" ");
const words = (seed: number, length: number): string =>
  Array.from(
    { length },
    (_, index) => WORDS[(seed * 7 + index * (1 + (seed % 5))) % WORDS.length],
  ).join(" ");
const day = (index: number): string =>
  new Date(1_700_000_000_000 + index * 86_400_000).toISOString();
export const times = <Value>(length: number, make: (index: number) => Value): Value[] =>
  Array.from({ length }, (_, index) => make(index));

const OFTEN = ["title", "namespace", "tags", "content", "confidence", "created"];

/** MIF memories of the LRO specification; every seventh lacks some fields, every ninth has `null`s. */
export function memories(length: number, detail: DetailLevel): Record<string, unknown>[] {
  return memoryCorpus(length, detail).map((memory, index) => {
    if (index % 7 === 3) for (const key of [...OFTEN, "provenance"]) delete memory[key];
    if (index % 9 === 4) for (const key of [...OFTEN, "memory_type"]) memory[key] = null;
    return memory;
  });
}

export function issues(length: number): Record<string, unknown>[] {
  return times(length, (index) => ({
    id: 2_000_000 + index,
    number: index + 1,
    title: `Fix ${words(index, 5)}`,
    state: index % 3 === 0 ? "closed" : "open",
    user: { login: `user-${index % 12}`, id: index % 12, site_admin: false },
    labels: index % 4 === 0 ? [] : [{ name: "bug", color: "d73a4a" }],
    comments: (index * 37) % 23,
    created_at: day(index),
    closed_at: index % 3 === 0 ? day(index + 9) : null,
    body: index % 5 === 0 ? null : words(index, 30),
  }));
}

function pods(length: number): Record<string, unknown>[] {
  return times(length, (index) => ({
    metadata: {
      name: `web-${index}`,
      namespace: index % 2 === 0 ? "default" : "kube-system",
      labels: { app: WORDS[index % 3] },
    },
    spec: {
      nodeName: `node-${index % 5}`,
      containers: [{ image: `registry.example/${WORDS[index % 4]}:1.${index}` }],
    },
    status: {
      phase: ["Running", "Pending", "Failed"][index % 3],
      restarts: index % 6,
      startTime: day(index),
    },
  }));
}

function wide(length: number): Record<string, unknown>[] {
  return times(length, (row) =>
    Object.fromEntries(
      times(200, (column) => [
        `measurement_${column}_${WORDS[column % WORDS.length]}`,
        column % 3 === 0 ? row * column : column % 3 === 1 ? `value ${row % 4}` : row % 2 === 0,
      ]),
    ),
  );
}

function table(columns: number, length: number, separator: string): string {
  const header = [
    "order_id",
    "region",
    "amount",
    "ordered_at",
    ...times(columns - 4, (index) => `attribute_${index}`),
  ];
  const rows = times(length, (row) => [
    String(1000 + row),
    ["north", "south", "west"][row % 3],
    row % 8 === 5 ? "" : (row * 1.25).toFixed(2),
    day(row).slice(0, 10),
    ...times(columns - 4, (column) => `a${(row + column) % 9}`),
  ]);
  return [header, ...rows].map((cells) => cells.join(separator)).join("\n");
}

function logLines(length: number): string {
  return times(
    length,
    (index) =>
      `${day(index)} ${index % 17 === 0 ? "ERROR" : "INFO"} worker-${index % 8}: ${words(index, 8)}`,
  ).join("\n");
}

const PAGE = {
  path: ["data", "items"],
  envelope: '{"total":4213,"next":"https://api.example/issues?page=2","data":{"items":[]}}',
};
const openApi = (): string =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Orders" },
    paths: Object.fromEntries(
      times(80, (index) => [`/orders/${index}`, { get: { summary: words(index, 8) } }]),
    ),
  });
const numbers = times(2_000, (index) => (index * 31) % 997);

/** Outputs as tools return them, narrow and 200 fields wide, with the operation that made them. */
export const SAMPLES: readonly {
  readonly name: string;
  readonly operation: string;
  readonly make: () => Content;
}[] = (
  [
    ["memories, light", "recall", () => valuesContent(memories(200, "light"))],
    ["memories, medium", "inject", () => valuesContent(memories(200, "medium"))],
    ["memories, full", "export_memories", () => valuesContent(memories(200, "full"))],
    ["issues", "search_issues", () => valuesContent(issues(300))],
    ["issues in pages", "list_issues", () => valuesContent(issues(100), PAGE)],
    ["pods, nested", "list_pods", () => valuesContent(pods(150))],
    ["records with 200 fields", "read_sensors", () => valuesContent(wide(30))],
    ["orders, CSV", "export_orders", () => rowsContent(table(6, 400, ","))],
    ["CSV with 200 columns", "export_wide", () => rowsContent(table(200, 40, ","))],
    ["orders, TSV", "export_orders", () => rowsContent(table(8, 300, "\t"), "tsv")],
    ["numbers", "read_series", () => valuesContent(numbers)],
    ["log", "read_log", () => textContent(logLines(2_000), "log")],
    ["one JSON document", "get_openapi", () => textContent(openApi(), "json-document")],
  ] as const
).map(([name, operation, make]) => ({ name, operation, make }));
