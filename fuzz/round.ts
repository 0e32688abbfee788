import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import fc from "fast-check";
import {
  createOffloader,
  type OffloadedOutput,
  type Offloader,
  type OffloadResult,
  type SessionTool,
} from "langchain-offload/core";

import { createMeasure, type TokenMeasure } from "../src/core/measure/measure.js";
import { check } from "../test/truth/check.js";
import { type MadeOutput, outputs } from "./outputs.js";
import { type Question, questions } from "./questions.js";
import { optionsOf, type Settings, settings } from "./settings.js";

/** Something that a rule of the whole forbids. */
export interface Broken {
  readonly rule: string;
  readonly what: string;
  /** With the seed, all that is needed to see it again. */
  readonly at: string;
}

/** What became of a round. */
export interface Played {
  readonly outputs: number;
  readonly drillIns: number;
  /** Longest that the event loop was held, and by what. */
  readonly held: { readonly ms: number; readonly by: string };
  readonly broken: readonly Broken[];
}

const OUTPUTS_OF_A_ROUND = 12;
/** Longest that anything may take on a busy machine: what is longer does not end. */
const PATIENCE_MS = 60_000;
const ID = /[0-7][0-9A-HJKMNP-TV-Z]{25}/g;
const USUAL_TOOLS = [
  "read_tool_output",
  "grep_tool_output",
  "jq_tool_output",
  "sql_tool_output",
  "lro_extract",
];
const NOW_MS = Date.UTC(2026, 0, 1);
/** A descriptor costs at most this part of what it replaces. */
const MOST_OF_INLINE = 0.8;

/** One value of an arbitrary, by a seed. */
function sampled<Value>(arbitrary: fc.Arbitrary<Value>, seed: number): Value {
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 });
  return value as Value;
}

/** Makes one offloader with random options, sends it random outputs and questions, and checks the rules on all of it. */
export async function playRound(seed: number): Promise<Played> {
  const chosen: Settings = sampled(settings, seed);
  const directory = mkdtempSync(join(tmpdir(), "offload-fuzz-"));
  const events: string[] = [];
  const broken: Broken[] = [];
  const offloader = createOffloader({
    ...optionsOf(chosen, { directory, nowMs: NOW_MS }),
    onEvent: ({ type }) => events.push(type),
  });
  const measure = createMeasure(offloader.options);
  const round = { offloader, measure, chosen, directory, broken };
  let drillIns = 0;
  let held = { ms: 0, by: "" };
  const delay = monitorEventLoopDelay({ resolution: 10 });
  for (let index = 0; index < OUTPUTS_OF_A_ROUND; index += 1) {
    const at = `round ${seed}, output ${index}`;
    const made: MadeOutput = sampled(outputs, seed * 1000 + index);
    const note = (rule: string, what: string): void => {
      broken.push({
        rule,
        what: `${made.kind}, preset ${chosen.preset}, store ${chosen.store}: ${what}`,
        at,
      });
    };
    const before = process.cpuUsage();
    delay.reset();
    delay.enable();
    try {
      drillIns += await playOutput(round, made, { note, index, seed });
    } catch (error) {
      note("what is stored can be read", String(error).slice(0, 300));
    }
    delay.disable();
    const { user, system } = process.cpuUsage(before);
    // A busy machine holds the loop too; what we hold it for costs at least as much processor time.
    const ms = Math.min(delay.max / 1e6, (user + system) / 1000);
    if (ms > held.ms) held = { ms, by: `${made.kind}, ${at}` };
  }
  await endRound(round, `round ${seed}`);
  return { outputs: OUTPUTS_OF_A_ROUND, drillIns, held, broken };
}

interface Round {
  readonly offloader: Offloader;
  readonly measure: TokenMeasure;
  readonly chosen: Settings;
  readonly directory: string;
  readonly broken: Broken[];
}

type Note = (rule: string, what: string) => void;

