import type { StructuredToolInterface } from "@langchain/core/tools";
import * as z from "zod";

import { elementTexts, placeAt, textAt } from "../../../core/content/json/json-text.js";
import { unwrapOutput } from "../../../core/content/unwrap.js";
import { OffloadError } from "../../../core/types/errors.js";
import { emit } from "../../../core/types/events.js";
import { orAborted } from "../../../util/abort.js";
import { fieldOf } from "../../../util/field-of.js";
import { callback, checkedOptions, count, optionsOf, timerMs } from "../../../util/option-rules.js";
import { aroundCall, afterCall, partsOf } from "../tool/wrapped-tool.js";
import { isFinished, isGenerator } from "../tool/tool-message.js";

/** How a tool pages. Its pages must be JSON objects. */
export interface DrainedToolOptions {
  /** Keys from a page to its array of records, joined by dots, such as `data.items`. */
  readonly recordsAt: string;
  /** Keys from a page to the cursor of the next one, joined by dots, such as `next_cursor`. */
  readonly cursorAt: string;
  /** Name of the tool's argument that takes the cursor. @defaultValue `"cursor"` */
  readonly cursorArgument?: string;
  /** Maximum number of pages, including the first; at least 1. @defaultValue `100` */
  readonly maxPages?: number;
  /** Time limit for all later pages together, in milliseconds. @defaultValue `60_000` */
  readonly timeoutMs?: number;
  /** Called after each page. Errors it throws are ignored. */
  readonly onProgress?: (progress: DrainProgress) => void;
}

/** Progress of a tool that fetches all its pages, after each page. */
export interface DrainProgress {
  /** Pages so far, including the first. */
  readonly pages: number;
  readonly records: number;
  readonly elapsedMs: number;
}

const schema = optionsOf({
  maxPages: count.optional(),
  timeoutMs: timerMs.optional(),
  onProgress: callback.optional(),
  recordsAt: z.string(),
  cursorAt: z.string(),
  cursorArgument: z.string().min(1).optional(),
});

const NOTE = "One part only: later pages were not fetched.";
const NOTE_OF_ROUND = "One part only: the pages lead back to each other.";

interface Page {
  readonly records: readonly string[];
  readonly cursor: unknown;
}

/**
 * Returns a new tool with the same name, description, schema and type that fetches all pages in one call, so that the
 * complete set is measured and offloaded. Records keep their JSON text. One page is returned unchanged, several as one
 * JSON array without a cursor. An incomplete set is
 * `{"complete":false,"note":…,"pages":…,"next_cursor":…,"records":[…]}`, and a call with that cursor continues it. The
 * cursor is missing where the pages lead back to each other. A result that is no such page is returned unchanged. If a
 * later page fails, that page and those after it are missing, but the call succeeds.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the tool was not made with LangChain, or an option
 * cannot be used.
 * @source LRO specification, Relationship to Pagination.
 */
export function drained<T extends StructuredToolInterface>(
  tool: T,
  options: DrainedToolOptions,
): T {
  if (typeof Reflect.get(tool, "_call") !== "function")
    throw new OffloadError(
      "INVALID_OPTIONS",
      `${tool.name} has no \`_call\`, so its pages cannot be fetched. Make it with tool().`,
    );
  const checked = checkedOptions<DrainedToolOptions>("drained", schema, options);
  const { cursorArgument = "cursor" } = checked;
  return aroundCall(
    tool,
    async (args, config, call) =>
      await afterCall(await call(config), async (first) => {
        const firstPage = pageIn(tool, first, checked);
        if (firstPage === undefined) return first;
        const nextPage = async (cursor: unknown, signal: AbortSignal): Promise<Page> => {
          const nextArgs = Object.assign({}, args, { [cursorArgument]: cursor });
          const returned = await call(Object.assign({}, config, { signal }), nextArgs);
          const next = pageIn(tool, await outputOf(returned), checked);
          if (next === undefined) throw new TypeError("What came for a cursor is no page.");
          return next;
        };
        const text = await drainedText(firstPage, nextPage, checked, fieldOf(config, "signal"));
        if (text === undefined) return first;
        // The first page's artifact may be a copy of that page, with its cursor.
        return Reflect.get(tool, "responseFormat") === "content_and_artifact"
          ? [text, undefined]
          : text;
      }),
  );
}

function pageIn(
  tool: object,
  returned: unknown,
  { recordsAt, cursorAt }: DrainedToolOptions,
): Page | undefined {
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
  const cursorPlace = placeAt(text, cursorAt.split("."));
  return records && { records, cursor: cursorPlace && cursorOf(textAt(text, cursorPlace)) };
}

function cursorOf(json: string): unknown {
  const cursor: unknown = JSON.parse(json);
  // JavaScript would round this number and ask for another page, so its text is passed on.
  if (Number.isInteger(cursor) && !Number.isSafeInteger(cursor)) return json;
  return cursor === false ? undefined : cursor;
}

async function outputOf(returned: unknown): Promise<unknown> {
  if (!isGenerator(returned)) return returned;
  for (;;) {
    const { done, value } = await returned.next();
    if (done === true) return value;
  }
}

/** `undefined` when the first page is all. @throws The signal's reason when it is aborted. */
async function drainedText(
  firstPage: Page,
  nextPage: (cursor: unknown, signal: AbortSignal) => Promise<Page>,
  { maxPages = 100, timeoutMs = 60_000, onProgress }: DrainedToolOptions,
  given: unknown,
): Promise<string | undefined> {
  const signal = given instanceof AbortSignal ? given : undefined;
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

  function part(note: string, nextCursor?: unknown): string {
    const frame = JSON.stringify({ complete: false, note, pages, next_cursor: nextCursor });
    return `${frame.slice(0, -1)},"records":[${records.join(",")}]}`;
  }

  let cursor = take(firstPage);
  while (cursor !== undefined && cursor !== null && cursor !== "") {
    const name = JSON.stringify(cursor);
    if (seen.has(name)) return part(NOTE_OF_ROUND);
    if (pages >= maxPages) return part(NOTE, cursor);
    seen.add(name);
    try {
      cursor = take(await orAborted(nextPage(cursor, over), over));
      signal?.throwIfAborted();
    } catch {
      signal?.throwIfAborted();
      // A failed or late page loses itself and the pages after it.
      return part(NOTE, cursor);
    }
  }
  return pages === 1 ? undefined : `[${records.join(",")}]`;
}
