import { expect, it } from "vitest";
import { identifyContent } from "../../../src/core/content/identify.js";
import { describeArtifact } from "../../../src/core/describe/describe.js";
import { describeAsEnvelope } from "../../../src/presets/vectara/vectara.js";
import { describeAsFileReference } from "../../../src/presets/meta-cc/meta-cc.js";
import { describeAsMessage } from "../../../src/presets/mcpagent/mcpagent.js";
import { describeAsAtlatl } from "../../../src/presets/atlatl/atlatl.js";
import type { Describer } from "../../../src/core/describe/describer.js";
import type { DrillInToolNames } from "../../../src/core/types/result.js";
import { store } from "./fixture.js";
import { issues, memories } from "./samples.js";

const NAMES: Required<DrillInToolNames> = {
  read: "tool_of_reading",
  grep: "tool_of_grep",
  jq: "tool_of_jq",
  sql: "tool_of_sql",
  extract: "tool_of_extraction",
  code: "tool_of_code",
  view: "tool_of_view",
};
const KEYS = ["read", "grep", "jq", "sql", "extract", "code"] as const;
const OUTPUTS: Readonly<Record<string, string>> = {
  records: JSON.stringify(issues(60)),
  memories: JSON.stringify(memories(60, "full")),
  table: ["id,region", ...Array.from({ length: 400 }, (_, at) => `${at},r${at % 3}`)].join("\n"),
  text: "A line of words without any structure.\n".repeat(400),
};
const FORMS: Readonly<Record<string, Describer>> = {
  auto: (input) => describeArtifact(input),
  generic: (input) => describeArtifact(input, { form: "generic" }),
  bare: (input) => describeArtifact(input, { form: "bare" }),
  atlatl: describeAsAtlatl,
  envelope: describeAsEnvelope,
  "file reference": describeAsFileReference,
  message: describeAsMessage(),
};
/** No tool, one alone, all but one, all. */
const SETS = [
  [],
  ...KEYS.map((key) => [key]),
  ...KEYS.map((key) => KEYS.filter((each) => each !== key)),
  [...KEYS],
];

it.each(Object.keys(FORMS))(
  "what a descriptor names is there in the form %s, whatever tools the agent has",
  async (form) => {
    for (const [kind, text] of Object.entries(OUTPUTS)) {
      const { storedArtifact, ...stored } = await store(await identifyContent(text), {
        tokens: 9_000,
      });
      for (const hasFile of [true, false]) {
        const artifact = hasFile ? storedArtifact : { ...storedArtifact, filePath: undefined };
        const count = (part: string): number => part.length / 4;
        const input = { ...stored, storedArtifact: artifact, text, count };
        for (const there of SETS) {
          const tools = Object.fromEntries(there.map((key) => [key, NAMES[key]]));
          const descriptor = await FORMS[form]!({ ...input, tools });
          const absent = KEYS.filter((key) => !there.includes(key)).map((key) => NAMES[key]);
          for (const name of absent) expect(descriptor.text).not.toContain(name);
          const runs = there.includes("jq") || there.includes("extract");
          const asCommands = hasFile && descriptor.form === "full";
          if (!runs && !asCommands && form !== "message") {
            const { jq_recipes: recipes = [], guidance = "" } = JSON.parse(descriptor.text);
            expect([kind, recipes]).toEqual([kind, []]);
            expect(guidance).not.toMatch(/recipe|slurp|jq/);
          }
          if (form !== "message" && !descriptor.text.includes('"preview"')) {
            expect(descriptor.text).not.toContain("The preview");
          }
        }
      }
    }
  },
);