async function playOutput(
  round: Round,
  made: MadeOutput,
  { note, index, seed }: { note: Note; index: number; seed: number },
): Promise<number> {
  const { offloader } = round;
  const sessionId = `session-${index % 3}`;
  const result = await inTime(note, "1: the tool call never fails because of us", () =>
    offloader.offload({
      toolName: "search",
      value: made.make(),
      toolCallId: `c${index}`,
      sessionId,
    }),
  );
  if (result === undefined) return 0;
  checkResult(result, round, note);
  if (result.outcome !== "offloaded") return 0;
  await checkStored(result, made, round, note);
  await checkStable(result, made, round, note);
  await checkTruth(result, made, round, note);
  const tools = offloader.tools(sessionId);
  const strangers = offloader.tools("a stranger");
  const asked: readonly Question[] = sampled(questions, seed * 1000 + index);
  for (const question of asked) await ask(question, { tools, strangers }, result, { round, note });
  return asked.length;
}

function checkResult(result: OffloadResult, { offloader, chosen }: Round, note: Note): void {
  if (result.outcome === "truncated" && result.text.trim() === "") {
    note("1: a cut output has a head, a tail and its notice", "an empty text");
  }
  if (result.outcome !== "offloaded") return;
  const { descriptor, storedArtifact } = result;
  const { tokens, tokensExact, sizeBytes } = storedArtifact;
  const isDear = descriptor.tokens > tokens * MOST_OF_INLINE;
  // Where only bytes are limited, an output of few tokens leaves for its bytes.
  const isLong = Buffer.byteLength(descriptor.text) > sizeBytes * MOST_OF_INLINE;
  if (tokensExact && isDear && (isLong || !isLimitedByBytes(chosen))) {
    note("3: never dearer than inline", `${descriptor.tokens} tokens for ${tokens}`);
  }
  const { toolNames } = offloader.options;
  const names = new Set(Object.values(toolNames));
  for (const name of USUAL_TOOLS) {
    if (!names.has(name) && descriptor.text.includes(name)) {
      note("8: names the model sees exist", `${name} in a descriptor (${chosen.preset})`);
    }
  }
}

function isLimitedByBytes({ options }: Settings): boolean {
  const threshold = options.threshold;
  return threshold !== undefined && "bytes" in threshold && !("tokens" in threshold);
}

