import { type ArtifactStore, memoryStore, type OffloadOptions } from "../entries.js";
import { outputsOf, records, words } from "../data.js";
import type { Case } from "../pins.js";
import { pipelineCases, type PipelineRow } from "../offload-case.js";

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
const failing = (more: OffloadOptions = {}): OffloadOptions => ({
  store: broken(),
  ...small,
  ...more,
});
const text = { value: words(2_000) };
const { "nested records": nested = "", "a log": log = "" } = outputsOf(60);
const KINDS = {
  "nested records": nested,
  "a log": log,
};
const conversation = { tokens: 2_000, contextWindowTokens: 3_000 };
const described = (describer: () => unknown): OffloadOptions => ({
  describe: { describer: wrong(describer) },
});

const ROWS: readonly PipelineRow[] = [
  ...Object.entries(KINDS).map(([kind, value]) => ({
    name: `the store fails: ${kind}, cut to its limit`,
    options: failing(),
    output: { value },
  })),
  {
    name: "the store fails: all of it would stay, and no room is left",
    options: failing({ onStoreFailure: "inline" }),
    output: [
      { ...text, conversation },
      { value: JSON.stringify(records(200)), conversation },
    ],
  },
  {
    name: "the store fails: a set behind an answer, cut",
    options: { ...failing(), selectResultSet: ({ artifact }) => artifact },
    output: { ...text, artifact: records(90) },
  },
  {
    name: "a store that gives nothing back",
    options: { ...failing(), store: broken(async () => await Promise.resolve(wrong(undefined))) },
    output: text,
  },
  {
    name: "a gate that throws",
    options: { gates: [() => fails("gate")] },
    output: [text, { ...text, conversation }],
  },
  {
    name: "a tokenizer that throws",
    options: { tokenizer: () => fails("tokenizer") },
    output: [text, { value: words(2_000, "more") }],
  },
  {
    name: "a describer that rejects",
    options: described(async () => await Promise.reject(new Error("describer"))),
    output: { value: JSON.stringify(records(120)) },
  },
  {
    name: "an offloader that was closed",
    output: text,
    policy: async (offloader, [given]) => {
      await offloader.close();
      return await offloader.offload({ toolName: "search", sessionId: "s", value: given?.value });
    },
  },
];

export const failures: readonly Case[] = pipelineCases(ROWS);
