import { randomUUID } from "node:crypto";

import { withValueAt, elementTexts, placeAt } from "../../core/content/json/json-text.js";
import { isRecord } from "../../util/is-record.js";
import { CODES, errorAnswer, isLastPage, type Message, resultAnswer } from "./message.js";
import { isOwnUri, type StoredResources, TEMPLATES } from "./stored-resources.js";

/** Answers what a client asks of resources, as far as these are stored outputs, in one connection. */
export interface Resources {
  /** How a request is answered here; `undefined` when the server answers it. */
  answering(request: Message): (() => Promise<string>) | undefined;
  /** The server's answer, with what there is here beside it. Never rejects. */
  merged(request: Message, answer: Message): string | Promise<string>;
}

/** The first revision without a handshake: its lists may not differ from connection to connection. */
const FIRST_WITHOUT_SESSIONS = "2026-07-28";
const CAPABILITY = ["result", "capabilities", "resources"];

/**
 * Offers stored outputs after the server's own resources, from when the server has answered `initialize`.
 *
 * @param warn - Told in a sentence of what the user can change.
 */
export function createResources(
  stored: StoredResources,
  warn: (sentence: string) => void,
): Resources {
  /** Nobody else's cursor begins with it. */
  const ours = `stored-outputs:${randomUUID()}:`;
  let isOffered = false;
  let serverHas = false;

  function isOurCursor(cursor: unknown): cursor is string {
    return typeof cursor === "string" && cursor.startsWith(ours);
  }

  /** The page with these entries after those of the server. */
  async function withPage(json: string, keys: readonly string[], cursor?: string): Promise<string> {
    const { entries, cursor: next } = await stored.page(cursor);
    const listed = withEntries(json, [...keys, "resources"], entries);
    return next === undefined
      ? listed
      : withValueAt(listed, [...keys, "nextCursor"], JSON.stringify(ours + next));
  }

  async function list(request: Message, cursor: unknown): Promise<string> {
    if (cursor !== undefined && !isOurCursor(cursor)) {
      const reason = "This cursor is not known; list from the start, without one.";
      return errorAnswer(request, reason, CODES.invalidParams);
    }
    return resultAnswer(request, await withPage("{}", [], cursor?.slice(ours.length) || undefined));
  }

  async function read(request: Message, uri: unknown): Promise<string> {
    const reading = await stored.read(typeof uri === "string" ? uri : "");
    return reading.problem === undefined
      ? resultAnswer(request, JSON.stringify({ contents: reading.contents }))
      : errorAnswer(request, reading.problem, CODES.notFound);
  }

  function begin({ text, result }: Message): string {
    const { protocolVersion, capabilities } = isRecord(result) ? result : {};
    isOffered = typeof protocolVersion === "string" && protocolVersion < FIRST_WITHOUT_SESSIONS;
    serverHas = isRecord(capabilities) && isRecord(capabilities["resources"]);
    return isOffered && !serverHas ? withValueAt(text, CAPABILITY, "{}") : text;
  }

  return {
    answering(request) {
      const { method, params } = request;
      const { cursor, uri } = params;
      if (!isOffered) return undefined;
      if (method === "resources/read" && (!serverHas || isOwnUri(uri)))
        return () => read(request, uri);
      if (method === "resources/list" && (!serverHas || isOurCursor(cursor)))
        return () => list(request, cursor);
      if (method !== "resources/templates/list" || serverHas) return undefined;
      const templates = withEntries("{}", ["resourceTemplates"], TEMPLATES);
      return async () => resultAnswer(request, templates);
    },
    merged({ method }, answer) {
      const { text, result } = answer;
      if (method === "initialize") return begin(answer);
      if (!isOffered || !isRecord(result) || !isLastPage(result)) return text;
      if (method === "resources/templates/list")
        return withEntries(text, ["result", "resourceTemplates"], TEMPLATES);
      if (method !== "resources/list") return text;
      // When the store fails, the server's own are there all the same.
      return withPage(text, ["result"]).catch((error: unknown) => {
        warn(`Stored outputs cannot be listed: ${String(error)}`);
        return text;
      });
    },
  };
}

/** The JSON with these elements after those of the array below the keys. */
function withEntries(json: string, keys: readonly string[], entries: readonly string[]): string {
  const place = placeAt(json, keys);
  const theirs = (place && elementTexts(json, place)) ?? [];
  return withValueAt(json, keys, `[${[...theirs, ...entries].join(",")}]`);
}
