import { CSV_FORMAT } from "../../content/table/rows.js";
import { isOneDocument } from "../data-source.js";
import { openSource, type ByteReader } from "../readers/byte-reader.js";
import { createErrorCount, readJqErrors } from "./errors.js";
import { wrapFilter } from "./filter.js";
import { beginRun, type OwnRun } from "../run-status.js";
import type { WasmModule } from "../wasm-runtime.js";
import type { EngineReply } from "../worker-pool.js";
import { type JqInput, type JqJob, type JqResult, TOO_DEEP, UNREADABLE } from "./job.js";
import { type BoundedJq, INPUT_PATH, JqFault, loadBoundedJq, type JqStreams } from "./module.js";
import { createMarkupReader } from "./markup/markup-reader.js";
import { createJqOutput, type JqOutput } from "./output.js";
import { createRowsReader } from "../readers/rows-reader.js";
import { tallyPlan } from "./tally/tally-filter.js";
import { tallyValues } from "./tally/tally-values.js";
import { createSetReader } from "../readers/set-reader.js";
import { createTextLinesReader } from "../readers/text-lines-reader.js";
import { mendSurrogateEscapes } from "../readers/surrogate-escapes.js";

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
export function createJqRunner(module: WasmModule): (job: JqJob) => Promise<EngineReply<JqResult>> {
  let streams: JqStreams | undefined;
  const currentStreams = (): JqStreams => {
    if (streams === undefined) throw STOP;
    return streams;
  };
  let instance: Promise<BoundedJq> | undefined = loadBoundedJq(module, currentStreams);

  /**
   * Compiles the filter without its brackets, so that jq's message shows the caller's own text.
   * Without input and without `-n` nothing is run.
   */
  function compileAlone(job: JqJob, jq: BoundedJq, own: OwnRun): JqResult | undefined {
    const nothing = { read: () => 0, close: () => {} };
    const readers = { main: nothing, variables: job.variables.map(() => nothing) };
    const check = createRun(job, readers, own);
    streams = check.streams;
    const flags = flagsOf(job).filter((flag) => flag !== "-n" && flag !== "-s");
    const result = check.finish(jq, job.filter, [...flags, "--"]);
    if (check.mustDiscard()) instance = undefined;
    if (result.error?.includes("module not found") === true) {
      return { ...result, error: "jq: error: import and include are not available here" };
    }
    return result.error === undefined ? undefined : result;
  }

  async function answer(job: JqJob, own: OwnRun): Promise<EngineReply<JqResult>> {
    instance ??= loadBoundedJq(module, currentStreams);
    const jq = await instance;
    let readers: Readers;
    try {
      readers = openAll(job);
    } catch (error) {
      return { ok: false, message: String(error) };
    }
    const run = createRun(job, readers, own);
    streams = run.streams;
    const documents = job.variables.filter(isOneDocument);
    const program = wrapFilter(
      job.filter,
      documents.map(({ name }) => name),
    );
    try {
      const result = run.finish(jq, program, flagsOf(job));
      if (run.mustDiscard()) instance = undefined;
      if (run.exitCode() !== COMPILE_ERROR) return { ok: true, result };
      return { ok: true, result: compileAlone(job, jq, own) ?? result };
    } finally {
      streams = undefined;
      closeAll([readers.main, ...readers.variables]);
    }
  }

  return async (job) => {
    instance ??= loadBoundedJq(module, currentStreams);
    await instance;
    const own = beginRun(job.softTimeoutMs);
    const tallied = tally(job, own);
    const short = tallied && (await answer(tallied, own));
    if (short !== undefined && isPlain(short)) return short;
    return await answer(job, own);
  };
}

/**
 * A job that gives the same answer over far fewer values, when it only counts them: the sorting of `group_by` is most of
 * what jq takes for many records. `undefined` for every other job, for data that only jq reads, and where the time was
 * over or the data cannot be read, which the run itself then tells.
 */
function tally(job: JqJob, own: OwnRun): JqJob | undefined {
  const { filter, flags, markup } = job;
  const given = { slurp: flags.includes("-s"), nullInput: flags.includes("-n") };
  const plan = markup === undefined ? tallyPlan(filter, given) : undefined;
  if (plan === undefined) return undefined;
  let main: ByteReader | undefined;
  try {
    ({ main } = openAll({ ...job, variables: [] }));
    const bytes = tallyValues(main, plan, () => {
      if (own.isOver()) throw STOP;
    });
    if (bytes === undefined) return undefined;
    const rest = flags.filter((flag) => flag !== "-s" && flag !== "-n");
    const input: JqInput = { source: { bytes }, layout: "records" };
    return { ...job, ...input, set: undefined, filter: plan.program, flags: rest };
  } catch {
    return undefined;
  } finally {
    main?.close();
  }
}

