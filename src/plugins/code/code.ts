import * as z from "zod";

import type { AgentHost } from "../../adapters/langchain/agent-hooks.js";
import { type OwnTool, ownTool } from "../../core/drill-in/context.js";
import type { DrillInLimits } from "../../core/engines/limits.js";
import { warmLater } from "../../core/engines/warm-later.js";
import { coreOf } from "../../core/plugin-host/plugin-host.js";
import type { OffloadPlugin, PluginApi } from "../../core/types/plugin.js";
import { codeInAgent } from "./agent.js";
import { askCode } from "./ask-code.js";
import { startEngine } from "./engine.js";
import { type CodeOptions, type CodeSettings, resolveCode } from "./options.js";
import { quickjsPath } from "./quickjs.js";
import type { CodeEngine } from "./request.js";

/**
 * Adds a tool with which the model runs JavaScript over stored outputs, `code_tool_output`. QuickJS runs the code in
 * its own workers. Each run starts from a fresh vm that has no environment, files, modules, timers or network.
 * @throws {@link OffloadError} with code `INVALID_OPTIONS` when the package `quickjs-wasi` is not installed in a
 * version that is known to keep its limits, an option cannot be used, or `tools` is set without `interruptOn`.
 */
export function code(options: CodeOptions = {}): OffloadPlugin {
  const settings = resolveCode(options);
  quickjsPath();
  return codePlugin(settings, (limits) => startEngine(limits, settings));
}

export function codePlugin(
  settings: CodeSettings,
  start: (limits: DrillInLimits) => CodeEngine,
): OffloadPlugin {
  return {
    name: "code",
    setup(api) {
      const engine = start(coreOf(api).limits);
      let stopWarming: (() => void) | undefined;
      return {
        tools: [ownTool(codeTool(engine, api))],
        // Spares the first run the wait for a worker.
        onEvent({ type }) {
          if (type === "offloaded") stopWarming ??= warmLater([() => engine.warm()]);
        },
        agent: (host: AgentHost) => codeInAgent(host, settings),
        async close() {
          stopWarming?.();
          await engine.close();
        },
      };
    },
  };
}

function codeTool(engine: CodeEngine, api: PluginApi): OwnTool {
  return {
    key: "code",
    description:
      "Run JavaScript over stored tool outputs, for joins, loops and parsing that one query cannot do. Sandbox: no modules, files, network or timers; each call starts fresh. " +
      'outputs.open(id, fields?): an iterator of records, CSV rows as objects of strings; fields, e.g. ["id","user"], reads only these, faster. ' +
      "outputs.lines(id): lines of any output. outputs.read(id): a whole document or text; records as an array. outputs.save(name, records or text): stores a new output, returns its id. " +
      "print(...) adds a line to the answer; return gives a value. What is too long for the answer is stored as a new output. Keep counts, not all records: memory is 64 MB.",
    schema: z.object({
      code: z
        .string()
        .describe(
          'e.g. const n = {}; for (const r of outputs.open("01K…", ["city"])) n[r.city] = (n[r.city] ?? 0) + 1; return n',
        ),
    }),
    ask: (ask, context) => askCode(ask, context, engine, api),
  };
}
