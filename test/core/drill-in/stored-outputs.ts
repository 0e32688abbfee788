import { extractTool } from "../../../src/presets/lro/extract.js";
import type { RunningCall } from "../../../src/core/types/running-call.js";
import { ulid } from "ulid";

import {
  createDrillIn,
  type OwnDrillIn,
  type DrillInAnswer,
  type DrillInOptions,
} from "../../../src/core/drill-in/drill-in.js";
import { DEFAULT_DRILL_IN_LIMITS, type DrillInLimits } from "../../../src/core/engines/limits.js";
import { ESCAPED_NOTE } from "../../../src/core/drill-in/shown-text.js";
import { unescapeText } from "./unescape-text.js";
import { createMeasure, type TokenMeasure } from "../../../src/core/measure/measure.js";
import type { ArtifactStore, NewArtifact } from "../../../src/core/store/artifact-store.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import type { DrillInToolNames } from "../../../src/core/types/result.js";

export const SESSION_KEY: string = "5".repeat(64);
export const CALL: RunningCall = { sessionKey: SESSION_KEY };
export const OTHER_SESSION_KEY: string = "6".repeat(64);
export const NOW_MS: number = Date.UTC(2026, 0, 2, 3, 4, 5);
export const TOOL_NAMES: Required<Omit<DrillInToolNames, "sql" | "code" | "view">> = {
  read: "read_tool_output",
  grep: "grep_tool_output",
  jq: "jq_tool_output",
  extract: "lro_extract",
};

/** A store in memory with a clock that tests move, and a count of what was read. */
export interface TestStore extends ArtifactStore {
  nowMs: number;
  bytesRead: number;
  failure: Error | undefined;
  add(text: string, fields?: Partial<NewArtifact>): StoredArtifact;
}

/** What all artifacts of these tests have. */
export const ARTIFACT = {
  toolName: "search_issues",
  operation: "search_issues",
  args: { query: "cache" },
  detail: "full",
  tokens: 5000,
  tokensExact: true,
  recipes: [],
  fields: [],
} as const;

export function createTestStore(): TestStore {
  const kept = new Map<string, { artifact: StoredArtifact; body: Uint8Array }>();
  const alive = (sessionKey: string): StoredArtifact[] =>
    [...kept.values()]
      .map(({ artifact }) => artifact)
      .filter((artifact) => artifact.sessionKey === sessionKey && artifact.expiresAt > store.nowMs);
  const store: TestStore = {
    name: "test",
    bodies: "remote",
    nowMs: NOW_MS,
    bytesRead: 0,
    failure: undefined,
    add: (text, fields = {}) => {
      const body = Buffer.from(text);
      const id = fields.id ?? ulid(NOW_MS);
      const artifact: StoredArtifact = {
        id,
        fileName: `atlatl-search-${id}.txt`,
        kind: "text",
        layout: "text",
        ...ARTIFACT,
        sizeBytes: body.length,
        headerBytes: 0,
        lineCount: text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0),
        createdAt: NOW_MS,
        expiresAt: NOW_MS + 3_600_000,
        sessionKey: SESSION_KEY,
        ...fields,
      };
      kept.set(id, { artifact, body });
      return artifact;
    },
    put: () => Promise.reject(new Error("not part of these tests")),
    stat: async (id, sessionKey) => alive(sessionKey).find((artifact) => artifact.id === id),
    read: async (artifact, range) => {
      if (store.failure !== undefined) throw store.failure;
      const body = kept.get(artifact.id)?.body ?? new Uint8Array();
      const part = body.subarray(range?.start ?? 0, range?.end ?? body.length);
      store.bytesRead += part.length;
      return part;
    },
    list: async (sessionKey) => ({ artifacts: alive(sessionKey), cursor: undefined }),
    delete: async (id) => kept.delete(id),
    sweep: async () => [],
  };
  return store;
}

/** One JSON value a line behind a header line. */
export function addRecords(
  store: TestStore,
  records: readonly unknown[],
  fields: Partial<NewArtifact> = {},
): StoredArtifact {
  const header = `{"type":"lro_header","count":${records.length}}\n`;
  const id = ulid(NOW_MS);
  return store.add(header + records.map((record) => `${JSON.stringify(record)}\n`).join(""), {
    id,
    fileName: `atlatl-search-${id}.jsonl`,
    kind: "json-array",
    layout: "records",
    headerBytes: header.length,
    recordCount: records.length,
    fields: [...new Set(records.flatMap((record) => Object.keys(Object(record))))],
    ...fields,
  });
}

export const MEASURE: TokenMeasure = createMeasure();

export function drillInOver(
  store: ArtifactStore & { readonly nowMs?: number },
  limits: Partial<DrillInLimits> = {},
  more: Partial<DrillInOptions> = {},
): OwnDrillIn {
  return createDrillIn({
    store,
    measure: MEASURE,
    limits: { ...DEFAULT_DRILL_IN_LIMITS, ...limits },
    names: TOOL_NAMES,
    tools: [extractTool],
    now: () => store.nowMs ?? NOW_MS,
    ...more,
  });
}

/** Time enough for engines on a busy machine, SQL among them. */
export const UNHURRIED: Partial<DrillInLimits> = { timeoutMs: 25_000, maxQueueMs: 25_000 };
export const WITH_SQL: Partial<DrillInOptions> = {
  names: { ...TOOL_NAMES, sql: "sql_tool_output" },
  sql: {},
};

const NEXT_CALL = /^Next call: read_tool_output (\{.*\})$/;

/** What the first line of a read answer says when nothing comes after it. */
const AT_THE_END = /^The whole output, |, the end[:.]/;

/** The data of a read answer: what stands between its first line and the next call, escapes undone where it says so. */
export function bodyOf({ text }: DrillInAnswer): string {
  const lastAt = text.lastIndexOf("\n");
  const headEnd = text.indexOf("\n");
  const isCut = !AT_THE_END.test(text) && NEXT_CALL.test(text.slice(lastAt + 1));
  const body = text.slice(headEnd + 1, isCut ? lastAt : text.length);
  return text.slice(0, headEnd).includes(ESCAPED_NOTE) ? unescapeText(body) : body;
}

/** The arguments that the last line of a read answer names, or `undefined` at the end. */
export function nextOf(answer: DrillInAnswer): unknown {
  if (AT_THE_END.test(answer.text)) return undefined;
  const lastLine = answer.text.slice(answer.text.lastIndexOf("\n") + 1);
  const json = NEXT_CALL.exec(lastLine)?.[1];
  return json === undefined ? undefined : JSON.parse(json);
}

/** Follows the chain of next calls and joins what they give. */
export async function readAll(
  drillIn: OwnDrillIn,
  first: unknown,
): Promise<{ text: string; answers: DrillInAnswer[] }> {
  const answers: DrillInAnswer[] = [];
  let text = "";
  for (let args: unknown = first; args !== undefined;) {
    const answer = await drillIn.run("read", args, { sessionKey: SESSION_KEY });
    answers.push(answer);
    if (answer.failed) throw new Error(answer.text);
    text += bodyOf(answer);
    args = nextOf(answer);
  }
  return { text, answers };
}

export function foreignId(): string {
  return ulid(NOW_MS);
}