/** Whether the answer of such a job stands: errors are told of by the records themselves. */
function isPlain(reply: EngineReply<JqResult>): boolean {
  return reply.ok && reply.result.error === undefined && reply.result.printed === undefined;
}

/** What a run reads: variables in the order of their flags, then the input. */
interface Readers {
  readonly main: ByteReader;
  readonly variables: readonly ByteReader[];
}

/** jq reads a variable's file before the next one, and all of them before the input. */
function flagsOf({ flags, variables }: JqJob): string[] {
  return [...flags, ...variables.flatMap(({ name }) => ["--slurpfile", name, INPUT_PATH])];
}

function openAll(job: JqJob): Readers {
  const opened: ByteReader[] = [];
  const open = (input: JqInput): ByteReader => {
    const { layout, rowFormat = CSV_FORMAT, markup, set } = input;
    const source = openSource(input.source, set);
    opened.push(source);
    if (layout === "rows") return createRowsReader(source, rowFormat);
    if (layout === "text" && markup !== undefined)
      return mendSurrogateEscapes(createMarkupReader(source, markup), job.maxMemoryBytes);
    if (layout === "text") {
      const options = { maxLineBytes: job.maxMemoryBytes, numbered: false };
      return createTextLinesReader(source, options);
    }
    const lines = set && createSetReader(source, set.isMap, job.maxMemoryBytes);
    return mendSurrogateEscapes(lines ?? source, job.maxMemoryBytes);
  };
  try {
    return { variables: job.variables.map(open), main: open(job) };
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

function closeAll(readers: readonly ByteReader[]): void {
  for (const reader of readers) reader.close();
}

interface Run {
  readonly streams: JqStreams;
  finish(jq: BoundedJq, program: string, flags: readonly string[]): JqResult;
  mustDiscard(): boolean;
  exitCode(): number;
}

function createRun(job: JqJob, { main, variables }: Readers, own: OwnRun): Run {
  const output: JqOutput = createJqOutput(job);
  const left = [...variables];
  const files = new Map<number, ByteReader>();
  const errors = createErrorCount();
  let stderr = Buffer.alloc(0);
  let code = 0;
  let timedOut = false;
  let refusedMemory = false;
  let heapBytes = 0;
  let broken = false;
  let fault: string | undefined;

  function checkTime(): void {
    timedOut = own.isOver();
    if (timedOut) throw STOP;
  }

  const streams: JqStreams = {
    // The number of a closed file is given again.
    opened: (file) => void files.set(file, left.shift() ?? main),
    read(target, file) {
      checkTime();
      try {
        return (files.get(file) ?? main).read(target);
      } catch (error) {
        fault = `${UNREADABLE}: ${error instanceof Error ? error.message : String(error)}`;
        throw STOP;
      }
    },
    write(bytes) {
      if (!output.push(bytes)) throw STOP;
      checkTime();
    },
    writeError(bytes) {
      errors.push(bytes);
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

  function finish(jq: BoundedJq, program: string, flags: readonly string[]): JqResult {
    let outOfMemory = false;
    try {
      code = jq.raw("", program, [...flags]).exitCode;
    } catch (error) {
      broken = true;
      if (error !== STOP) {
        // jq gives up with an abort when memory is refused, by us or by its own ceiling.
        outOfMemory = refusedMemory || stderr.includes("cannot allocate memory");
        const told = error instanceof JqFault ? error.message : `jq gave up: ${String(error)}`;
        fault ??= outOfMemory ? undefined : told;
      }
    }
    if (!jq.isIntact()) {
      broken = true;
      return TOO_DEEP;
    }
    const messages = readJqErrors(stderr.toString("utf8"), code);
    const { errorLine } = messages;
    const errorCount = errors.count();
    return {
      output: output.text(),
      resultCount: output.resultCount(),
      truncated: output.truncated(),
      error: outOfMemory ? undefined : (fault ?? messages.error),
      ...(errorCount > 0 && { errorCount }),
      ...(errorLine !== undefined && { errorLine }),
      printed: messages.printed,
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