/** Rule 2, for outputs of which it is known what has to be there. */
async function checkStored(
  { storedArtifact }: OffloadedOutput,
  made: MadeOutput,
  { offloader }: Round,
  note: Note,
): Promise<void> {
  const { headerBytes, sizeBytes, layout } = storedArtifact;
  const bytes = await offloader.store.read(storedArtifact, { start: headerBytes, end: sizeBytes });
  const body = Buffer.from(bytes);
  const isAsItCame = layout === "text" || layout === "rows";
  if (made.text !== undefined && isAsItCame && made.text.isWellFormed()) {
    if (body.toString("utf8") !== made.text.replace(/^\uFEFF/, ""))
      note("2: every byte is within reach", "the stored text differs");
  }
  if (made.records !== undefined && layout === "records") {
    const stored = body
      .toString("utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line): unknown => JSON.parse(line));
    const given: unknown = JSON.parse(JSON.stringify(made.records));
    if (!isDeepStrictEqual(stored, given))
      note("2: every record is within reach", "the stored records differ");
  }
}

/** Rule 12: each claim of a descriptor whose words are known is computed again from the text. */
async function checkTruth(
  { text: descriptor, storedArtifact }: OffloadedOutput,
  made: MadeOutput,
  { offloader }: Round,
  note: Note,
): Promise<void> {
  const text = made.make();
  if (typeof text !== "string" || !text.isWellFormed() || !descriptor.startsWith("{")) return;
  const stored = new TextDecoder().decode(await offloader.store.read(storedArtifact));
  const { wrong } = check({ name: made.kind, text, toolName: "search" }, { descriptor, stored });
  for (const { said, truth } of wrong)
    note("12: what a descriptor says is true", `${said.slice(0, 200)} | in truth ${truth}`);
}

/** Rule 10: but for what is random, an equal output of another session has the same descriptor. */
async function checkStable(
  result: OffloadedOutput,
  made: MadeOutput,
  { offloader, directory }: Round,
  note: Note,
): Promise<void> {
  const other = await offloader.offload({
    toolName: "search",
    value: made.make(),
    sessionId: "another",
  });
  if (other.outcome !== "offloaded")
    return note("10: the same output has the same fate", other.outcome);
  const [one, two] = [result, other].map(
    ({ text, storedArtifact: { filePath = "no path", fileName, id } }) =>
      text
        .replaceAll(filePath, "PATH")
        .replaceAll(JSON.stringify(filePath).slice(1, -1), "PATH")
        .replaceAll(fileName, "NAME")
        .replaceAll(id, "ID")
        .replaceAll(directory, "DIRECTORY")
        .replaceAll(ID, "ID"),
  );
  if (one !== two) note("10: a descriptor is byte-stable", firstDifference(one ?? "", two ?? ""));
}

function firstDifference(one: string, two: string): string {
  const at = Array.from(one).findIndex((character, index) => character !== two[index]);
  return `${JSON.stringify(one.slice(Math.max(0, at - 30), at + 60))} | ${JSON.stringify(two.slice(Math.max(0, at - 30), at + 60))}`;
}

async function ask(
  question: Question,
  { tools, strangers }: Record<"tools" | "strangers", readonly SessionTool[]>,
  { storedArtifact }: OffloadedOutput,
  { round, note }: { round: Round; note: Note },
): Promise<void> {
  const at = question.tool % tools.length;
  const [tool, stranger] = [tools[at], strangers[at]];
  if (tool === undefined || stranger === undefined) return;
  const [first = "id"] = Object.keys(Object(tool.parameters["properties"]));
  const made = question.args(storedArtifact.id);
  const args = { ...made, [first]: made["id"] };
  const told = `${tool.name} ${JSON.stringify(args).slice(0, 300)}`;
  const answer = await inTime(
    (rule, what) => note(rule, `${what}: ${told}`),
    "6: model input is hostile input",
    () => tool.run(args),
  );
  if (answer === undefined) return;
  const { maxOutputTokens } = round.offloader.options.drillInLimits;
  const { tokens } = await round.measure.count(answer.text);
  // This tool reads as many characters as it is asked for.
  if (tokens > maxOutputTokens && tool.name !== "read_large_output")
    note("answers stay within their budget", `${tokens} of ${maxOutputTokens}: ${told}`);
  if (/internal fault/.test(answer.text)) note("6: no fault of ours", told);
  const foreign = await stranger.run(args);
  if (!foreign.failed && foreign.text !== "" && tool.name !== "cleanup_temp_files") {
    note("5: references are capabilities", `a stranger was answered: ${told}`);
  }
}

/** What a step gives; that it threw or did not end is noted. */
async function inTime<Result>(
  note: Note,
  rule: string,
  step: () => Promise<Result>,
): Promise<Result | undefined> {
  const giveUp = new AbortController();
  const late = setTimeout(PATIENCE_MS, "late" as const, { signal: giveUp.signal });
  late.catch(() => {});
  try {
    const result = await Promise.race([step(), late]);
    if (result !== "late") return result;
    note(rule, `no end after ${PATIENCE_MS / 1000} s`);
  } catch (error) {
    note(rule, `it rejected: ${String(error).slice(0, 300)}`);
  } finally {
    giveUp.abort();
  }
  return undefined;
}

async function endRound({ offloader, directory, broken }: Round, at: string): Promise<void> {
  const note: Note = (rule, what) => broken.push({ rule, what, at });
  const isStored = offloader.options.store.name !== "failing";
  for (const session of ["session-0", "session-1", "session-2", "another"]) {
    if (isStored) await inTime(note, "the end of a session", () => offloader.endSession(session));
  }
  await inTime(note, "closing", () => offloader.close());
  const left = filesIn(directory);
  if (left.length > 0) note("no file is left", left.slice(0, 5).join(", "));
  const children = childrenOf(process.pid);
  if (children.length > 0) note("no child is left", children.join(", "));
  rmSync(directory, { recursive: true, force: true });
}

function filesIn(directory: string): string[] {
  if (!existsSync(directory)) return [];
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(directory, name)).isFile());
}

/** Commands of the processes that this one has started; nothing where the system does not tell. */
function childrenOf(pid: number): string[] {
  try {
    const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter(Boolean);
    return ids
      .map((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "))
      .filter((command) => !command.includes("esbuild"));
  } catch {
    return [];
  }
}
