import { messageOf } from "../../../util/error-message.js";
import { shorten } from "../../../util/safe-text.js";
import { LINE_FEED } from "../../../util/text-encoding.js";
import { isOneDocument } from "../data-source.js";
import { type ByteReader, openSource } from "../readers/byte-reader.js";
import { mendEscapes, mendSurrogateEscapes, openLines } from "../readers/record-readers.js";
import { beginRun, type OwnRun } from "../run-status.js";
import type { WasmModule } from "../wasm-runtime.js";
import { scanFilter, withDefinitions } from "./filter.js";
import {
  type JqInput,
  type JqJob,
  type JqResult,
  NO_RESULTS,
  TOO_DEEP,
  UNREADABLE,
} from "./job.js";
import { createMarkupReader } from "./markup/markup-reader.js";
import { type BoundedJq, INPUT_PATH, type JqStreams, loadBoundedJq } from "./module.js";
import { groupCountPlan, countGroups } from "./group-counts.js";

const MAX_ERROR_BYTES = 16 * 1024;

/** The memory of an instance never shrinks. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;

const COMPILE_ERROR = 3;

const STOP = new Error("stop");

const NOTHING: ByteReader = { read: () => 0, close: () => {} };

/** Reuses an instance while it stays intact and small. */
export function createJqRunner(module: WasmModule): (job: JqJob) => Promise<JqResult> {
  let instance: Promise<BoundedJq> | undefined = loadBoundedJq(module);

  async function answer(job: JqJob, own: OwnRun): Promise<JqResult> {
    let inputs: readonly ByteReader[];
    try {
      inputs = openAll(job);
    } catch (error) {
      return { ...NO_RESULTS, unreadable: String(error) };
    }
    try {
      const jq = await (instance ??= loadBoundedJq(module));
      const { result, isSpent } = finish(jq, job, inputs, own);
      if (isSpent) instance = undefined;
      return result;
    } finally {
      closeAll(inputs);
    }
  }

  return async (job) => {
    await (instance ??= loadBoundedJq(module));
    const own = beginRun(job.softTimeoutMs);
    const counted = tally(job, own);
    const short = counted && (await answer(counted, own));
    // Errors come from a run over the records.
    const isTold = short?.error === undefined && short?.unreadable === undefined;
    return short !== undefined && isTold ? short : await answer(job, own);
  };
}

/**
 * Counts instead of sorting, which takes most of the time in `group_by`. `undefined` for other jobs, and on timeouts
 * or read errors, which the real run reports.
 */
function tally(job: JqJob, own: OwnRun): JqJob | undefined {
  const plan = job.markup === undefined ? groupCountPlan(job) : undefined;
  if (plan === undefined) return undefined;
  let inputs: readonly ByteReader[] = [];
  try {
    inputs = openAll({ ...job, bodies: [] });
    const bytes = countGroups(inputs[0] ?? NOTHING, plan, () => {
      if (own.isOver()) throw STOP;
    });
    if (bytes === undefined) return undefined;
    const input = { source: { bytes }, layout: "records", set: undefined } as const;
    return { ...job, ...input, filter: plan.program, slurp: false };
  } catch {
    return undefined;
  } finally {
    closeAll(inputs);
  }
}

function flagsOf({ filter, slurp, values, bodies }: JqJob): string[] {
  const files = bodies.flatMap(({ name }) => ["--slurpfile", name, INPUT_PATH]);
  const mode = slurp ? ["-s"] : scanFilter(filter).usesInputs ? ["-n"] : [];
  return ["-c", "--unbuffered", ...mode, ...values.map(mendEscapes), ...files];
}

function openAll(job: JqJob): readonly ByteReader[] {
  const maxLineBytes = job.maxMemoryBytes;
  const opened: ByteReader[] = [];
  const open = ({ source, markup, set, ...form }: JqInput): ByteReader => {
    const lines = markup === undefined ? openLines(source, form, set, { maxLineBytes }) : undefined;
    // Lines made here have no lone surrogates.
    if (lines !== undefined && (form.layout === "rows" || form.layout === "text")) return lines;
    const whole = lines ?? openSource(source);
    const json = markup === undefined ? whole : createMarkupReader(whole, markup);
    return mendSurrogateEscapes(json, maxLineBytes);
  };
  try {
    for (const input of [...job.bodies, job]) opened.push(open(input));
    return opened;
  } catch (error) {
    closeAll(opened);
    throw error;
  }
}

function closeAll(readers: readonly ByteReader[]): void {
  for (const reader of readers) reader.close();
}

