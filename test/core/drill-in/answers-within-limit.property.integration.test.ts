import fc from "fast-check";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import { afterAll, expect, it } from "vitest";

import { commandCalls } from "../../../src/cli/command-line.js";
import { createGrepEngine } from "../../../src/core/engines/grep/engine.js";
import { createJqEngine } from "../../../src/core/engines/jq/engine.js";
import { modelTools } from "../../../src/core/drill-in/model-tools.js";
import type { CallPrinter } from "../../../src/core/drill-in/calls.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../src/core/engines/limits.js";
import type { ToolShape } from "../../../src/core/drill-in/tools.js";
import { artifactTools, largeOutputTools } from "../../../src/presets/index.js";
import {
  addRecords,
  createTestStore,
  drillInOver,
  MEASURE,
  SESSION_KEY,
  TOOL_NAMES,
} from "./stored-outputs.js";

const jq = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
const grep = createGrepEngine(DEFAULT_DRILL_IN_LIMITS);
afterAll(() => Promise.all([jq.close(), grep.close()]));

/** Whose answers: each with its names, its arguments and its way to write a call. */
const AGENTS: Readonly<
  Record<string, { readonly shapes?: readonly ToolShape[]; readonly calls?: CallPrinter }>
> = {
  "usual tools": {},
  "mcpagent's tools": { shapes: largeOutputTools() },
  "vectara's tools": { shapes: artifactTools() },
  "the command line": { calls: commandCalls({ directory: `/data/${"deep/".repeat(30)}` }) },
};

const HOSTILE = "\u0000\u001b[31m漢😀\ud800|\\\"'`$()\n\r\u202e";
const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({ maxLength: 400 }),
  fc.constant(HOSTILE.repeat(20)),
  fc.constant("name ".repeat(400)),
);
const records = fc.array(fc.dictionary(text, text, { minKeys: 1, maxKeys: 5 }), {
  minLength: 1,
  maxLength: 30,
});
const filter = fc.oneof(
  fc.constantFrom(".", "keys", ".[]", "error(tojson)", "inputs", "group_by(.a)", ".a | .b"),
  text,
);

it.each(Object.entries(AGENTS))(
  "an answer and its note stay within their limit, and are counted as they are: %s",
  async (_, { shapes = [], calls }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ records, filter, text, limit: fc.integer({ min: 8, max: 300 }) }),
        async ({ records, filter, text, limit }) => {
          const store = createTestStore();
          const { id } = addRecords(store, records);
          const counted: number[] = [];
          const names = {
            ...TOOL_NAMES,
            sql: "sql_tool_output",
            ...Object.fromEntries(shapes.map(({ tool, name }) => [tool, name])),
          };
          const onEvent = (event: OffloadEvent): void => {
            if (event.type === "drilled-in") counted.push(event.answerTokens);
          };
          const engines = { jq, grep };
          const more = { names, shapes, calls, engines, onEvent, tools: [] };
          const drillIn = drillInOver(store, { maxOutputTokens: limit }, more);
          const tools = modelTools({
            drillIn,
            toolNames: names,
            toolShapes: shapes,
            sweep: async () => [],
          });
          for (const args of [
            { filter },
            { filter: ".", skip: 1, limit: 2 },
            { pattern: text, literal: true },
            { pattern: ".", max_results: 2, before: 1 },
            { start: 1 },
            { query: filter },
            { recipe: 3, params: { [text]: text } },
            { [text]: text },
            { id: text },
          ]) {
            for (const tool of tools) {
              const reference = { filename: id, artifact_id: id, id, file_path: id };
              const { text } = await tool.run(
                { ...reference, ...args },
                { sessionKey: SESSION_KEY },
              );
              const { tokens } = await MEASURE.count(text);
              expect(tokens).toBeLessThanOrEqual(limit);
              expect(counted.at(-1)).toBe(tokens);
            }
          }
        },
      ),
      { numRuns: 8 },
    );
  },
);
