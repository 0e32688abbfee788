import { memoryStore, type ToolOutput } from "../entries.js";
import { pieces, records, words } from "../data.js";
import type { Case } from "../pins.js";
import { asUser, type Given, put, pipelineCases, type PipelineRow } from "../offload-case.js";

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
  toolName: "user_message",
  toolCallId: undefined,
};

const BY_HAND: readonly PipelineRow[] = [
  { name: "records, with a title", output: { value: records(30), title: "Orders of May" } },
  { name: "a stream that throws", output: () => ({ value: failingStream() }) },
  { name: "a store that fails", options: { store: broken }, output: { value: "text" } },
  {
    name: "options that are not allowed",
    output: [
      { value: "x", sessionId: "" },
      { value: "x", title: 5 as never },
      { value: "x", ...also({ ttlMs: 0 }) },
      { value: "x", toolName: 5 as never },
    ],
  },
];

const OTHER_DOORS: readonly PipelineRow[] = [
  { name: "a user's message: long", output: { value: long, ...user } },
  {
    name: "a user's message: a store that fails",
    options: { store: broken },
    output: { value: long, ...user },
  },
  {
    name: "a user's message: a gate that throws",
    options: {
      gates: [
        () => {
          throw new Error("gate");
        },
      ],
    },
    output: { value: long, ...user, conversation: { contextWindowTokens: 100 } },
  },
];

export const puts: readonly Case[] = pipelineCases([
  ...BY_HAND.map((row) => ({ ...row, policy: put, name: `put: ${row.name}` })),
  ...OTHER_DOORS.map((row) => ({ ...row, policy: asUser })),
]);
