import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";

import { jsonTextOf } from "../../../util/json-text.js";
import { shareSource } from "../data-source.js";
import {
  type JqJob,
  type JqRequest,
  type JqResult,
  type JqVariable,
  type JqWorkerData,
  NO_RESULTS,
  type OutlineJob,
} from "./job.js";
import type { OutlineElsewhere } from "../../describe/outlines/outline-of.js";
import { type DrillInLimits, MAX_FILTER_CHARACTERS, softTimeoutMs } from "../limits.js";
import { wasm, type WasmModule } from "../wasm-runtime.js";
import type { Engine } from "../run-status.js";
import { createWorkerPool } from "../worker-pool.js";
import type { JsonObject } from "../../../util/is-record.js";

export type { JqRequest, JqResult } from "./job.js";

/** Without environment, files, modules or shell. */
export interface JqEngine extends Engine<JqRequest, JqResult> {
  /** `undefined` if no worker is free, or after five seconds. */
  readonly outline: OutlineElsewhere;
}

/** They are passed on jq's stack. */
const MAX_ARGS_BYTES = 64 * 1024;

const OUTLINE_MS = 5_000;

let compiled: Promise<WasmModule> | undefined;

async function compileJq(): Promise<WasmModule> {
  const { packed } = await import("../worker-source/jq-wasm.js");
  return await wasm().compile(await promisify(brotliDecompress)(Buffer.from(packed, "base64")));
}

export function createJqEngine(limits: DrillInLimits): JqEngine {
  const pool = createWorkerPool<JqJob | OutlineJob, JqResult>(
    "jq",
    NO_RESULTS,
    async () => {
      const [jqModule, { source }] = await Promise.all([
        (compiled ??= compileJq()),
        import("../worker-source/jq.js"),
      ]);
      const given: JqWorkerData = { jqModule };
      return { source, given };
    },
    limits,
  );

  return {
    ...pool,
    async run(request, signal) {
      const job = prepare(request, limits);
      if (typeof job === "string") return { ...NO_RESULTS, error: job };
      return await pool.run(await shareSources(job), limits.timeoutMs, signal);
    },
    async outline(document) {
      try {
        const over = AbortSignal.timeout(OUTLINE_MS);
        const shared = { ...document, ...(await shareSource({ bytes: document.bytes })) };
        return (await pool.run({ document: shared }, OUTLINE_MS, over)).outline;
      } catch {
        return undefined;
      }
    },
  };
}

async function shareSources(job: JqJob): Promise<JqJob> {
  const bodies: JqVariable[] = [];
  for (const body of job.bodies) bodies.push({ ...body, source: await shareSource(body.source) });
  return { ...job, bodies, source: await shareSource(job.source) };
}

function prepare(request: JqRequest, limits: DrillInLimits): JqJob | string {
  const { args = {}, bodies = [], slurp = false, ...given } = request;
  const filter = given.filter.trim() === "" ? "." : given.filter;
  if (filter.length > MAX_FILTER_CHARACTERS) {
    return `The filter has ${filter.length} characters; at most ${MAX_FILTER_CHARACTERS} are allowed.`;
  }
  if (filter.includes("\0")) return "The filter contains a NUL character.";
  const values = variableFlags(args);
  if (typeof values === "string") return values;
  return {
    ...given,
    bodies,
    filter,
    slurp,
    values,
    maxMemoryBytes: limits.maxMemoryMb * 1024 * 1024,
    softTimeoutMs: softTimeoutMs(limits.timeoutMs),
  };
}

function variableFlags(args: JsonObject): readonly string[] | string {
  const flags: string[] = [];
  for (const [name, value] of Object.entries(args)) {
    flags.push("--argjson", name, (jsonTextOf(value) ?? "null").toWellFormed());
  }
  if (Buffer.byteLength(flags.join("")) > MAX_ARGS_BYTES) {
    return `The variables are too large together: at most ${MAX_ARGS_BYTES} bytes are allowed.`;
  }
  return flags;
}
