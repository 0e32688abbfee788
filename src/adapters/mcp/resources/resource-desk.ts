import { randomUUID } from "node:crypto";

import { elementTexts, placeAt, withValueAt } from "../../../core/content/json/json-text.js";
import type { Access } from "../../../core/types/access.js";
import type { Offloader } from "../../../core/pipeline/offloader.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { isRecord } from "../../../util/is-record.js";
import { invalidParams, isLastPage, type Message, notFound, resultAnswer } from "../message.js";
import { resourceLink, TEMPLATE_ENTRIES } from "./describe-resource.js";
import { createResourceNotices, type Listen } from "./resource-notices.js";
import type { ResourceOptions } from "./resource-options.js";
import { isOwnUri } from "./resource-uri.js";
import { storedResources } from "./stored-resources.js";

/** What a desk works with. */
export interface ResourceDeskOptions extends ResourceOptions {
  readonly offloader: Offloader;
  /** The hashed session. */
  readonly scope: string;
  /** What other sessions let this one read: by address, and not in lists. */
  readonly access?: Access | undefined;
  /** What happens to stored outputs. */
  readonly listen: Listen;
  /** Takes notifications for the client. */
  readonly tell: (notification: string) => void;
  /** Told in a sentence of what the user can change. */
  readonly warn: (sentence: string) => void;
}

/** Answers what a client asks of resources, as far as these are stored outputs, in one connection. */
export interface ResourceDesk {
  /** Notes what the client says of itself, and that it listens. */
  note(message: Message): void;
  /** How a request is answered here; `undefined` when the server answers it. */
  answering(request: Message): (() => Promise<string>) | undefined;
  /** The server's answer, with what there is here beside it. */
  merged(request: Message, answer: Message): string | Promise<string>;
  /** JSON of the block that points to a stored output; `undefined` for a client that gets none. */
  link(artifact: StoredArtifact): string | undefined;
  /** Tells nothing more. */
  close(): void;
}

/** From this revision on a result may hold links. */
const FIRST_WITH_LINKS = "2025-06-18";
/** The first without a handshake: its lists may not differ from connection to connection. */
const FIRST_WITHOUT_SESSIONS = "2026-07-28";
/** They hand a link to the model's provider as a file at its address, which no provider can fetch. */
const WITHOUT_LINKS = new Set(["@langchain/mcp-adapters"]);
const RESOURCES = ["result", "capabilities", "resources"];

