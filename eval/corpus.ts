import { memoryCorpus } from "../bench/corpus.js";
import { ordersOf } from "./orders.js";
import type { Condition } from "./question.js";
import type { Random } from "./random.js";
import { type JsonRecord, numberAt, textAt } from "./record.js";

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
