import type { Jq } from "jq-wasm";
import { openSource, type ByteReader } from "./byte-reader.js";
import { readJqErrors } from "./jq-errors.js";
import { wrapFilter } from "./jq-filter.js";
import type { JqJob, JqReply, JqResult } from "./jq-job.js";
import { loadBoundedJq, type JqStreams } from "./jq-module.js";
import { createJqOutput, type JqOutput } from "./jq-output.js";
import { createRowsReader } from "./rows-reader.js";
import { mendSurrogateEscapes } from "./surrogate-escapes.js";

/** Kept of what jq prints as errors; a million failing records print a million lines. */
const MAX_ERROR_BYTES = 16 * 1024;

/** An instance that has grown beyond this is not kept: its memory never shrinks. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

const COMPILE_ERROR = 3;

/** Thrown through jq to end a run whose answer is complete. */
const STOP = new Error("stop");

/**
 * Runs one job after the other, on one instance of jq for as long as it stays clean and small. The
 * first is loaded at once, so that it is ready when a job comes.
 */
export function createJqRunner(): (job: JqJob) => Promise<JqReply> {
  let streams: JqStreams | undefined;
  const currentStreams = (): JqStreams => {
    if (streams === undefined) throw STOP;
    return streams;
  };
  let instance: Promise<Jq> | undefined = loadBoundedJq(currentStreams);

  /**
   * Compiles the filter without its brackets, so that jq's message shows the caller's own text.
   * Without input and without `-n` nothing is run.
   */
  function compileAlone(job: JqJob, jq: Jq): JqResult | undefined {
    const check = createRun(job, { read: () => 0, close: () => {} });
    streams = check.streams;
    const flags = job.flags.filter((flag) => flag !== "-n" && flag !== "-s");
    const result = check.finish(() => jq.raw("", job.filter, [...flags, "--"]).exitCode);
    if (check.mustDiscard()) instance = undefined;
    if (result.error?.includes("module not found") === true) {
      return { ...result, error: "jq: error: import and include are not available here" };
    }
    return result.error === undefined ? undefined : result;
  }

  return async (job) => {
    instance ??= loadBoundedJq(currentStreams);
    const jq = await instance;
    let source: ByteReader;
    try {
      source = openSource(job.source);
    } catch (error) {
      return { ok: false, message: String(error) };
    }
    const run = createRun(job, source);
    streams = run.streams;
    try {
      const result = run.finish(() => jq.raw("", wrapFilter(job.filter), [...job.flags]).exitCode);
      if (run.mustDiscard()) instance = undefined;
      if (run.exitCode() !== COMPILE_ERROR) return { ok: true, result };
      return { ok: true, result: compileAlone(job, jq) ?? result };
    } finally {
      streams = undefined;
      source.close();
    }
  };
}

interface Run {
  readonly streams: JqStreams;
  finish(start: () => number): JqResult;
  mustDiscard(): boolean;
  exitCode(): number;
}

function createRun(job: JqJob, source: ByteReader): Run {
  const deadline = performance.now() + job.softTimeoutMs;
  const output: JqOutput = createJqOutput(job);
  const input =
    job.delimiter === undefined
      ? mendSurrogateEscapes(source)
      : createRowsReader(source, job.delimiter);
  let stderr = Buffer.alloc(0);
  let code = 0;
  let timedOut = false;
  let refusedMemory = false;
  let heapBytes = 0;
  let broken = false;
  let fault: string | undefined;

  function checkTime(): void {
    if (performance.now() < deadline) return;
    timedOut = true;
    throw STOP;
  }

  const streams: JqStreams = {
    read(target) {
      checkTime();
      try {
        return input.read(target);
      } catch (error) {
        fault = `The data cannot be read: ${error instanceof Error ? error.message : String(error)}`;
        throw STOP;
      }
    },
    write(bytes) {
      if (!output.push(bytes)) throw STOP;
      checkTime();
    },
    writeError(bytes) {
      if (stderr.length < MAX_ERROR_BYTES) {
        stderr = Buffer.concat([stderr, bytes.subarray(0, MAX_ERROR_BYTES - stderr.length)]);
      }
      checkTime();
    },
    mayGrow(wantedBytes) {
      refusedMemory = wantedBytes > job.maxMemoryBytes;
      heapBytes = Math.max(heapBytes, wantedBytes);
      return !refusedMemory;
    },
  };

  function finish(start: () => number): JqResult {
    let outOfMemory = false;
    try {
      code = start();
    } catch (error) {
      broken = true;
      if (error !== STOP) {
        // jq gives up with an abort when memory is refused, by us or by its own ceiling.
        outOfMemory = refusedMemory || stderr.includes("cannot allocate memory");
        fault ??= outOfMemory ? undefined : `jq gave up: ${String(error)}`;
      }
    }
    const error = outOfMemory ? undefined : (fault ?? readJqErrors(stderr.toString("utf8"), code));
    return {
      output: output.text(),
      resultCount: output.resultCount(),
      truncated: output.truncated(),
      error,
      timedOut,
      outOfMemory,
    };
  }

  return {
    streams,
    finish,
    mustDiscard: () => broken || heapBytes > MAX_KEPT_BYTES,
    exitCode: () => code,
  };
}
