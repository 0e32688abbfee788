import type { IncomingMessage, ServerResponse } from "node:http";

import { type Asking, askRequestOf } from "../data/ask.js";
import { bodyPage, type PagedBody, type PageRequest } from "../data/body-page.js";
import type { Catalogue } from "../data/catalogue.js";
import { outputDetail } from "../data/output.js";
import { outputsPage, sessionDetail, sessionRows, type SessionSources } from "../data/sessions.js";
import type { About, EntriesPage } from "../wire.js";
import { fieldOf } from "../../util/field-of.js";
import { bodyOf, numberIn } from "./answer.js";
import { HttpFault } from "./http-fault.js";

/** What answers are made of. */
export interface RouteParts extends SessionSources {
  readonly catalogue: Catalogue;
  readonly journalName: string | undefined;
  readonly bodies: (id: string) => Promise<PagedBody>;
  readonly asking: Asking;
  readonly now: () => number;
}

/** A request as an answer is made of it; `at` is what its address names. */
interface Asked {
  readonly at: string;
  readonly url: URL;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One answer, which is sent as JSON. */
export interface Route {
  readonly method: "GET" | "POST";
  /** Its first group is the name in it. */
  readonly path: RegExp;
  readonly answer: (asked: Asked, parts: RouteParts) => Promise<unknown>;
}

const MAX_LINES = 1000;
const MAX_FIND_CHARACTERS = 200;

/** Every question that the page can ask. */
export const ROUTES: readonly Route[] = [
  { method: "GET", path: /^\/api\/about$/, answer: async (_, parts) => await about(parts) },
  {
    method: "GET",
    path: /^\/api\/sessions$/,
    answer: async (_, parts) => await sessionRows(parts),
  },
  {
    method: "GET",
    path: /^\/api\/sessions\/([0-9a-f]{64}|none)$/,
    answer: async ({ at }, parts) => {
      const detail = await sessionDetail(sessionOf(at), parts);
      if (detail === undefined) throw new HttpFault(404, "There is no such session any more.");
      return detail;
    },
  },
  { method: "GET", path: /^\/api\/sessions\/([0-9a-f]{64}|none)\/entries$/, answer: entries },
  {
    method: "GET",
    path: /^\/api\/sessions\/([0-9a-f]{64}|none)\/outputs$/,
    answer: async ({ at, url }, parts) => {
      const from = byteIn(url, "from") ?? 0;
      const limit = numberIn(url, "limit", 1, MAX_LINES) ?? 100;
      const find = (url.searchParams.get("find") ?? "").slice(0, MAX_FIND_CHARACTERS);
      return await outputsPage(sessionOf(at), { from, limit, find }, parts);
    },
  },
  {
    method: "GET",
    path: /^\/api\/outputs\/([0-7][0-9A-HJKMNP-TV-Z]{25})$/,
    answer: async ({ at }, { catalogue, journal, folded }) =>
      await outputDetail(await catalogue.find(at), journal, folded),
  },
  {
    method: "GET",
    path: /^\/api\/outputs\/([0-7][0-9A-HJKMNP-TV-Z]{25})\/page$/,
    answer: async ({ at, url }, { bodies }) => {
      const body = await bodies(at);
      const count = numberIn(url, "count", 1, MAX_LINES) ?? 100;
      return await bodyPage(body, { place: placeIn(url), count, until: byteIn(url, "until") });
    },
  },
  {
    method: "POST",
    path: /^\/api\/outputs\/([0-7][0-9A-HJKMNP-TV-Z]{25})\/ask$/,
    answer: async ({ at, request, response }, { asking }) => {
      const asked = askRequestOf(await bodyOf(request), asking.tools);
      const gone = new AbortController();
      response.on("close", () => gone.abort());
      return await asking.ask(at, asked, gone.signal);
    },
  },
];

/** Entries of no session have an empty name, which no address has. */
function sessionOf(at: string): string {
  return at === "none" ? "" : at;
}

async function about(parts: RouteParts): Promise<About> {
  const { catalogue, journal, journalName, asking } = parts;
  const { unreadable } = await catalogue.listing();
  const losses = await journal?.losses();
  return {
    directory: catalogue.directory,
    ...(journalName !== undefined && { journal: journalName }),
    tools: asking.tools,
    unreadable,
    ...(losses !== undefined && { losses }),
  };
}

async function entries(
  { at, url }: Asked,
  { catalogue, journal }: RouteParts,
): Promise<EntriesPage> {
  if (journal === undefined) return { total: 0, entries: [], stored: {} };
  const from = byteIn(url, "from") ?? 0;
  const limit = numberIn(url, "limit", 1, MAX_LINES) ?? 100;
  const page = await journal.entries(sessionOf(at), { from, limit });
  const tools = page.entries.flatMap((entry): [string, string][] => {
    const id = "artifact" in entry ? entry.artifact.id : fieldOf(entry, "artifactId");
    const tool = typeof id === "string" ? catalogue.toolOf(id) : undefined;
    return typeof id !== "string" || tool === undefined ? [] : [[id, tool]];
  });
  return { ...page, stored: Object.fromEntries(tools) };
}

function byteIn(url: URL, name: string): number | undefined {
  return numberIn(url, name, 0, Number.MAX_SAFE_INTEGER);
}

function placeIn(url: URL): PageRequest["place"] {
  const at = byteIn(url, "at");
  if (at !== undefined) return { at };
  return { line: numberIn(url, "line", 1, Number.MAX_SAFE_INTEGER) ?? 1 };
}
