import { expect, it } from "vitest";

import { PRACTICE } from "../../eval/tasks/practice.js";
import type { NeededOutput } from "../../eval/tasks/task.js";
import { modelTools } from "../../src/core/drill-in/model-tools.js";
import { sessionKeyOf } from "../../src/core/store/naming.js";
import { sharedOffloader } from "../opened-offloaders.js";

const SESSION = "needs";
const offloader = sharedOffloader();
const { toolNames, toolShapes } = offloader.options;
const tools = modelTools({ ...offloader, toolNames, toolShapes });

async function call(name: string, args: object): Promise<string> {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`The descriptor names ${name}, which is not there.`);
  const { text, failed } = await tool.run(args, { sessionKey: sessionKeyOf(SESSION) });
  if (failed) throw new Error(`${name} ${JSON.stringify(args)}: ${text}`);
  return text;
}

/** Calls that a descriptor spells out with all their arguments: `tool(id=file_path, slurp=true, filter="…")`. */
function spelledCalls(strings: readonly string[], id: string): { name: string; args: object }[] {
  return strings.flatMap((text) =>
    [
      ...text.matchAll(/(\w+)\(id=file_path((?:, \w+=(?:"(?:[^"\\]|\\.)*"|true|false|-?\d+))+)\)/g),
    ].map(([, name = "", rest = ""]) => {
      const given = [...rest.matchAll(/, (\w+)=("(?:[^"\\]|\\.)*"|true|false|-?\d+)/g)];
      const args = given.map(([, key = "", value = ""]) => [key, JSON.parse(value)] as const);
      return { name, args: { id, ...Object.fromEntries(args) } };
    }),
  );
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, member]) => [key, ...stringsIn(member)])
    : [];
}

/** What of the need is neither in the descriptor nor one call away. */
async function lacking({ tool, load, needs }: NeededOutput): Promise<string[]> {
  const result = await offloader.offload({ toolName: tool, value: load(), sessionId: SESSION });
  if (result.outcome !== "offloaded") return [];
  const strings = stringsIn(JSON.parse(result.text));
  const has = (texts: readonly string[], need: string): boolean =>
    need.split(".").every((part) => texts.some((text) => text.includes(part)));
  const missing = needs.filter((need) => !has(strings, need));
  if (missing.length === 0) return [];
  const { id, recordCount } = result.storedArtifact;
  const answers: string[] = [];
  for (const { name, args } of spelledCalls(strings, id)) answers.push(await call(name, args));
  const nowhere: string[] = [];
  for (const need of missing.filter((one) => !has(answers, one))) {
    const pattern = need.split(".").at(-1) ?? "";
    const grep = { id, pattern, literal: true, max_results: 1 };
    // Text is searched: its words need not stand in the descriptor.
    const isText = recordCount === undefined && has(strings, "grep_tool_output");
    const found = isText ? await call("grep_tool_output", grep) : "";
    if (!found.includes(pattern) || found.startsWith("0 matching")) nowhere.push(need);
  }
  return nowhere;
}

it.each(PRACTICE)(
  "what a task needs is in the descriptor or one call away for $id",
  async ({ outputs }) => {
    for (const output of outputs)
      expect({ [output.tool]: await lacking(output) }).toEqual({ [output.tool]: [] });
  },
);
