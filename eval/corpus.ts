import { memoryCorpus } from "../bench/corpus.js";
import type { Condition } from "./question.js";
import { type Random, randomOf } from "./random.js";
import { type JsonRecord, numberAt, textAt } from "./record.js";

const REGIONS = ["north", "south", "east", "west"];
const STATUSES = ["open", "paid", "shipped", "returned"];
const TIERS = ["basic", "plus", "business"];
const PRODUCTS = ["lamp", "desk", "chair", "shelf", "rug", "clock", "mirror", "stool"];
const WISHES = ["leave", "ring", "call", "wait", "knock", "write", "pack", "wrap", "stack", "sign"];
const PLACES =
  "gate hall shed porch garage office kitchen cellar lobby yard attic stairs ramp dock".split(" ");
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const PEOPLE = "Ada Ben Cleo Dan Eva Finn Gus Hana Ivo Jo Kim Lea".split(" ");
const START_MS = Date.UTC(2025, 0, 1);

/** Seeded orders with a nested customer, money with cents and a note; oldest first. */
function ordersOf(count: number, seed: number): JsonRecord[] {
  const { below, hex, pick } = randomOf(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `ord-${hex(12)}`,
    placed: new Date(START_MS + index * 600_000 + below(500_000)).toISOString(),
    region: pick(REGIONS),
    status: pick(STATUSES),
    customer: { name: `${pick(PEOPLE)} ${hex(4)}`, tier: pick(TIERS) },
    product: pick(PRODUCTS),
    quantity: 1 + below(9),
    amount: (500 + below(99_500)) / 100,
    note: `Please ${pick(WISHES)} at the ${pick(PLACES)} before ${pick(DAYS)}, ask for ${pick(PEOPLE)}.`,
  }));
}

/** Names of the corpora. */
export type CorpusName = "memories" | "orders";

/** A set of records of any size, the tool that returns it, and what is asked about it. */
export interface Corpus {
  readonly name: CorpusName;
  readonly tool: string;
  readonly description: string;
  /** Arguments that the tool insists on. */
  readonly args: Readonly<Record<string, string>>;
  /** Always the same records for the same number and seed; `id` differs in all of them. */
  readonly records: (count: number, seed: number) => readonly JsonRecord[];
  /** An id of the right form that no record has. */
  readonly strangeId: (random: Random) => string;
  /** Paths that the questions are about. */
  readonly paths: {
    readonly count: string;
    readonly group: string;
    readonly top: string;
    readonly search: string;
    readonly mean: string;
    readonly newest: string;
  };
  /** Conditions of the filter question, which this record meets. */
  readonly filter: (record: JsonRecord) => readonly Condition[];
}

/** MIF memories as in the evaluation of the LRO paper, and orders as any API returns them. */
export const CORPORA: Readonly<Record<CorpusName, Corpus>> = {
  memories: {
    name: "memories",
    tool: "recall_memories",
    description: "Returns the stored memories.",
    args: { detail: "full" },
    records: (count, seed) => memoryCorpus(count, "full", seed).map(withId),
    strangeId: ({ hex }) => `${hex(8)}-${hex(4)}-4${hex(3)}-b${hex(3)}-${hex(12)}`,
    paths: {
      count: "provenance.trust_level",
      group: "namespace",
      top: "provenance.confidence",
      search: "title",
      mean: "provenance.confidence",
      newest: "created",
    },
    filter: (record) => [
      { path: "namespace", is: textAt(record, "namespace") },
      { path: "extensions.priority", atLeast: numberAt(record, "extensions.priority") },
      { path: "content", contains: textAt(record, "title").split(":")[0] ?? "" },
    ],
  },
  orders: {
    name: "orders",
    tool: "list_orders",
    description: "Returns the orders of the shop.",
    args: {},
    records: ordersOf,
    strangeId: ({ hex }) => `ord-${hex(11)}x`,
    paths: {
      count: "customer.tier",
      group: "region",
      top: "amount",
      search: "note",
      mean: "amount",
      newest: "placed",
    },
    filter: (record) => [
      { path: "status", is: textAt(record, "status") },
      { path: "amount", atLeast: Math.floor(numberAt(record, "amount")) },
    ],
  },
};

function withId(record: Readonly<Record<string, unknown>>): JsonRecord {
  return { ...record, id: textAt(record, "id") };
}
