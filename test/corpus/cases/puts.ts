import { forTool, memoryStore, metaCc, type ToolOutput } from "../entries.js";
import { pieces, records, words } from "../data.js";
import type { Case } from "../pins.js";
import { type Given, put, walked, type WalkRow } from "../walk.js";

const broken = { ...memoryStore(), put: () => Promise.reject(new Error("disk full")) };
const failingStream = () =>
  pieces(3, (index) => {
    if (index > 1) throw new Error("the source went away");
    return "text";
  });
/** What is no option of an output, and one of `put`. */
const also = (given: Record<string, unknown>): Given => given;
const long = `Why did it die?\n${words(4_000)}\nWhich request was it?`;
const user: Partial<ToolOutput> = {
  origin: "user",
  toolName: "user_message",
  toolCallId: undefined,
  unwrapped: true,
};

const BY_HAND: readonly WalkRow[] = [
  { name: "records, with a title", output: { value: records(30), title: "Orders of May" } },
  { name: "a small text", output: { value: "yes" } },
  { name: "an empty text", output: { value: "" } },
  {
    name: "what has no text",
    output: [{ value: undefined }, { value: [] }, { value: [{ type: "image", data: "AAAA" }] }],
  },
  {
    name: "an image beside a text",
    output: {
      value: [
        { type: "text", text: "seen" },
        { type: "image", data: "AAAA" },
      ],
    },
  },
  {
    name: "switched off, out of scope and cut in place",
    options: { enabled: false, scope: { include: [] }, decide: { mode: "truncate" } },
    output: { value: words(2_000) },
  },
  {
    name: "a gate that throws",
    options: {
      decide: {
        gates: [
          () => {
            throw new Error("gate");
          },
        ],
      },
    },
    output: { value: "text" },
  },
  {
    name: "a turn that is full is not asked",
    options: { decide: { turnBudget: { tokens: 1 } } },
    output: { value: words(300) },
  },
  {
    name: "a selection is not asked",
    options: { selectResultSet: () => "another" },
    output: { value: "text" },
  },
  {
    name: "as a tool with options of its own",
    options: { scope: { perTool: { logs: forTool(metaCc({ environment: {} })) } } },
    output: { value: words(90), toolName: "logs" },
  },
  {
    name: "in a form and for a time of its own",
    output: { value: records(200), ...also({ form: "bare", ttlMs: 5_000 }) },
  },
  {
    name: "a stream",
    output: () => ({ value: pieces(300, (id) => ({ id, name: `record ${id}` })) }),
  },
  { name: "a stream of nothing", output: () => ({ value: pieces(0, () => "") }) },
  { name: "a stream that throws", output: () => ({ value: failingStream() }) },
  {
    name: "a stream that was aborted",
    output: () => ({ value: failingStream(), signal: AbortSignal.abort(new Error("stopped")) }),
  },
  { name: "a store that fails", options: { store: broken }, output: { value: "text" } },
  {
    name: "a store that fails, and all of it may stay",
    options: { store: broken, decide: { onStoreFailure: "inline" } },
    output: { value: "text" },
  },
  {
    name: "equal values with equal and other titles",
    output: [
      { value: "text", title: "a" },
      { value: "text", title: "a" },
      { value: "text", title: "b" },
    ],
  },
  {
    name: "options that are not allowed",
    output: [
      { value: "x", sessionId: "" },
      { value: "x", title: 5 as never },
      { value: "x", ...also({ ttlMs: 0 }) },
      { value: "x", toolName: 5 as never },
    ],
  },
  {
    name: "a message of the user",
    output: [
      { value: long, origin: "user" },
      { value: "short", origin: "user" },
    ],
  },
  {
    name: "a message of the user, and a store that fails",
    options: { store: broken },
    output: { value: long, origin: "user" },
  },
];

const OTHER_DOORS: readonly WalkRow[] = [
  { name: "through the walk: always", output: { value: "a short text", always: true } },
  {
    name: "through the walk: always, switched off",
    options: { enabled: false, decide: { mode: "truncate" } },
    output: { value: "a short text", always: true },
  },
  {
    name: "through the walk: always, and a store that fails",
    options: { store: broken },
    output: { value: words(2_000), always: true },
  },
  {
    name: "through the walk: always, without text",
    output: [
      { value: "", always: true },
      { value: undefined, always: true },
    ],
  },
  {
    name: "through the walk: always, of the user",
    output: { value: "short", always: true, ...user },
  },
  { name: "a user's message: long", output: { value: long, ...user } },
  { name: "a user's message: within the limit", output: { value: "short", ...user } },
  {
    name: "a user's message: out of a tool's scope",
    options: { scope: { include: [] } },
    output: { value: long, ...user },
  },
  {
    name: "a user's message: switched off",
    options: { enabled: false },
    output: { value: long, ...user },
  },
  {
    name: "a user's message: where outputs are cut in place",
    options: { decide: { mode: "truncate" } },
    output: { value: long, ...user },
  },
  {
    name: "a user's message: a store that fails",
    options: { store: broken },
    output: { value: long, ...user },
  },
  {
    name: "a user's message: a gate that throws",
    options: {
      decide: {
        gates: [
          () => {
            throw new Error("gate");
          },
        ],
      },
    },
    output: { value: long, ...user, conversation: { contextWindowTokens: 100 } },
  },
  {
    name: "a user's message: a describer of one's own",
    options: {
      describe: {
        describer: async () => await Promise.resolve({ form: "bare", text: "mine", tokens: 1 }),
      },
    },
    output: { value: long, ...user },
  },
  { name: "a user's message: records", output: { value: JSON.stringify(records(200)), ...user } },
  {
    name: "a user's message: in a turn's budget",
    options: { decide: { turnBudget: { tokens: 10 } } },
    output: { value: words(900), ...user },
  },
];

export const puts: readonly Case[] = walked([
  ...BY_HAND.map((row) => ({ ...row, door: put, name: `put: ${row.name}` })),
  ...OTHER_DOORS,
]);
