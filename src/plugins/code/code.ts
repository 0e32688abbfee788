import * as z from "zod";

import type { AgentHost } from "../../adapters/langchain/agent-hooks.js";
import { type OwnTool, ownTool } from "../../core/drill-in/context.js";
import { setPath } from "../../core/content/json/sets/set-names.js";
import type { DrillInLimits } from "../../core/engines/limits.js";
import { whenIdle } from "../../core/engines/when-idle.js";
import { coreOf } from "../../core/plugin-host/plugin-host.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { OffloadPlugin } from "../../core/types/plugin.js";
import { checkedOptions, optionsOf, size, wholeNumber } from "../../util/option-rules.js";
import { safeJson } from "../../util/safe-text.js";
import { codeInAgent } from "./agent.js";
import { askCode } from "./ask-code.js";
import {
  CODE_CALL_RULES,
  type CodeCallOptions,
  type CodeCalls,
  resolveCodeCalls,
} from "./call-options.js";
import { startEngine } from "./engine.js";
import type { KeepMade } from "./keep-made.js";
import { quickjsPath } from "./quickjs-package.js";
import type { CodeEngine } from "./request.js";

/** How the code that a model writes is bounded, and which tools it may call. */
export interface CodeOptions extends CodeCallOptions {
  /**
   * Memory of the code in one run, in mebibytes, from 4 to 1,024. Its worker takes some 40 more.
   *
   * @defaultValue `64`
   */
  readonly maxMemoryMb?: number;
  /**
   * Most bytes that one run may store: what it saves, returns and prints together.
   *
   * @defaultValue `268_435_456`
   */
  readonly maxKeptBytes?: number;
}

const MIN_MEMORY_MB = 4;
const MAX_MEMORY_MB = 1024;
const DEFAULT_MEMORY_MB = 64;
const DEFAULT_KEPT_BYTES = 268_435_456;

const schema = optionsOf({
  maxMemoryMb: wholeNumber(MIN_MEMORY_MB, MAX_MEMORY_MB).optional(),
  maxKeptBytes: size.optional(),
  ...CODE_CALL_RULES,
});

/**
 * A tool with which the model runs JavaScript over stored outputs, `code_tool_output`: by QuickJS in workers of its own.
 * Each run starts from a fresh guest that has no environment, files, modules, timers or network.
 *
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the package `quickjs-wasi` is not installed in a
 * version that is known to hold its bounds, an option cannot be used, or `tools` stand without `interruptOn`.
 */
export function code(options: CodeOptions = {}): OffloadPlugin {
  return codePlugin(checkedCode(options));
}

/** The plug-in over an engine. */
export function codePlugin({ calls, start }: CodeParts): OffloadPlugin {
  return {
    name: "code",
    setup(api) {
      const { engine, close } = start(coreOf(api).limits);
      const keep: KeepMade = ({ value, ...about }, call) =>
        api.put(value, { ...about, call, toolName: call.toolName });
      let warming: ReturnType<typeof whenIdle> | undefined;
      return {
        tools: [ownTool(codeTool(engine, keep))],
        describe: ({ storedArtifact, tools: { code: name } }) =>
          name === undefined
            ? undefined
            : { guidance: `${name} has it as ${readingOf(storedArtifact)}.` },
        // The first run does not wait for a worker.
        onEvent({ type }) {
          if (type !== "offloaded") return;
          warming ??= whenIdle([() => engine().warm()], () => (warming = undefined));
        },
        agent: (host: AgentHost) => codeInAgent(host, calls),
        async close() {
          warming?.stop();
          await close();
        },
      };
    },
  };
}

/** Which tools code may call, and what runs it. */
interface CodeParts {
  readonly calls: CodeCalls;
  readonly start: (limits: DrillInLimits) => StartedCode;
}

/** An engine that is started when it is first asked for, and again after its end. */
interface StartedCode {
  readonly engine: () => CodeEngine;
  readonly close: () => Promise<void>;
}

/** An engine. @throws as {@link code} does */
export function startCode(limits: DrillInLimits, options: CodeOptions = {}): StartedCode {
  return checkedCode(options).start(limits);
}

function checkedCode(options: CodeOptions): CodeParts {
  const checked = checkedOptions<CodeOptions>("code", schema, options);
  const { maxMemoryMb = DEFAULT_MEMORY_MB, maxKeptBytes = DEFAULT_KEPT_BYTES } = checked;
  const bounds = { path: quickjsPath(), maxMemoryMb, maxKeptBytes };
  return {
    calls: resolveCodeCalls(checked),
    start(limits) {
      let engine: CodeEngine | undefined;
      return {
        engine: () => (engine ??= startEngine(limits, bounds)),
        close: async () => {
          const ended = engine;
          engine = undefined;
          await ended?.close();
        },
      };
    },
  };
}

/** The tool that runs code. */
export function codeTool(engine: () => CodeEngine, keep?: KeepMade): OwnTool {
  return {
    key: "code",
    description:
      "Run JavaScript over stored tool outputs, for joins, loops and parsing that one query cannot do. Sandbox: no modules, files, network or timers; each call starts fresh. " +
      'outputs.open(id, fields?): an iterator of records, CSV rows as objects of strings; fields, e.g. ["id","user.name"], reads only these, faster. ' +
      "outputs.lines(id): lines of any output. outputs.read(id): a whole document or text; records as an array. outputs.save(name, records or text): stores a new output, returns its id. " +
      "print(...) adds a line to the answer; return gives a value. What is too long for the answer is stored as a new output. Keep counts, not all records: memory is 64 MB.",
    schema: z.object({
      code: z
        .string()
        .describe(
          'e.g. const n = {}; for (const r of outputs.open("01K…", ["city"])) n[r.city] = (n[r.city] ?? 0) + 1; return n',
        ),
    }),
    ask: (ask, context) => askCode(ask, context, { engine: engine(), keep }),
  };
}

/** How code reads an output. */
function readingOf({ layout, sets, recordCount }: StoredArtifact): string {
  if (sets !== undefined) {
    const [largest] = sets.map((set) => `${setPath(set)}[]`);
    return `outputs.open(file_path, ${safeJson(largest)})`;
  }
  if (recordCount !== undefined) return "outputs.open(file_path)";
  return `outputs.${layout === "text" ? "lines" : "read"}(file_path)`;
}
