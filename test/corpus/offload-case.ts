import { describeUserMessage } from "../../src/adapters/langchain/human-messages/human-messages.js";
import { internals } from "../../src/core/pipeline/offloader.js";
import type { Offloader, OffloadOptions, ToolOutput } from "./entries.js";
import type { Case } from "./pins.js";
import { SESSION } from "./rig.js";

/** An output of which only what matters is given; a list of them is one turn. */
export type Given = Partial<ToolOutput>;

/** How an output comes to the walk. */
export type WayIn = (offloader: Offloader, given: readonly Given[]) => Promise<unknown>;

/** A row of a table: the output is a function where it has a state. */
export interface PipelineRow {
  readonly name: string;
  readonly options?: OffloadOptions;
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

/** A message of the user, as the plugin for them hands it in. */
export const asUser: WayIn = async (offloader, [given = {}]) => {
  const output = { ...outputOf(given), describer: describeUserMessage };
  return await tellOf(internals(offloader).core.offloadUser(output), output.value);
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
      const offloader = rig.offloader(options);
      const given = typeof output === "function" ? output() : output;
      const result = await policy(offloader, isList(given) ? given : [given]);
      await offloader.close();
      return await rig.pinned(result);
    },
  }));
}

function isList(given: Given | readonly Given[]): given is readonly Given[] {
  return Array.isArray(given);
}
