/** A plugin that keeps a quota of stored bytes for each team. */
import { createHash } from "node:crypto";

import {
  type NewArtifact,
  type StoredArtifact,
  type ToolOutput,
  sessionKeyOf,
} from "langchain-offload";
import type { OffloadPlugin, PluginApi } from "langchain-offload/plugin";
import * as z from "zod";

export interface QuotaOptions {
  /** The most bytes that each team may keep. */
  readonly teams: Readonly<Record<string, number>>;
  /** Names the team of an output. An output of no team does not count. */
  readonly teamOf: (output: ToolOutput) => string | undefined;
}

/** An entry outlives its output by a week, since reading may prolong the output. */
const GRACE_MS = 7 * 24 * 3_600_000;
const ULID_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BODY = new TextEncoder().encode("quota\n");
const SIZE = { sizeBytes: BODY.length, headerBytes: 0, lineCount: 1, tokens: 1 };
const FORM = { kind: "text", layout: "text", encoding: "utf-8", detail: "full" } as const;
const ENTRY = { ...SIZE, ...FORM, tokensExact: false, operation: "quota", recipes: [], fields: [] };

/**
 * The tools of a team never keep more than its quota in a store. The size of an output is known once it is stored: until the plugin
 * has counted it, the store holds it beyond the quota. Two processes that count at one moment may both refuse. What the user
 * writes and what `put` stores counts and is never refused; what drill-in tools of plugins store does not count. List it before
 * `media()`, whose files it counts too. The store holds an entry for each counted output, so the count survives a restart. An
 * output does not count where the store fails, or the process ends, before its entry is there.
 */
export function quota({ teams, teamOf }: QuotaOptions): OffloadPlugin {
  return {
    name: "quota",
    setup(api) {
      const inTurn = turns();
      return {
        async wrapOutput(given, next) {
          const team = teamOf(given.output);
          if (team === undefined) return next(given);
          const maxBytes = teams[team];
          if (maxBytes === undefined) throw new Error(`There is no quota of a team ${team}.`);
          const tags = { ...given.output.tags, team };
          const result = await next({ ...given, output: { ...given.output, tags } });
          const outputs = [...(result.media ?? [])];
          if (result.outcome === "offloaded") outputs.push(result.storedArtifact);
          if (outputs.length === 0) return result;
          // Never around `next`: an output may wait there for the others of its turn.
          const leftBytes = await inTurn(team, async () => {
            const noted = await Promise.all(outputs.map(async (output) => note(api, team, output)));
            const added = outputs.filter((_, index) => noted[index]);
            const fits = (await usedBytes(api, team)) <= maxBytes;
            if (fits || added.length === 0 || given.source !== "tool") return undefined;
            await Promise.all(added.map(async (output) => remove(api, team, output)));
            return Math.max(0, maxBytes - (await usedBytes(api, team)));
          });
          if (leftBytes === undefined) return result;
          const event = { plugin: "quota", name: "refused", sessionKey: given.call.sessionKey };
          api.emit({ type: "plugin-event", ...event, data: { team, leftBytes } });
          const size = outputs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
          const text = `Team ${team} has ${leftBytes} of its ${maxBytes} bytes left, and this output has ${size}: it was not kept.`;
          return { outcome: "inline", value: text };
        },
        describe({ storedArtifact, tools }) {
          const team = storedArtifact.tags?.["team"];
          if (team === undefined) return undefined;
          const hint = tools["quota"] === undefined ? "" : ` ${tools["quota"]} says what is left.`;
          return { guidance: `It counts for the quota of team ${team}.${hint}` };
        },
        tools: [
          {
            key: "quota",
            description: "How many bytes of tool outputs each team may still store.",
            schema: z.object({}),
            async run() {
              const lines = Object.entries(teams).map(async ([team, maxBytes]) => {
                const leftBytes = Math.max(0, maxBytes - (await usedBytes(api, team)));
                return `${team}: ${leftBytes} of ${maxBytes} bytes are left.`;
              });
              return (await Promise.all(lines)).join("\n");
            },
          },
        ],
      };
    },
  };
}

/** The session of no user in which a team's entries are. */
const scopeOfTeam = (team: string): string => sessionKeyOf(`quota of team ${team}`);

/** An output has one entry in each team: its id is made of both. */
function entryId(team: string, { id }: StoredArtifact): string {
  const hash = createHash("sha256").update(`${id} ${team}`).digest().subarray(0, 16);
  return id.slice(0, 10) + Array.from(hash, (byte) => ULID_LETTERS[byte % 32]).join("");
}

/** Counts an output. `false` for one that is counted already: the same output twice is stored once. */
async function note({ store }: PluginApi, team: string, output: StoredArtifact): Promise<boolean> {
  const { sessionKey, toolName, createdAt, expiresAt } = output;
  const id = entryId(team, output);
  if ((await store.stat(id, scopeOfTeam(team))) !== undefined) return false;
  const entry: NewArtifact = {
    ...ENTRY,
    id,
    fileName: `quota-${id}.txt`,
    sessionKey: scopeOfTeam(team),
    toolName,
    tags: { id: output.id, sessionKey },
    createdAt,
    expiresAt: expiresAt + GRACE_MS,
  };
  await store.put(entry, [BODY]);
  return true;
}

async function remove({ store }: PluginApi, team: string, output: StoredArtifact): Promise<void> {
  await store.delete(output.id, output.sessionKey);
  await store.delete(entryId(team, output), scopeOfTeam(team));
}

/** What a team has in the store. Forgets the entries of outputs that were deleted or have expired. */
async function usedBytes({ store }: PluginApi, team: string): Promise<number> {
  const bytesOf = async (entry: StoredArtifact): Promise<number> => {
    const { id = "", sessionKey = "" } = entry.tags ?? {};
    const output = await store.stat(id, sessionKey);
    if (output === undefined) await store.delete(entry.id, entry.sessionKey);
    else await store.refresh?.(entry.id, entry.sessionKey, output.expiresAt + GRACE_MS);
    return output?.sizeBytes ?? 0;
  };
  let sum = 0;
  let cursor: string | undefined;
  do {
    const page = await store.list(scopeOfTeam(team), { cursor, pageSize: 100 });
    for (const bytes of await Promise.all(page.artifacts.map(bytesOf))) sum += bytes;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return sum;
}

/** Runs the tasks of one name one after the other. */
function turns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(name: string, task: () => Promise<T>): Promise<T> => {
    const mine = (last.get(name) ?? Promise.resolve()).then(task, task);
    last.set(name, mine);
    return mine;
  };
}
