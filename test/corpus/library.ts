import { isJson } from "../../src/core/content/value/any-json.js";
import { outputsOf, records } from "./data.js";
import {
  lro,
  mcpagent,
  metaCc,
  type Offloader,
  type OffloadOptions,
  sessionKeyOf,
  vectara,
} from "./entries.js";
import type { Case } from "./pins.js";
import { Exact, plain } from "./plain.js";
import { openRig, type Rig, SESSION } from "./rig.js";
import { outputOf } from "./offload-case.js";

/** What is read: one output of each layout, and what is awkward about text, numbers and keys. */
const BODIES: Readonly<Record<string, unknown>> = {
  ...outputsOf(100),
  awkward: `[${Array.from({ length: 200 }, (_, n) => `{"n":1234567890123456789${n},"e":1e400,"a":1,"a":2,"":"empty","__proto__":{"x":1},"t":"\\ud800 \\u0000 日本"}`).join(",")}]`,
  "one line": "日本語😀é\r ".repeat(3_000),
  bytes: Buffer.from(Array.from({ length: 9_000 }, (_, at) => (at * 7919 + (at >> 8)) & 0xff)),
  orders: Array.from({ length: 400 }, (_, n) => ({
    record: n % 120,
    amount: n * 10,
    day: `2026-01-0${1 + (n % 9)}`,
  })),
};

const ID = /^[0-9A-Z]{26}$/;

/** Ids by the names of their bodies. */
type Ids = Readonly<Record<string, string>>;
type Args = Readonly<Record<string, unknown>>;
export type Call = readonly [tool: string, body: string, args?: Args | ((ids: Ids) => Args)];

/** A library of stored outputs. The engines are started once for all cases of it. */
interface Library {
  readonly rig: Rig;
  readonly offloader: Offloader;
  readonly ids: Ids;
}

/** With the extraction tool, whatever the preset. */
const names = { extract: "lro_extract" };

const LIBRARIES: Readonly<Record<string, () => OffloadOptions>> = {
  lro: () => ({
    preset: lro(),
    drillIn: {
      names,
      sql: {},
      timeoutMs: 25_000,
      maxAnswerTokens: 400,
    },
  }),
  mcpagent: () => ({ preset: mcpagent({ thresholdTokens: 500 }) }),
  vectara: () => {
    const { gates: _gates, ...preset } = vectara({ onWarning: () => {} });
    return { preset };
  },
  metaCc: () => ({ preset: metaCc({ environment: {} }) }),
};

/** For the names of cases. */
const BY_NAME: Ids = new Proxy({}, { get: (_, name) => String(name) });

const opened = new Map<string, Promise<Library>>();

function library(name: string): Promise<Library> {
  // Ids cost as much as any text of their length.
  const found = opened.get(name) ?? fill({ ...LIBRARIES[name]?.(), tokenizer: "characters" });
  opened.set(name, found);
  return found;
}

async function fill(options: OffloadOptions): Promise<Library> {
  const rig = openRig();
  const { store } = rig;
  const offloader = rig.offloader({ ...options, store });
  const ids: Record<string, string> = {
    unknown: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    path: "../../etc/passwd",
    empty: "",
  };
  const keep = async (body: string, value: unknown, sessionId = SESSION): Promise<void> => {
    const result = await offloader.offload(
      outputOf({ value, sessionId, always: true, args: { query: body } }),
    );
    if (result.outcome !== "offloaded")
      throw new Error(`${body} was not stored: ${result.outcome}`);
    ids[body] = result.storedArtifact.id;
    // The newest come first where outputs are listed.
    rig.nowMs += 1_000;
  };
  await keep("expired", "a text that is over soon");
  rig.nowMs += 30 * 24 * 3_600_000;
  await offloader.sweep();
  for (const [body, value] of Object.entries(BODIES)) await keep(body, value);
  await keep("foreign", records(90), "session-2");
  await keep("deleted", "a text that is gone");
  await store.delete(ids["deleted"] ?? "", sessionKeyOf(SESSION));
  return { rig, offloader, ids };
}

/**
 * The lines of an answer that are data: JSON, or part of what is stored, after the number of a line. All other lines are
 * wording.
 */
async function dataOf(text: string, { rig, offloader }: Library, id = ""): Promise<unknown> {
  const record = await offloader.store.stat(id, sessionKeyOf(SESSION));
  const body = record === undefined ? "" : Buffer.from(await rig.store.read(record)).toString();
  const lines = text.split("\n").filter((line) => {
    const bare = line.replace(/^\d+[:-]/, "");
    return bare.trim() !== "" && (isJson(line) || body.includes(bare));
  });
  return lines.length === 0 ? undefined : new Exact(lines);
}

/** Ends what the cases have started. */
export async function closeLibraries(): Promise<void> {
  for (const { rig } of await Promise.all(opened.values())) await rig.close();
}

/** The arguments that an answer states for its next part. */
function nextOf(text: string): { readonly tool: string; readonly args: Args } | undefined {
  const [, tool = "", json] = /Next call: (\w+) (\{.*\})$/.exec(text) ?? [];
  return json === undefined ? undefined : { tool, args: JSON.parse(json) as Args };
}

/** Makes one call as a model does, and follows at most so many next calls. */
async function ask(name: string, [tool, body, given = {}]: Call, follow: number): Promise<unknown> {
  const own = await library(name);
  const { rig, offloader, ids } = own;
  const tools = offloader.tools(SESSION);
  const shown = JSON.stringify(tools.find((one) => one.name === tool)?.parameters["required"]);
  const key = ["id", "file_path", "filename", "artifact_id"].find((one) =>
    shown?.includes(`"${one}"`),
  );
  let next = {
    tool,
    args: {
      [key ?? "id"]: ids[body],
      ...(typeof given === "function" ? given(ids) : given),
    } as Args,
  };
  const answers: unknown[] = [];
  for (let left = follow; ; left -= 1) {
    const called = tools.find((one) => one.name === next.tool);
    if (called === undefined) throw new Error(`no tool ${next.tool}`);
    rig.events.length = 0;
    const { text, failed } = await called.run(next.args);
    const after = nextOf(text);
    const data = await dataOf(text, own, ids[body]);
    const events = rig.events.map(({ type }) => type);
    answers.push({ failed, data, events, next: after && new Exact(after) });
    if (after === undefined || left === 0) break;
    next = after;
  }
  const named = Object.entries(ids).filter(([, one]) => ID.test(one));
  return plain(answers.length === 1 ? answers[0] : answers, {
    fixed: named.map(([one, id]) => [id, `<${one}>`]),
    ids: new Map(),
    records: new Set(),
  });
}

/** The calls as cases over one library, each with at most so many next calls. */
export function called(name: string, calls: readonly Call[], follow = 0): Case[] {
  return calls.map((call) => {
    const [tool, body, args = {}] = call;
    const said = JSON.stringify(typeof args === "function" ? args(BY_NAME) : args).slice(0, 120);
    return {
      name: `${name}: ${tool} ${body} ${said}`,
      run: async () => await ask(name, call, follow),
    };
  });
}
