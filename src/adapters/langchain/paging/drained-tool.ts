import * as z from "zod";
import type { StructuredToolInterface } from "@langchain/core/tools";

import { unwrapOutput } from "../../../core/content/unwrap.js";
import { OffloadError } from "../../../core/types/errors.js";
import { callback, checkedOptions, count, optionsOf, timerMs } from "../../../util/option-rules.js";
import { elementTexts, placeAt, textAt } from "../../../core/content/json/json-text.js";
import { orAborted } from "../../../util/abort.js";
import { fieldOf } from "../../../util/field-of.js";
import { copyWith } from "../tool/around-call.js";
import { afterCall, partsOf } from "../tool/tool-calls.js";
import { isFinished, isGenerator } from "../tool/tool-message.js";
import { emit } from "../../../core/types/events.js";

/** How a tool pages. Its pages must be JSON objects. */
export interface DrainedToolOptions {
  /** Keys from a page to its array of records, joined by dots, such as `data.items`. */
  readonly recordsAt: string;
  /** Keys from a page to the cursor of the next one, joined by dots, such as `next_cursor`. */
  readonly cursorAt: string;
  /**
   * Name of the tool's argument that takes the cursor.
   *
   * @defaultValue `"cursor"`
   */
  readonly cursorArgument?: string;
  /** Most pages, the first among them; at least 1. @defaultValue `100` */
  readonly maxPages?: number;
  /** Longest time for all later pages, in milliseconds. @defaultValue `60_000` */
  readonly timeoutMs?: number;
  /** Called after each page; what it throws is ignored. */
  readonly onProgress?: (progress: DrainProgress) => void;
}

const schema = optionsOf({
  maxPages: count.optional(),
  timeoutMs: timerMs.optional(),
  onProgress: callback.optional(),
  recordsAt: z.string(),
  cursorAt: z.string(),
  cursorArgument: z.string().min(1).optional(),
});

/** Short enough to stand whole in a descriptor. */
const NOTE = "One part only: later pages were not fetched.";
/** A cursor that leads back to a page that is here would only be followed round. */
const NOTE_OF_ROUND = "One part only: the pages lead back to each other.";

/**
 * A new tool with the same name, description, schema and type that fetches all pages in one call,
 * so that the complete set is what is measured and offloaded. Records keep their JSON text.
 *
 * One page is returned as it came; several as one JSON array, without a cursor. A set with pages
 * missing is `{"complete":false,"note":…,"pages":…,"next_cursor":…,"records":[…]}`: a call with that cursor
 * goes on where this one stopped. There is none where the pages lead back to each other. What is no such page is
 * returned as it came. A later page that fails costs that page and those after it, never the call.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the tool was not made with LangChain, or an
 * option cannot be used.
 * @source LRO specification, Relationship to Pagination.
 */
export function drained<T extends StructuredToolInterface>(
  tool: T,
  options: DrainedToolOptions,
): T {
  const original: unknown = Reflect.get(tool, "_call");
  if (typeof original !== "function") {
    throw new OffloadError(
      "INVALID_OPTIONS",
      `${tool.name} has no \`_call\`, so its pages cannot be fetched. Make it with tool().`,
    );
  }
  const call: Call = (...given) => Reflect.apply(original, tool, given);
  const checked = checkedOptions<DrainedToolOptions>("drained", schema, options);
  return copyWith(tool, { _call: drainedCall(tool, call, checked) });
}

/** LangChain's `_call`: arguments, run manager and config in, output (or a promise of it) out. */
type Call = (args: unknown, runManager: unknown, config: unknown) => unknown;

