import { type ArtifactStore, memoryStore, metaCc, type OffloadOptions } from "../entries.js";
import { outputsOf, records, words } from "../data.js";
import type { Case } from "../pins.js";
import type { Rig } from "../rig.js";
import { walked, type WalkRow } from "../walk.js";

const fails = (message: string): never => {
  throw new Error(message);
};
const wrong = (value: unknown): never => value as never;
const broken = (
  put: ArtifactStore["put"] = () => Promise.reject(new Error("disk full")),
): ArtifactStore => ({
  ...memoryStore(),
  name: "broken",
  put,
});
const small = { threshold: { tokens: 200 } };
const failing = (more: OffloadOptions["decide"] = {}): OffloadOptions => ({
  store: broken(),
  decide: { ...small, ...more },
});
const text = { value: words(2_000) };
const KINDS = {
  ...outputsOf(60),
  bytes: Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * 7919) & 0xff)),
};
const conversation = { tokens: 2_000, contextWindowTokens: 3_000 };
const descriptor = { form: "text" as const, text: "a descriptor of one's own", tokens: 6 };
const described = (describer: () => unknown): OffloadOptions => ({
  describe: { describer: wrong(describer) },
});

const ROWS: readonly WalkRow[] = [
  ...Object.entries(KINDS).map(([kind, value]) => ({
    name: `the store fails: ${kind}, cut to its limit`,
    options: failing(),
    output: { value },
  })),
  {
    name: "the store fails: a text with an image beside it",
    options: failing(),
    output: {
      value: [
        { type: "text", text: words(900) },
        { type: "image", data: "AAAA" },
      ],
    },
  },
  {
    name: "the store fails: limits in bytes",
    options: failing({ threshold: { bytes: 900 } }),
    output: text,
  },
  {
    name: "the store fails: only gates without a limit left",
    options: failing({
      threshold: wrong(undefined),
      gates: [() => ({ tokens: 0, reason: "none left" })],
    }),
    output: text,
  },
  {
    name: "the store fails: next to no limit",
    options: failing({ threshold: { tokens: 3 } }),
    output: [text, { value: JSON.stringify(records(40)) }, { value: "a short text" }],
  },
  {
    name: "the store fails: all of it stays",
    options: failing({ onStoreFailure: "inline" }),
    output: text,
  },
  {
    name: "the store fails: all of it stays, wrapped",
    options: { ...metaCc({ environment: {} }), store: broken() },
    output: { value: words(3_000) },
  },
  {
    name: "the store fails: all of it would stay, and no room is left",
    options: failing({ onStoreFailure: "inline" }),
    output: [
      { ...text, conversation },
      { value: JSON.stringify(records(200)), conversation },
    ],
  },
  {
    name: "the store fails: all of it stays, in a window that is stated",
    options: failing({ onStoreFailure: "inline", contextWindowTokens: 1_000 }),
    output: text,
  },
  {
    name: "the store fails: the answer stays, and not the set behind it",
    options: {
      ...failing({ onStoreFailure: "inline" }),
      selectResultSet: ({ artifact }) => artifact,
    },
    output: { ...text, artifact: records(900) },
  },
  {
    name: "the store fails: a set behind an answer, cut",
    options: { ...failing(), selectResultSet: ({ artifact }) => artifact },
    output: { ...text, artifact: records(90) },
  },
  {
    name: "the store throws what is no error",
    options: { ...failing(), store: broken(async () => await Promise.reject(wrong("a text"))) },
    output: text,
  },
  {
    name: "the store throws at once",
    options: { ...failing(), store: broken(() => fails("at once")) },
    output: text,
  },
  {
    name: "a store that gives nothing back",
    options: { ...failing(), store: broken(async () => await Promise.resolve(wrong(undefined))) },
    output: text,
  },
  {
    name: "a store that is full",
    options: ({ nowMs }: Rig) => ({ store: memoryStore({ maxBytes: 9_000, now: () => nowMs }) }),
    output: [text, { value: words(2_000, "other") }],
  },
  {
    name: "a selection that throws, of a large answer",
    options: { ...failing(), selectResultSet: () => fails("no such set") },
    output: { value: words(900), conversation: { contextWindowTokens: 500 } },
  },
  {
    name: "a gate that throws",
    options: { decide: { gates: [() => fails("gate")] } },
    output: [text, { ...text, conversation }],
  },
  {
    name: "a gate that throws for records without room",
    options: { decide: { gates: [() => fails("gate")] } },
    output: { value: JSON.stringify(records(300)), conversation },
  },
  {
    name: "a gate that gives a promise",
    options: { decide: { gates: [wrong(async () => await Promise.resolve())] } },
    output: text,
  },
  {
    name: "a tokenizer that throws",
    options: { measure: { tokenizer: () => fails("tokenizer") } },
    output: [text, { value: words(2_000, "more") }],
  },
  {
    name: "a tokenizer that throws for descriptors",
    options: {
      measure: {
        tokenizer: (given) => (given.startsWith("{") ? fails("tokenizer") : given.length),
      },
    },
    output: text,
  },
  {
    name: "a tokenizer that gives no number",
    options: { measure: { tokenizer: () => wrong("many") } },
    output: text,
  },
  {
    name: "a describer of one's own",
    options: described(async () => await Promise.resolve(descriptor)),
    output: text,
  },
  { name: "a describer that throws", options: described(() => fails("describer")), output: text },
  {
    name: "a describer that rejects",
    options: described(async () => await Promise.reject(new Error("describer"))),
    output: { value: JSON.stringify(records(120)) },
  },
  {
    name: "a describer that gives nothing usable",
    options: described(() => ({ text: 5 })),
    output: text,
  },
  {
    name: "recipes of one's own",
    options: {
      describe: {
        recipes: () => [{ description: "All", filter: ".", slurp: false, raw: false, params: {} }],
      },
    },
    output: { value: JSON.stringify(records(120)) },
  },
  {
    name: "recipes that throw",
    options: { describe: { recipes: () => fails("recipes") } },
    output: { value: JSON.stringify(records(120)) },
  },
  {
    name: "recipes that are none",
    options: { describe: { recipes: () => wrong([{ filter: 5 }]) } },
    output: { value: JSON.stringify(records(120)) },
  },
  {
    name: "a file name of one's own",
    options: { fileName: ({ id, operation }) => `mine_${operation}.${id}.txt` },
    output: text,
  },
  {
    name: "a rule for file names that throws",
    options: { fileName: () => fails("name") },
    output: text,
  },
  {
    name: "a file name that no store takes",
    options: { fileName: ({ id }) => `../${id}` },
    output: text,
  },
  {
    name: "a clock that throws",
    options: { now: () => fails("clock"), decide: { mode: "truncate" } },
    output: text,
  },
  {
    name: "a listener that throws",
    options: ({ events }: Rig) => ({
      onEvent: (event) => {
        events.push(event);
        fails("listener");
      },
    }),
    output: text,
  },
  {
    name: "an offloader that was closed",
    output: text,
    door: async (offloader, [given]) => {
      await offloader.close();
      return await offloader.offload({ toolName: "search", sessionId: "s", value: given?.value });
    },
  },
];

export const failures: readonly Case[] = walked(ROWS);
