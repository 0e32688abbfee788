import { setImmediate } from "node:timers/promises";

import { startEngine } from "../../../src/plugins/code/engine.js";
import { CODE_LIMITS, type CodeLimits } from "../../../src/plugins/code/options.js";
import type {
  CodeBody,
  CodeEngine,
  CodeHost,
  CodeRequest,
  CodeResult,
  MadeOutput,
} from "../../../src/plugins/code/request.js";
import { DEFAULT_DRILL_IN_LIMITS, type DrillInLimits } from "../../../src/core/engines/limits.js";

/** An engine with the usual limits, or others. */
export function startCode(
  own: Partial<CodeLimits> = {},
  limits: Partial<DrillInLimits> = {},
): CodeEngine {
  return startEngine({ ...DEFAULT_DRILL_IN_LIMITS, ...limits }, { ...CODE_LIMITS, ...own });
}

/** What code has made, as a store would hold it. */
interface Kept {
  readonly from: MadeOutput["from"];
  readonly text: string;
}

/** A host over bodies in memory, and what it was asked to keep. */
export interface TestHost extends CodeHost {
  readonly kept: Kept[];
  readonly opened: string[];
}

/** Bodies by their ids; what is made gets `made-0`, `made-1`, … and can be opened too. */
export function hostOf(
  bodies: Readonly<Record<string, CodeBody>> = {},
  more: Pick<CodeHost, "tools"> & Partial<Pick<CodeHost, "keep">> = {},
): TestHost {
  const kept: Kept[] = [];
  const opened: string[] = [];
  return {
    kept,
    opened,
    async open(reference) {
      opened.push(reference);
      await setImmediate();
      const body = bodies[reference];
      if (body === undefined) throw new Error(`there is no output ${reference}`);
      return body;
    },
    async keep({ from, pieces }) {
      const parts: Uint8Array[] = [];
      for await (const piece of pieces) parts.push(piece);
      kept.push({ from, text: Buffer.concat(parts).toString("utf8") });
      return `made-${kept.length - 1}`;
    },
    ...more,
  };
}

export function bodyOf(
  layout: CodeBody["layout"],
  text: string,
  more: Partial<CodeBody> = {},
): CodeBody {
  return { id: layout, layout, sets: undefined, source: { bytes: Buffer.from(text) }, ...more };
}

/** Records as a store lays them out. */
export function recordsBody(records: readonly unknown[], id = "records"): CodeBody {
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  return bodyOf("records", lines.join(""), { id });
}

type Run = [engine: CodeEngine, code: string, host?: CodeHost, more?: Partial<CodeRequest>];

/** Runs code and gives the whole result. */
export async function resultOf(...[engine, code, host = hostOf(), more]: Run): Promise<CodeResult> {
  return await engine.run({ code, host, maxOutputBytes: 1_000_000, ...more });
}

/** Runs code that has no fault, and gives what it returned: a value, or a text. */
export async function returnOf(...run: Run): Promise<unknown> {
  const { returned, error, timedOut, outOfMemory } = await resultOf(...run);
  if (error !== undefined || timedOut || outOfMemory)
    throw new Error(JSON.stringify({ error, timedOut, outOfMemory }));
  if (returned === undefined) return undefined;
  if (returned.keptAs !== undefined) return returned;
  return returned.form === "json" ? (JSON.parse(String(returned.text)) as unknown) : returned.text;
}
