import { expect, it } from "vitest";

import { modelTools } from "../../../src/core/drill-in/model-tools.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { code } from "../../../src/plugins/code/code.js";
import { atlatl } from "../../../src/presets/atlatl/atlatl.js";
import { mcpagent } from "../../../src/presets/mcpagent/mcpagent.js";
import { metaCc } from "../../../src/presets/meta-cc/meta-cc.js";
import { vectara } from "../../../src/presets/vectara/vectara.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { MEASURE } from "./stored-outputs.js";

const MAX_TOKENS = 150;
const opened = openedOffloaders();

const WRONG: readonly unknown[] = [
  { a: 1 },
  [1, 2],
  -5,
  1.5,
  1e300,
  true,
  "abc",
  "",
  "y".repeat(20_000),
  "x".repeat(300_000),
  "\u001B[31m\0",
  Array.from({ length: 1000 }, () => "ab"),
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, index])),
  JSON.parse('{"a":'.repeat(500) + "1" + "}".repeat(500)),
  { valueOf: 1, toString: 1 },
  JSON.parse("[".repeat(20_000) + "]".repeat(20_000)),
];

const RIGHT: Readonly<Record<string, string>> = {
  pattern: "x",
  filter: ".",
  query: ".",
  code: "return 1",
};

it.each([
  ["the usual tools", undefined],
  ["the tools of atlatl", atlatl()],
  ["the tools of mcpagent", mcpagent()],
  ["the tools of meta-cc", metaCc()],
  ["the tools of Vectara", vectara()],
])("what %s say of a wrong, missing or huge argument is short", async (_, preset) => {
  const { offloader } = opened({
    store: memoryStore(),
    ...(preset === undefined ? { plugins: [code()] } : { preset }),
  });
  let id = "";
  let sessionKey = "";
  for (let times = 0; times < 12; times += 1)
    ({ id, sessionKey } = (await offloader.put([{ times }], { sessionId: "s" })).storedArtifact);
  const { drillIn, options } = offloader;
  for (const tool of modelTools({ ...offloader, ...options, drillIn, sweep: async () => [] })) {
    const { properties = {} } = tool.parameters;
    const names = Object.keys(properties as object);
    const right = Object.fromEntries(names.flatMap((name) => given(name, id)));
    const calls: unknown[] = [undefined, null, "hello", [], {}, { foo: "x".repeat(300_000) }];
    for (const name of names) {
      calls.push({ ...right, [name]: undefined });
      for (const value of WRONG) calls.push({ ...right, [name]: value });
    }
    for (const [at, args] of calls.entries()) {
      const answer = await tool.run(args, { sessionKey });
      if (!answer.failed) continue;
      const { tokens } = await MEASURE.count(answer.text);
      expect(tokens, `${tool.name}, call ${at}`).toBeLessThanOrEqual(MAX_TOKENS);
      expect(answer.text).not.toBe("");
    }
  }
});

function given(name: string, id: string): [string, string][] {
  const value = RIGHT[name] ?? (/^(?:id|.*file.*name|.*path|artifact_id)$/.test(name) ? id : "");
  return value === "" ? [] : [[name, value]];
}
