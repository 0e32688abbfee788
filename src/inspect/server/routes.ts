import * as z from "zod";

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
}

interface Asked extends z.infer<typeof QUERY> {
  readonly at: string;
}

type Route = (asked: Asked, parts: RouteParts) => Promise<unknown>;

const whole = (min: number, max: number = Number.MAX_SAFE_INTEGER): z.ZodCoercedNumber =>
  z.coerce.number().int().min(min).max(max);
const QUERY = z.object({
  from: whole(0).default(0),
  limit: whole(1, 1000).default(100),
  find: z.string().max(500).default(""),
});

const ADDRESS = /^\/api\/([a-z]+)(?:\/([0-9a-f]{64}|[0-7][0-9A-HJKMNP-TV-Z]{25}))?(?:\/([a-z]+))?$/;

const ROUTES: Readonly<Record<string, Route>> = {
  "/about": about,
  "/sessions": sessionsPage,
  "/sessions/ID": ({ at }, parts) => sessionDetail(at, parts),
  "/sessions/ID/entries": entries,
  "/sessions/ID/outputs": outputsPage,
  "/outputs/ID": async ({ at }, parts) => outputDetail(await parts.catalogue.find(at), parts),
  "/outputs/ID/page": ({ at, ...page }, { bodies }) => bodies(at, page),
};

/** @throws {@link HttpFault} for an unknown route. */
export async function answerTo(url: URL, parts: RouteParts): Promise<unknown> {
  const [, name, id, part] = ADDRESS.exec(url.pathname) ?? [];
  const route = ROUTES[["", name, id && "ID", part].filter((word) => word !== undefined).join("/")];
  if (route === undefined) throw new HttpFault(404, "There is nothing at this address.");
  const query = QUERY.safeParse(Object.fromEntries(url.searchParams));
  if (!query.success) throw new HttpFault(400, z.prettifyError(query.error));
  return await route({ ...query.data, at: id ?? "" }, parts);
}

async function about(_: Asked, { catalogue, journal }: RouteParts): Promise<About> {
  const { artifacts, unreadable } = await catalogue.listing();
  const latest = await journal?.sessions({ limit: 1 });
  const { id, entries, lastAt } = latest?.sessions[0] ?? {};
  const state = [artifacts.length, artifacts.at(-1)?.id, id, entries, lastAt];
  return {
    directory: catalogue.directory,
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
