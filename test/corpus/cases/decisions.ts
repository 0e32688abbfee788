import { headroom, type OffloadOptions } from "../entries.js";
import { records, words } from "../data.js";
import type { Case } from "../pins.js";
import { walked, type WalkRow } from "../walk.js";

const large = { value: words(2_000) };
const small = { value: words(90) };
const decide = (given: NonNullable<OffloadOptions["decide"]>): OffloadOptions => ({
  decide: given,
});
const fails = (message: string): never => {
  throw new Error(message);
};
/** What has a type that the option does not allow. */
const wrong = (value: unknown): never => value as never;

const ROWS: readonly WalkRow[] = [
  { name: "1,600 tokens stay", output: { value: words(1_600) } },
  { name: "1,601 tokens leave", output: { value: `${words(1_600)}.` } },
  {
    name: "where nobody states a limit: 6,400 tokens stay without records, 1,600 with them",
    options: { config: { env: {} } },
    output: [
      { value: words(6_400) },
      { value: `${words(6_400)}.` },
      { value: JSON.stringify({ text: words(2_000) }) },
      { value: records(40) },
      { value: records(80) },
    ],
  },
  {
    name: "a limit for what has no records",
    options: decide({ threshold: { tokens: 900 }, textThreshold: { tokens: 2_500 } }),
    output: [{ value: words(2_500) }, { value: words(2_501) }, { value: records(60) }],
  },
  {
    name: "a limit for what has no records, below the other and cut in place",
    options: decide({
      threshold: { tokens: 900 },
      textThreshold: { tokens: 300 },
      mode: "truncate",
    }),
    output: [{ value: words(301) }, { value: records(20) }, { value: records(60) }],
  },
  {
    name: "with the true tokenizer",
    options: { measure: {} },
    output: [{ value: " token".repeat(1_600) }, { value: " token".repeat(1_601) }],
  },
  {
    name: "with a tokenizer of one's own",
    options: { measure: { tokenizer: (text) => text.length } },
    output: [{ value: "x".repeat(1_600) }, { value: "x y ".repeat(401) }],
  },
  {
    name: "a limit in bytes",
    options: decide({ threshold: { bytes: 3_000 } }),
    output: [{ value: "é".repeat(1_500) }, { value: `${"é ".repeat(1_000)}.` }],
  },
  {
    name: "limits in tokens and in bytes",
    options: decide({
      threshold: { tokens: 500 },
      gates: [() => ({ bytes: 1_000, reason: "a gate" })],
    }),
    output: [{ value: words(250) }, { value: words(251) }, { value: words(501) }],
  },
  { name: "no limit at all", options: decide({ gates: [] }), output: large },
  {
    name: "a headroom of which little is left",
    options: decide({ gates: [headroom({ fraction: 0.5 })] }),
    output: [
      { ...large, conversation: { tokens: 0, contextWindowTokens: 8_000 } },
      { ...large, conversation: { tokens: 3_000, contextWindowTokens: 8_000 } },
    ],
  },
  {
    name: "the smallest of several gates",
    options: decide({
      threshold: { tokens: 900 },
      gates: [
        () => undefined,
        () => ({ tokens: 700, reason: "the smallest" }),
        () => ({ tokens: 800, reason: "no" }),
      ],
    }),
    output: { value: words(750) },
  },
  {
    name: "a gate that gives a size that is none",
    options: decide({
      gates: [
        () => ({ tokens: wrong("many"), reason: "wrong" }),
        () => ({ tokens: -1, reason: "none" }),
      ],
    }),
    output: small,
  },
  {
    name: "a gate that sees the call",
    options: decide({
      gates: [
        ({ toolName, args, outputBytes }) => ({
          bytes: 10,
          reason: `${toolName} ${String(args["q"])} ${outputBytes()}`,
        }),
      ],
    }),
    output: { ...small, args: { q: "x" } },
  },
  {
    name: "cut in place",
    options: decide({ mode: "truncate", threshold: { tokens: 150 } }),
    output: large,
  },
  {
    name: "cut in place, in bytes and tokens",
    options: decide({
      mode: "truncate",
      threshold: { tokens: 200 },
      gates: [() => ({ bytes: 400, reason: "a gate" })],
    }),
    output: { value: "日本語 ".repeat(900) },
  },
  {
    name: "cut in place to next to nothing",
    options: decide({ mode: "truncate", threshold: { tokens: 0 } }),
    output: [large, { value: "short" }],
  },
  {
    name: "cut in place, with an image beside it",
    options: decide({ mode: "truncate", threshold: { tokens: 100 } }),
    output: {
      value: [
        { type: "text", text: words(900) },
        { type: "image", data: "AAAA" },
      ],
    },
  },
  {
    name: "mode auto with tools and without",
    options: { decide: { mode: "auto" }, drillIn: false },
    output: large,
  },
  { name: "mode auto with tools", options: decide({ mode: "auto" }), output: large },
  ...(["inline", "raise", "describe"] as const).map((whenNoDrillIn) => ({
    name: `no tool to read with: ${whenNoDrillIn}`,
    options: { drillIn: false as const, decide: { whenNoDrillIn } },
    output: [large, { value: words(6_401) }],
  })),
  { name: "switched off", options: { enabled: false }, output: large },
  {
    name: "switched off for one tool",
    options: { scope: { perTool: { logs: { enabled: false } } } },
    output: [{ ...large, toolName: "logs" }, large],
  },
  {
    name: "a tool with a limit of its own",
    options: {
      scope: {
        perTool: { logs: { decide: { threshold: { tokens: 50 } }, retention: { ttlMs: 1_000 } } },
      },
    },
    output: [{ ...small, toolName: "logs" }, small],
  },
  { name: "a tool of the library", output: { ...large, toolName: "jq_tool_output" } },
  {
    name: "a tool that is not included",
    options: { scope: { include: ["other"] } },
    output: large,
  },
  {
    name: "a tool that is excluded by a rule",
    options: { scope: { exclude: (name) => name === "search" } },
    output: large,
  },
  {
    name: "a tool by its metadata",
    options: { scope: { include: { metadata: { offload: true } } } },
    output: [
      { ...large, metadata: { offload: true } },
      { ...large, metadata: { offload: 1 } },
    ],
  },
  {
    name: "a call that is left alone",
    options: { scope: { when: ({ toolCallId }) => toolCallId !== undefined } },
    output: [large, { ...large, toolCallId: undefined }],
  },
  {
    name: "a rule that throws",
    options: { scope: { include: () => fails("rule") } },
    output: large,
  },
  {
    name: "a rule that gives a promise",
    options: { scope: { when: wrong(async () => true) } },
    output: large,
  },
  {
    name: "overrides of one call",
    output: [
      { ...large, overrides: false },
      { ...large, overrides: { enabled: false } },
      { ...small, overrides: { threshold: { tokens: 50 }, form: "bare" } },
      { ...large, overrides: { threshold: { tokens: 9_999 } } },
    ],
  },
  {
    name: "overrides that are not allowed",
    output: [
      { ...large, overrides: { threshold: -1, store: "mine" } },
      { ...large, overrides: "no" },
    ],
  },
  {
    name: "no text, and an empty one",
    options: decide({ threshold: { tokens: 0 } }),
    output: [
      { value: undefined },
      { value: null },
      { value: "" },
      { value: [] },
      { value: {} },
      { value: 0 },
    ],
  },
  {
    name: "no object",
    output: [],
    door: async (offloader) =>
      await Promise.all(
        [undefined, null, 5, "text"].map((given) => offloader.offload(wrong(given))),
      ),
  },
  {
    name: "an object without anything",
    output: [],
    door: async (offloader) => await offloader.offload(wrong({})),
  },
];

export const decisions: readonly Case[] = walked(ROWS);