function drainedCall(tool: object, call: Call, options: DrainedToolOptions): Call {
  const { recordsAt, cursorAt, cursorArgument = "cursor", ...limits } = options;
  const hasArtifact = Reflect.get(tool, "responseFormat") === "content_and_artifact";

  /** `undefined` when the output is no page. */
  function pageIn(returned: unknown): Page | undefined {
    const [value, artifact] = partsOf(tool, returned);
    if (isFinished(value)) return undefined;
    const { text, keptBlocks } = unwrapOutput({ value, artifact });
    if (text === undefined || keptBlocks.length > 0) return undefined;
    try {
      JSON.parse(text);
    } catch {
      return undefined;
    }
    const place = placeAt(text, recordsAt.split("."));
    const records = place && elementTexts(text, place);
    return records && { records, cursor: cursorIn(text) };
  }

  function cursorIn(page: string): unknown {
    const place = placeAt(page, cursorAt.split("."));
    const text = place && textAt(page, place);
    const cursor: unknown = text && JSON.parse(text);
    // A number that JavaScript cannot hold would ask for another page, so its text is handed on.
    if (Number.isInteger(cursor) && !Number.isSafeInteger(cursor)) return text;
    // Some services end with `false`.
    return cursor === false ? undefined : cursor;
  }

  async function finish(
    first: unknown,
    [args, runManager, config]: Parameters<Call>,
  ): Promise<unknown> {
    const page = pageIn(first);
    if (page === undefined) return first;
    const given = fieldOf(config, "signal");
    const signal = given instanceof AbortSignal ? given : undefined;
    const drained = await drainPages(
      page,
      async (cursor, over) => {
        const nextArgs = Object.assign({}, args, { [cursorArgument]: cursor });
        const own = Object.assign({}, config, { signal: over });
        const next = pageIn(await outputOf(await call(nextArgs, runManager, own)));
        if (next === undefined) throw new TypeError("What came for a cursor is no page.");
        return next;
      },
      { ...limits, signal },
    );
    if (drained.stoppedBy === undefined && drained.pages === 1) return first;
    const text = write(drained);
    // The first page's artifact may be a copy of that page, with its cursor.
    return hasArtifact ? [text, undefined] : text;
  }

  return async (...given) =>
    await afterCall(await call(...given), (returned) => finish(returned, given));
}

function write({ records, pages, cursor, stoppedBy }: DrainedPages): string {
  const list = `[${records.join(",")}]`;
  if (stoppedBy === undefined) return list;
  const goesOn =
    stoppedBy === "repeated-cursor"
      ? { note: NOTE_OF_ROUND, pages }
      : { note: NOTE, pages, next_cursor: cursor };
  const frame = JSON.stringify({ complete: false, ...goesOn });
  return `${frame.slice(0, -1)},"records":${list}}`;
}

/** What a tool returned, without the events that it yields on the way. */
async function outputOf(returned: unknown): Promise<unknown> {
  if (!isGenerator(returned)) return returned;
  for (;;) {
    const { done, value } = await returned.next();
    if (done === true) return value;
  }
}

/** Progress of a tool that fetches all its pages, after each page. */
export interface DrainProgress {
  /** Pages so far, the first among them. */
  readonly pages: number;
  readonly records: number;
  readonly elapsedMs: number;
}

/** JSON texts of a page's records, and the cursor of the page after it: `undefined`, `null` or an empty text on the last page. */
export interface Page {
  readonly records: readonly string[];
  readonly cursor: unknown;
}

/** The records of all pages that were fetched, in order. */
interface DrainedPages {
  readonly records: readonly string[];
  readonly pages: number;
  /** Where the missing pages begin, and why they are missing. `repeated-cursor`: a page pointed back to one that was fetched. */
  readonly cursor?: unknown;
  readonly stoppedBy?: "max-pages" | "timeout" | "repeated-cursor" | "page-failed";
}

/**
 * Fetches the pages after the first, one after the other, until there is none or a bound is met. A
 * later page that fails ends it: what was fetched before is returned.
 *
 * @param nextPage - Its signal is aborted when the page is given up.
 * @throws The signal's reason when it is aborted.
 */
export async function drainPages(
  firstPage: Page,
  nextPage: (cursor: unknown, signal: AbortSignal) => Page | Promise<Page>,
  {
    maxPages = 100,
    timeoutMs = 60_000,
    onProgress,
    signal,
  }: Pick<DrainedToolOptions, "maxPages" | "timeoutMs" | "onProgress"> & {
    readonly signal?: AbortSignal | undefined;
  },
): Promise<DrainedPages> {
  signal?.throwIfAborted();
  const startedAt = performance.now();
  const late = AbortSignal.timeout(timeoutMs);
  const over = signal === undefined ? late : AbortSignal.any([signal, late]);
  const seen = new Set<string>();
  const records: string[] = [];
  let pages = 0;

  function take(page: Page): unknown {
    for (const record of page.records) records.push(record);
    pages += 1;
    const elapsedMs = performance.now() - startedAt;
    emit(onProgress, { pages, records: records.length, elapsedMs });
    return page.cursor;
  }

  let cursor = take(firstPage);
  while (cursor !== undefined && cursor !== null && cursor !== "") {
    const end = { records, pages, cursor };
    if (pages >= maxPages) return { ...end, stoppedBy: "max-pages" };
    const name = JSON.stringify(cursor);
    if (seen.has(name)) return { ...end, stoppedBy: "repeated-cursor" };
    seen.add(name);
    try {
      const fetched = Promise.resolve(nextPage(cursor, over));
      const page = await orAborted(fetched, over);
      signal?.throwIfAborted();
      cursor = take(page);
    } catch {
      signal?.throwIfAborted();
      return { ...end, stoppedBy: late.aborted ? "timeout" : "page-failed" };
    }
  }
  return { records, pages };
}