/** @param inputs - Those of the variables, then the main one. */
function finish(jq: BoundedJq, job: JqJob, inputs: readonly ByteReader[], own: OwnRun) {
  const { push, results, truncated } = createJqOutput(job);
  const main = inputs.at(-1) ?? NOTHING;
  const left = inputs.slice(0, -1);
  const files = new Map<number, ByteReader>();
  let stderr = Buffer.alloc(0);
  let timedOut = false;
  let refusedMemory = false;
  let heapBytes = 0;
  let fault: string | undefined;

  function checkTime() {
    timedOut = own.isOver();
    if (timedOut) throw STOP;
  }

  const streams: JqStreams = {
    // Numbers of closed files are reused.
    opened: (file) => void files.set(file, left.shift() ?? main),
    read(target, file) {
      checkTime();
      try {
        return (files.get(file) ?? main).read(target);
      } catch (error) {
        fault = `${UNREADABLE}: ${messageOf(error)}`;
        throw STOP;
      }
    },
    write(bytes) {
      if (!push(bytes)) throw STOP;
      checkTime();
    },
    writeError(bytes) {
      if (stderr.length < MAX_ERROR_BYTES)
        stderr = Buffer.concat([stderr, bytes.subarray(0, MAX_ERROR_BYTES - stderr.length)]);
      checkTime();
    },
    mayGrow(wantedBytes) {
      refusedMemory = wantedBytes > job.maxMemoryBytes;
      heapBytes = Math.max(heapBytes, wantedBytes);
      return !refusedMemory;
    },
  };

  let exitCode = 0;
  let outOfMemory = false;
  let isBroken = false;
  try {
    const documents = job.bodies.filter(isOneDocument).map(({ name }) => name);
    exitCode = jq.run(streams, withDefinitions(job.filter, documents), flagsOf(job));
  } catch (error) {
    isBroken = true;
    // jq aborts if memory is refused.
    outOfMemory = error !== STOP && (refusedMemory || stderr.includes("cannot allocate memory"));
    if (error !== STOP && !outOfMemory) fault ??= `jq gave up: ${String(error)}`;
  }
  if (!jq.isIntact()) return { result: TOO_DEEP, isSpent: true };
  const error = fault ?? readJqError(stderr, exitCode, isBroken);
  const result: JqResult = {
    output: results.join("\n"),
    resultCount: results.length,
    truncated: truncated(),
    error: outOfMemory ? undefined : error,
    timedOut,
    outOfMemory,
  };
  return { result, isSpent: isBroken || heapBytes > MAX_KEPT_BYTES };
}

/** In UTF-16 code units. */
const MAX_MESSAGE_CHARACTERS = 1000;

const ERROR_LINE = /^jq: (?:parse )?error/;
const VARIABLE = /--slurpfile (\w{1,63}) \/dev\/stdin/;
const PLACE = / \(at \/dev\/stdin:\d{1,15}\)/;
const LINE = /(?<= at <top-level>, line )\d{1,9}/;
const DEBUG_LINE = /^\["DEBUG:",/;

/** Output of `debug` and `stderr` is no error; that of `halt_error` is one unless the exit code is 0. */
function readJqError(stderr: Buffer, exitCode: number, isCut: boolean): string | undefined {
  const lines = stderr
    .toString("utf8")
    .split("\n")
    .filter((line) => !DEBUG_LINE.test(line));
  const places = lines.flatMap((line, at) => (ERROR_LINE.test(line) ? at : []));
  const [first, next] = places;
  if (first === undefined) {
    if (exitCode === 0) return undefined;
    const text = lines.join("\n").trim() || `jq ended with exit code ${exitCode}`;
    return shorten(text.replace(VARIABLE, "$$$1"), MAX_MESSAGE_CHARACTERS);
  }
  const text = lines
    .slice(first, next)
    .filter((line) => !/^jq: \d+ compile errors?$/.test(line))
    .join("\n");
  // The definitions stand in the line before.
  const own = exitCode === COMPILE_ERROR ? text.replace(LINE, (line) => `${+line - 1}`) : text;
  const message = shorten(own.trimEnd().replace(PLACE, ""), MAX_MESSAGE_CHARACTERS);
  if (next === undefined) return message;
  const least = isCut || stderr.length === MAX_ERROR_BYTES ? "at least " : "";
  return `${least}${places.length} errors, the first: ${message}`;
}

/** Keeps whole results up to the first one over a limit. */
function createJqOutput({ skip = 0, limit, maxOutputBytes }: JqJob) {
  const results: string[] = [];
  let pending: Uint8Array[] = [];
  let usedBytes = 0;
  let toSkip = skip;
  let full = false;

  return {
    push: (bytes: Uint8Array) => {
      let from = 0;
      while (!full && from < bytes.length) {
        const end = bytes.indexOf(LINE_FEED, from);
        const part = bytes.subarray(from, end < 0 ? bytes.length : end);
        from += part.length + 1;
        if (toSkip > 0) {
          toSkip -= end < 0 ? 0 : 1;
          continue;
        }
        usedBytes += part.length;
        full = usedBytes > maxOutputBytes || (end >= 0 && results.length === limit);
        if (full) break;
        // jq's memory changes after this call.
        pending.push(part.slice());
        if (end < 0) break;
        results.push(Buffer.concat(pending).toString("utf8"));
        pending = [];
        usedBytes += 1;
      }
      return !full;
    },
    results,
    truncated: () => full,
  };
}
