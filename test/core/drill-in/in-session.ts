import type { DrillInAnswer } from "../../../src/core/drill-in/drill-in.js";
import { internals, type Offloader } from "../../../src/core/pipeline/offloader.js";
import type { PutOptions } from "../../../src/core/pipeline/put-options.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import type { ToolOutput } from "../../../src/core/types/output.js";
import type { RunningCall } from "../../../src/core/types/running-call.js";
import type { OffloadResult } from "../../../src/core/types/result.js";
import type { Reference } from "../../../src/plugins/references/reference.js";
import { createResolver } from "../../../src/plugins/references/reference-value.js";

export const SESSION = "s";
const SESSION_KEY: string = sessionKeyOf(SESSION);
export const CALL: RunningCall = { sessionKey: SESSION_KEY };

type Offloaded = Extract<OffloadResult, { outcome: "offloaded" }>;

interface InSession {
  run(tool: string, args: object): Promise<DrillInAnswer>;
  offload(value: unknown, about?: Partial<ToolOutput>): Promise<Offloaded>;
  put(value: unknown, about?: Partial<PutOptions>): Promise<StoredArtifact>;
  ask(tool: string, args: object): Promise<string>;
  /** What a tool gets that is passed this reference. */
  referred(reference: Reference): Promise<unknown>;
}

/** Stores in one session of an offloader, and asks there. */
export function inSession(offloader: Offloader): InSession {
  const run: InSession["run"] = (tool, args) => offloader.drillIn.run(tool, args, CALL);
  return {
    run,
    async offload(value, about) {
      const output = { toolName: "t", value, sessionId: SESSION, ...about };
      const result = await offloader.offload(output);
      if (result.outcome !== "offloaded") throw new Error(`the output is ${result.outcome}`);
      return result;
    },
    put: async (value, about = {}) =>
      (await offloader.put(value, { sessionId: SESSION, ...about })).storedArtifact,
    ask: async (tool, args) => (await run(tool, args)).text,
    async referred(reference) {
      const use = { toolName: "u", parameter: "rows", maxBytes: 1e9 };
      const resolve = createResolver(internals(offloader).core.drillIns());
      const { value, problem } = await resolve(reference, CALL, use);
      if (problem !== undefined) throw new Error(problem);
      return value;
    },
  };
}
