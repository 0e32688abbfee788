import type { IncomingMessage, ServerResponse } from "node:http";

import * as z from "zod";

import type { Asking } from "../data/ask.js";
import type { Bodies } from "../data/body.js";
import {
  outputDetail,
  outputsPage,
  sessionDetail,
  sessionsPage,
  type Sources,
} from "../data/sessions.js";
import type { ReadEntry } from "../../plugins/journal/index.js";
import type { About, Rows } from "../wire.js";
import { HttpFault } from "./guard.js";

export interface RouteParts extends Sources {
  readonly bodies: Bodies;
  readonly asking: Asking;
}

interface Asked extends z.infer<typeof QUERY> {
  readonly at: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

type Route = (asked: Asked, parts: RouteParts) => Promise<unknown>;

const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodCoercedNumber =>
  z.coerce.number().int().min(min).max(max);
const QUERY = z.object({
  from: whole(0).default(0),
  limit: whole(1, 1000).default(100),
  find: z.string().max(500).default(""),
});
const MAX_REQUEST_BYTES = 262_144;

const ADDRESS = /^\/api\/([a-z]+)(?:\/([0-9a-f]{64}|[0-7][0-9A-HJKMNP-TV-Z]{25}))?(?:\/([a-z]+))?$/;

const ROUTES: Readonly<Record<string, Route>> = {
  "GET about": about,
  "GET sessions": sessionsPage,
  "GET sessions/ID": ({ at }, parts) => sessionDetail(at, parts),
  "GET sessions/ID/entries": entries,
  "GET sessions/ID/outputs": outputsPage,
  "GET outputs/ID": async ({ at }, parts) => outputDetail(await parts.catalogue.find(at), parts),
  "GET outputs/ID/page": ({ at, ...page }, { bodies }) => bodies(at, page),
  async "POST outputs/ID/ask"({ at, request, response }, { asking }) {
    const asked = asking.request.safeParse(await bodyOf(request));
    if (!asked.success) throw new HttpFault(400, z.prettifyError(asked.error));
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    return await asking.ask(at, asked.data, gone.signal);
  },
};

/** @throws {@link HttpFault} for an unknown route. */
export async function answerTo(
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  parts: RouteParts,
): Promise<unknown> {
  const [, name, id, part] = ADDRESS.exec(url.pathname) ?? [];
  const route = ROUTES[`${request.method} ${[name, id && "ID", part].filter(Boolean).join("/")}`];
  if (route === undefined) throw new HttpFault(404, "There is nothing at this address.");
  const query = QUERY.safeParse(Object.fromEntries(url.searchParams));
  if (!query.success) throw new HttpFault(400, z.prettifyError(query.error));
  return await route({ ...query.data, at: id ?? "", request, response }, parts);
}

async function about(_: Asked, { catalogue, journal, asking }: RouteParts): Promise<About> {
  const { artifacts, unreadable } = await catalogue.listing();
  const latest = await journal?.sessions({ limit: 1 });
  const { id, entries, lastAt } = latest?.sessions[0] ?? {};
  const state = [artifacts.length, artifacts.at(-1)?.id, id, entries, lastAt];
  return {
    directory: catalogue.directory,
    tools: asking.tools,
    version: state.join(),
    unreadable,
    losses: await journal?.losses(),
  };
}

async function entries(
  { at, from, limit }: Asked,
  { journal }: RouteParts,
): Promise<Rows<ReadEntry>> {
  const { total = 0, entries: rows = [] } = (await journal?.entries(at, { from, limit })) ?? {};
  return { total, from, rows };
}

/**
 * `undefined` for invalid JSON.
 * @throws {@link HttpFault} for another type, and for more than 256 KiB.
 */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.headers["content-type"] !== "application/json") {
    throw new HttpFault(415, "The body of a request is application/json.");
  }
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_REQUEST_BYTES) throw new HttpFault(413, "The body is too long.");
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8"));
  } catch {
    return undefined;
  }
}
