import type { DetailLevel } from "../../../src/core/types/artifact.js";
import type { Content } from "../../../src/core/types/content.js";
import { rowsContent, textContent, valuesContent } from "./fixture.js";

const NAMESPACES = [
  "_semantic/decisions",
  "_semantic/knowledge",
  "_procedural/patterns",
  "_episodic/incidents",
];
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

/** MIF memories in the shape of the LRO specification; every seventh lacks a field, every ninth has `null`s. */
export function memories(length: number, detail: DetailLevel): Record<string, unknown>[] {
  return times(length, (index) => {
    const memory: Record<string, unknown> = {
      id: `0b8e5a1c-7d2f-4c3e-9a10-${String(index).padStart(12, "0")}`,
      memory_type: ["semantic", "episodic", "procedural"][index % 3],
      title: `Use ${words(index, 3)}`,
      namespace: NAMESPACES[index % NAMESPACES.length],
      tags: index % 2 === 0 ? ["architecture", WORDS[index % WORDS.length]] : [],
      status: "active",
      created: day(index),
      modified: day(index + 3),
      content: detail === "light" ? "" : `We chose ${words(index, 20)}.`,
    };
    if (detail === "medium")
      Object.assign(memory, { summary: words(index, 6), confidence: (index % 10) / 10 });
    if (detail === "full") {
      Object.assign(memory, {
        summary: words(index, 6),
        entities: [{ type: "Technology", name: WORDS[index % WORDS.length] }],
        relationships: [{ type: "RelatesTo", target: `urn:mif:${index}` }],
        wiki_links: [],
        embedding: null,
        provenance: {
          confidence: (index % 10) / 10,
          trust_level: "verified",
          source_type: "user_explicit",
          agent: "a",
        },
        temporal: {
          decay: { model: "none", half_life: null },
          ttl: null,
          valid_from: day(index),
          valid_until: null,
        },
        extensions: {},
        blocks: {},
        citations: [],
      });
    }
    const often = ["title", "namespace", "tags", "content", "confidence", "created"];
    if (index % 7 === 3) for (const key of [...often, "provenance"]) delete memory[key];
    if (index % 9 === 4) for (const key of [...often, "memory_type"]) memory[key] = null;
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

/** Outputs as tools return them, narrow and 200 fields wide, with the operation that made them. */
export const SAMPLES: readonly {
  readonly name: string;
  readonly operation: string;
  readonly make: () => Content;
}[] = [
  {
    name: "memories, light",
    operation: "recall",
    make: () => valuesContent(memories(200, "light")),
  },
  {
    name: "memories, medium",
    operation: "inject",
    make: () => valuesContent(memories(200, "medium")),
  },
  {
    name: "memories, full",
    operation: "export_memories",
    make: () => valuesContent(memories(200, "full")),
  },
  { name: "issues", operation: "search_issues", make: () => valuesContent(issues(300)) },
  {
    name: "issues in pages",
    operation: "list_issues",
    make: () =>
      valuesContent(issues(100), {
        path: ["data", "items"],
        envelope: '{"total":4213,"next":"https://api.example/issues?page=2","data":{"items":[]}}',
      }),
  },
  { name: "pods, nested", operation: "list_pods", make: () => valuesContent(pods(150)) },
  {
    name: "records with 200 fields",
    operation: "read_sensors",
    make: () => valuesContent(wide(30)),
  },
  { name: "orders, CSV", operation: "export_orders", make: () => rowsContent(table(6, 400, ",")) },
  {
    name: "CSV with 200 columns",
    operation: "export_wide",
    make: () => rowsContent(table(200, 40, ",")),
  },
  {
    name: "orders, TSV",
    operation: "export_orders",
    make: () => rowsContent(table(8, 300, "\t"), "tsv"),
  },
  {
    name: "numbers",
    operation: "read_series",
    make: () => valuesContent(times(2_000, (index) => (index * 31) % 997)),
  },
  { name: "log", operation: "read_log", make: () => textContent(logLines(2_000), "log") },
  {
    name: "one JSON document",
    operation: "get_openapi",
    make: () =>
      textContent(
        JSON.stringify({
          openapi: "3.1.0",
          info: { title: "Orders" },
          paths: Object.fromEntries(
            times(80, (index) => [`/orders/${index}`, { get: { summary: words(index, 8) } }]),
          ),
        }),
        "json-document",
      ),
  },
];