/** Makes the desk of one connection. It offers nothing before the server has answered `initialize`. */
export function createResourceDesk(options: ResourceDeskOptions): ResourceDesk {
  const { offloader, scope, access, links = false, maxReadTokens, listen, tell, warn } = options;
  const stored = storedResources(offloader, { scope, access, maxReadTokens });
  const notices = createResourceNotices(scope, listen, tell);
  /** Nobody else's cursor begins with it. */
  const ours = `stored-outputs:${randomUUID()}:`;
  let clientName: unknown;
  /** The revision that was agreed on; `undefined` while nothing is offered. */
  let revision: string | undefined;
  let serverHas = false;
  let isHidden = false;

  async function page(cursor: string | undefined): Promise<Readonly<Record<string, string>>> {
    const { entries, cursor: next } = await stored.page(cursor);
    return {
      resources: `[${entries.join(",")}]`,
      ...(next !== undefined && { nextCursor: JSON.stringify(ours + next) }),
    };
  }

  async function list(request: Message, cursor: unknown): Promise<string> {
    const isOurs = typeof cursor === "string" && cursor.startsWith(ours);
    if (cursor !== undefined && !isOurs) {
      return invalidParams(request, "This cursor is not known; list from the start, without one.");
    }
    const members = await page(isOurs ? cursor.slice(ours.length) || undefined : undefined);
    return resultAnswer(request, objectOf(members));
  }

  async function read(request: Message, uri: string): Promise<string> {
    const reading = await stored.read(uri);
    if (reading.problem !== undefined) return notFound(request, reading.problem);
    return resultAnswer(request, JSON.stringify({ contents: reading.contents }));
  }

  async function subscribe(request: Message, uri: string): Promise<string> {
    const found = await stored.find(uri);
    if ("problem" in found) return notFound(request, found.problem);
    const problem = notices.subscribe(uri, found.id);
    return problem === undefined ? resultAnswer(request, "{}") : invalidParams(request, problem);
  }

  async function unsubscribe(request: Message, uri: string): Promise<string> {
    notices.unsubscribe(uri);
    return resultAnswer(request, "{}");
  }

  /** What a page of the server holds, and ours after its last. */
  async function withOwn(
    text: string,
    key: string,
    own: Readonly<Record<string, string>>,
  ): Promise<string> {
    const place = placeAt(text, ["result", key]);
    const theirs = ((place && elementTexts(text, place)) ?? []).filter((entry) => !isTaken(entry));
    const mine = own[key]?.slice(1, -1) ?? "";
    const all = [...theirs, ...(mine === "" ? [] : [mine])].join(",");
    const listed = withValueAt(text, ["result", key], `[${all}]`);
    const { nextCursor } = own;
    return nextCursor === undefined
      ? listed
      : withValueAt(listed, ["result", "nextCursor"], nextCursor);
  }

  /** Whether a resource of the server has an address that is one of ours. */
  function isTaken(entry: string): boolean {
    const value: unknown = JSON.parse(entry);
    const isOurs = isRecord(value) && isOwnUri(value["uri"]);
    if (isOurs && !isHidden)
      warn(
        "The server has resources whose addresses are those of stored outputs; they are hidden.",
      );
    isHidden ||= isOurs;
    return isOurs;
  }

  function begin({ text, result }: Message): string {
    if (!isRecord(result) || typeof result["protocolVersion"] !== "string") return text;
    const capabilities = isRecord(result["capabilities"]) ? result["capabilities"] : {};
    revision = result["protocolVersion"];
    if (revision >= FIRST_WITHOUT_SESSIONS) revision = undefined;
    if (revision === undefined) return text;
    serverHas = isRecord(capabilities["resources"]);
    const subscribes = withValueAt(text, [...RESOURCES, "subscribe"], "true");
    return withValueAt(subscribes, [...RESOURCES, "listChanged"], "true");
  }

  return {
    note({ method, params }) {
      if (method === "initialize") {
        revision = undefined;
        clientName = isRecord(params["clientInfo"]) ? params["clientInfo"]["name"] : undefined;
      }
      if (method === "notifications/initialized" && revision !== undefined) notices.begin();
    },
    answering(request) {
      if (revision === undefined) return undefined;
      const { cursor, uri } = request.params;
      const isOurs = isOwnUri(uri) || !serverHas;
      const address = typeof uri === "string" ? uri : "";
      switch (request.method) {
        case "resources/list": {
          const isOurCursor = typeof cursor === "string" && cursor.startsWith(ours);
          return isOurCursor || !serverHas ? () => list(request, cursor) : undefined;
        }
        case "resources/templates/list":
          return serverHas ? undefined : async () => resultAnswer(request, TEMPLATES_RESULT);
        case "resources/read":
          return isOurs ? () => read(request, address) : undefined;
        case "resources/subscribe":
          return isOurs ? () => subscribe(request, address) : undefined;
        case "resources/unsubscribe":
          return isOurs ? () => unsubscribe(request, address) : undefined;
        default:
          return undefined;
      }
    },
    merged({ method }, answer) {
      const { text, result } = answer;
      if (method === "initialize") return begin(answer);
      if (revision === undefined || !isRecord(result)) return text;
      const isLast = isLastPage(result);
      if (method === "resources/list")
        return isLast ? mergedPage(text) : withOwn(text, "resources", {});
      if (method !== "resources/templates/list" || !isLast) return text;
      return withOwn(text, "resourceTemplates", {
        resourceTemplates: `[${TEMPLATE_ENTRIES.join(",")}]`,
      });
    },
    link(artifact) {
      const takesLinks = links && revision !== undefined && revision >= FIRST_WITH_LINKS;
      if (!takesLinks || WITHOUT_LINKS.has(String(clientName))) return undefined;
      return resourceLink(artifact);
    },
    close: () => notices.close(),
  };

  /** When the store fails, the server's own are there all the same. */
  async function mergedPage(text: string): Promise<string> {
    try {
      return await withOwn(text, "resources", await page(undefined));
    } catch (error) {
      warn(`Stored outputs cannot be listed: ${String(error)}`);
      return text;
    }
  }
}

const TEMPLATES_RESULT = `{"resourceTemplates":[${TEMPLATE_ENTRIES.join(",")}]}`;

function objectOf(members: Readonly<Record<string, string>>): string {
  const entries = Object.entries(members).map(([key, json]) => `${JSON.stringify(key)}:${json}`);
  return `{${entries.join(",")}}`;
}
