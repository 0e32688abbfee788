/** Runs every scenario with one version, and writes what came of each as a line of JSON. */
import { createWriteStream, mkdirSync, rmSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { syncBuiltinESMExports } from "node:module";

import { openLibrary, type Opened, type Output, type Stored, type Tool } from "./adapter.js";
import { type Names, plain } from "./plain.js";
import { type Asked, type CorpusName, type Scenario, scenariosOf } from "./scenarios.js";
import type { Told, ToldOutput } from "./told.js";

import crypto, { createHash } from "node:crypto";

/**
 * Makes chance the same in every run, for all modules that are loaded later. What is drawn depends on the seed, the
 * length and how often that length was drawn, so that a draw more of another length moves nothing.
 *
 * @returns Begins anew, with a seed.
 */
function sameChance(): (seed: string) => void {
  let seed = "";
  let drawn = new Map<number, number>();
  const draw = (length: number): Buffer => {
    const count = (drawn.get(length) ?? 0) + 1;
    drawn.set(length, count);
    const hash = createHash("shake256", { outputLength: length });
    return hash.update(`${seed} ${length} ${count}`).digest();
  };
  crypto.randomBytes = draw as unknown as typeof crypto.randomBytes;
  crypto.randomUUID = () => {
    const hex = draw(17).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-8${hex.slice(15, 18)}-${hex.slice(18, 30)}`;
  };
  Math.random = () => draw(4).readUInt32BE() / 2 ** 32;
  syncBuiltinESMExports();
  return (next) => {
    seed = next;
    drawn = new Map();
  };
}

/** 2 January 2026, 03:04:05 UTC. */
const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5);
const SCENARIO_MS = 90_000;
const IDS = ["id", "file_path", "filename", "artifact_id"];

/** What is asked of every stored output, by what a tool does. */
const CALLS: readonly (readonly [tool: RegExp, args: Output, follow?: number])[] = [
  [/read/, {}, 1],
  [/read/, { start_line: 3, end_line: 5, start: 100, end: 300 }],
  [/grep|search/, { pattern: "\\d{3}" }, 1],
  [/grep|search/, { pattern: "(" }],
  [/jq|query/, { filter: "keys", query: "keys" }, 1],
  [/jq|query/, { filter: "length", query: "length", slurp: true }],
  [/jq|query/, { filter: ".no_such_field", query: ".no_such_field" }],
  [/jq|query/, { filter: "{", query: "{" }],
  [/sql/, { query: "SELECT * FROM output LIMIT 3" }],
  [/sql/, { query: "SELECT count(*) AS n FROM output" }],
  [/sql/, { query: "SELECT nope FROM output" }],
  [/extract/, { recipe: 1 }],
  [/extract/, { recipe: 2, params: { value: "a" } }],
  [/read/, { id: "01ARZ3NDEKTSV4RRFFQ69G5FAV" }],
];

const ASKED: Readonly<Record<Asked, RegExp>> = {
  nothing: /^$/,
  "to be read": /read/,
  "all but SQL": /^(?!sql)/,
  all: /./,
};

const [folder = "", file = "", work = "", ...corpora] = process.argv.slice(2);
const uncaught: string[] = [];
process.on("uncaughtException", (error) => uncaught.push(String(error)));

const begin = sameChance();
const open = await openLibrary(folder);
const lines = createWriteStream(file);
for (const corpus of corpora as CorpusName[]) {
  for (const scenario of await scenariosOf(corpus)) {
    begin(scenario.name);
    uncaught.length = 0;
    const told = await inTime(scenario);
    if (!lines.write(`${JSON.stringify({ ...told, name: scenario.name })}\n`)) {
      await once(lines, "drain");
    }
  }
}
lines.end();
await once(lines, "finish");
process.exit(0);

async function inTime(scenario: Scenario): Promise<Told> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Told>((resolve) => {
    timer = setTimeout(() => resolve({ ended: "took too long" }), SCENARIO_MS);
  });
  try {
    return await Promise.race([toldOf(scenario), late]);
  } catch (error) {
    return { ended: String(error) };
  } finally {
    clearTimeout(timer);
  }
}

async function toldOf({
  settings,
  isInFiles,
  asked = "to be read",
  outputs,
}: Scenario): Promise<Told> {
  // As long on every side: a path costs tokens.
  const directory = isInFiles ? join(work, "files") : undefined;
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const opened = open({ ...settings, nowMs: NOW_MS, directory });
  try {
    const results: Record<string, unknown>[] = [];
    for (const output of outputs()) {
      const whole = { toolName: "search", toolCallId: "call_1", ...output };
      results.push(await resultOf(opened, whole));
    }
    const stored = await opened.stored();
    const tools = settings.options?.["drillIn"] === false ? [] : opened.tools();
    const answers: unknown[] = [];
    for (const one of stored.slice(0, 2)) answers.push(...(await answersOf(tools, one, asked)));
    const names: Names = [
      ...stored.map(({ id }, index): [string, string] => [id, `<id ${index + 1}>`]),
      ...(directory === undefined ? [] : [[directory, "<directory>"] as const]),
      [work, "<temporary>"],
    ];
    const told = {
      outputs: results.map((one) => plain(one, names) as ToldOutput),
      stored: stored.map(({ body }) => body ?? null),
      records: plain(
        stored.map(({ record }) => record),
        names,
      ),
      tools: plain(
        tools.map(({ run: _run, ...shown }) => shown),
        names,
      ),
      answers: plain(answers, names),
      events: plain(opened.events, names),
      uncaught: [...uncaught],
    };
    return told;
  } finally {
    if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
  }
}

/** What became of an output; the record is told where it is stored. */
async function resultOf(opened: Opened, output: Output): Promise<Record<string, unknown>> {
  try {
    const { storedArtifact: _record, ...result } = await opened.offload(output);
    const isSame = "value" in result && Object.is(result["value"], output["value"]);
    return { ...result, ...(isSame && { value: "<as it came>" }) };
  } catch (error) {
    return { outcome: "rejected", error };
  }
}

/** The answers to the calls of a model, each with the next calls that it states. */
async function answersOf(tools: readonly Tool[], { id }: Stored, asked: Asked): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [kind, given, follow = 0] of CALLS) {
    if (!ASKED[asked].test(kind.source)) continue;
    const tool = tools.find(({ name }) => kind.test(name));
    if (tool === undefined) continue;
    const known = Object.keys(Object(tool.parameters["properties"]));
    const key = known.find((name) => IDS.includes(name)) ?? "id";
    const args = Object.entries({ ...given, [key]: given["id"] ?? id });
    let next: Output | undefined = Object.fromEntries(
      args.filter(([name]) => known.includes(name)),
    );
    for (let left = follow; next !== undefined && left >= 0; left -= 1) {
      const answer = await answerOf(tool, next);
      answers.push({ call: `${tool.name} ${JSON.stringify(next)}`, ...answer });
      next = nextOf(tool, answer.text);
    }
  }
  return answers;
}

async function answerOf(
  tool: Tool,
  args: Output,
): Promise<{ readonly text: string; readonly failed: boolean }> {
  try {
    const { text, failed } = await tool.run(args);
    return { text, failed };
  } catch (error) {
    return { text: String(error), failed: true };
  }
}

/** The arguments that an answer states for its next part. */
function nextOf(tool: Tool, text: string): Output | undefined {
  const [, name, json] = /Next call: (\w+) (\{.*\})$/.exec(text) ?? [];
  return name === tool.name && json !== undefined ? (JSON.parse(json) as Output) : undefined;
}
