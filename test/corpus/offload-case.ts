import { describeUserMessage } from "../../src/adapters/langchain/human-messages/human-messages.js";
import { internals } from "../../src/core/pipeline/offloader.js";
import type { Offloader, OffloadOptions, ToolOutput } from "./entries.js";
import type { Case } from "./pins.js";
import { type Rig, SESSION } from "./rig.js";

/** An output of which only what matters is given; a list of them is one turn. */
export type Given = Partial<ToolOutput>;

/** How an output comes to the walk. */
export type WayIn = (offloader: Offloader, given: readonly Given[], rig: Rig) => Promise<unknown>;

/** A row of a table: options, output and policy are functions where they have a state. */
export interface PipelineRow {
  readonly name: string;
  readonly options?: OffloadOptions | ((rig: Rig) => OffloadOptions);
  readonly output: Given | readonly Given[] | (() => Given | readonly Given[]);
  readonly policy?: WayIn;
}

export function outputOf(given: Given): ToolOutput {
  return {
    toolName: "search",
    toolCallId: "call_1",
    value: undefined,
    sessionId: SESSION,
    ...given,
  };
}

/** `offloader.offload`, one output after another. */
const offload: WayIn = async (offloader, given) => {
  const told: unknown[] = [];
  for (const one of given) {
    const output = outputOf(one);
    told.push(await tellOf(offloader.offload(output), output.value));
  }
  return told.length === 1 ? told[0] : told;
};

/** `offloader.offloadAll`. */
export const offloadAll: WayIn = async (offloader, given) => {
  const results = await offloader.offloadAll(given.map((one) => outputOf(one)));
  return await Promise.all(
    results.map((result, index) => tellOf(Promise.resolve(result), given[index]?.value)),
  );
};

/** `offloader.put`; what the output has beside its value are the options. */
export const put: WayIn = async (offloader, given) => {
  const told: unknown[] = [];
  for (const { value, ...options } of given) {
    told.push(await tellOf(offloader.put(value, { sessionId: SESSION, ...options }), value));
  }
  return told.length === 1 ? told[0] : told;
};

/** Messages of the user, as the plugin for them hands them in. */
export const asUser: WayIn = async (offloader, given) => {
  const { offloadUser } = internals(offloader).core;
  const [one] = given.map((output) => outputOf(output));
  if (one === undefined) throw new TypeError("There is no message.");
  return await tellOf(offloadUser({ ...one, describer: describeUserMessage }), one.value);
};

/** What came of a call: values that came through as they were are not told again, of a descriptor its form is. */
export async function tellOf(call: Promise<unknown>, given?: unknown): Promise<unknown> {
  try {
    const result = Object(await call) as Record<string, unknown>;
    const isSame = "value" in result && Object.is(result["value"], given);
    const { descriptor, ...told } = result;
    const { form } = Object(descriptor) as { form?: unknown };
    return { ...told, ...(isSame && { value: "<as-it-came>" }), form };
  } catch (error) {
    return { rejected: error };
  }
}

/** The rows as cases. */
export function pipelineCases(rows: readonly PipelineRow[]): Case[] {
  return rows.map(({ name, options, output, policy = offload }) => ({
    name,
    run: async (rig) => {
      const offloader = rig.offloader(typeof options === "function" ? options(rig) : options);
      const given = typeof output === "function" ? output() : output;
      const result = await policy(offloader, isList(given) ? given : [given], rig);
      await offloader.close();
      return await rig.pinned(result);
    },
  }));
}

function isList(given: Given | readonly Given[]): given is readonly Given[] {
  return Array.isArray(given);
}
