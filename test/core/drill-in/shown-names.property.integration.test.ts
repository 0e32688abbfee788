import { extractTool } from "../../../src/presets/lro/extract.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { type ModelTool, modelTools } from "../../../src/core/drill-in/model-tools.js";
import { createOffloader } from "../../../src/core/pipeline/create-offloader.js";
import type { OffloadOptions } from "../../../src/core/options/options.js";
import { atlatl, lro, mcpagent, metaCc, vectara } from "../../../src/presets/index.js";
import { CORE_TOOLS } from "../../../src/core/drill-in/tools.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";

const SESSION = "s";

const ALL_TOOLS = [...CORE_TOOLS, extractTool];
const ALL_ARGUMENTS = [
  ...new Set([
    ...ALL_TOOLS.flatMap((tool) => Object.keys((tool.understood ?? tool.schema).shape)),
    "case_sensitive",
    "artifact_id",
    "filename",
  ]),
];
/** Names of arguments that are no words of a sentence. */
const PLAIN_NAMES = ["slurp", "literal", "invert", "filename"];
const TOOL_WORD = /\b(?:\w+_tool_output|lro_extract|artifact_(?:read|grep|jq)|\w+_large_output)\b/g;

/** The arguments that a tool's definition shows. */
function shownOf({ parameters }: ModelTool): readonly string[] {
  return Object.keys(Object(parameters["properties"]));
}

/** Everything that a text names and that is not there: arguments, tools, and in calls what they are on. */
function strangersIn(
  text: string,
  tools: readonly ModelTool[],
  seen: string,
  members: readonly string[] = [],
  brought: readonly string[] = [],
): readonly string[] {
  const shown = new Set([...tools.flatMap(shownOf), ...members]);
  const hidden = ALL_ARGUMENTS.filter((name) => !shown.has(name));
  const names = (text.match(TOOL_WORD) ?? []).filter(
    (name) => !tools.some((tool) => tool.name === name),
  );
  return [
    ...hidden.filter((name) => isNamed(name, text.replaceAll(CALL, ""))),
    ...names,
    ...callsIn(text).flatMap((call) => strangersOfCall(call, tools, seen, brought)),
  ];
}

/** Whether a text speaks of an argument; a name that is a word too must stand as one is named. */
function isNamed(name: string, text: string): boolean {
  if (name.includes("_") || PLAIN_NAMES.includes(name))
    return new RegExp(`(?<![\\w.])${name}(?!\\w)`).test(text);
  return new RegExp(
    `(?<![\\w.{ ] ?)${name}(?:\\.\\w+)?: |\\b(?:[Pp]ass|[Ss]et|without|in|as|both) ${name}(?=[,.;:]| (?:to|and|or|in|has|have|is|are)\\b|$)|\\bThe ${name} has `,
    "m",
  ).test(text);
}

/** A call that a text states, with its arguments as JSON. */
const CALL = /\b(\w+) (\{"\w+":.*\})(?= \(|[.,]?$)/gm;

function callsIn(text: string): readonly (readonly [tool: string, json: string])[] {
  return [...text.matchAll(CALL)].map(([, tool = "", json = ""]) => [tool, json]);
}

function strangersOfCall(
  [name, json]: readonly [tool: string, json: string],
  tools: readonly ModelTool[],
  seen: string,
  brought: readonly string[],
): readonly string[] {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return [];
  const args: Record<string, unknown> = JSON.parse(json);
  const reference = String(args[shownOf(tool)[0] ?? ""]);
  return [
    // What the call before had is taken again, shown or not.
    ...Object.keys(args).filter((key) => !shownOf(tool).includes(key) && !brought.includes(key)),
    ...(seen.includes(reference) ? [] : [reference]),
  ];
}

const LONG = "x".repeat(20_000);
const words = (text: string, ...others: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.constantFrom<unknown>(...text.split("~"), LONG, ...others);
/** What a call may pass for a number: right, out of range, too large, misspelt, empty. */
const number = fc.constantFrom<unknown>(1, 300, 0, -1, 99_999, 1e300, 2.5, "7", "x", "", null, [1]);
const flag = fc.constantFrom<unknown>(true, false, "true", "yes", null, 7);
const pattern = words("note~item~note|item~nothing at all~^~x*~(?=a)~(a)\\1~(~[~a{2000}~", 7);
const filter = words(
  `.~inputs~.city~.[]~keys~[inputs] | length~sort_by(.number)~.city.name~.nothing~.citty~$b | length~foo~(~jq .~"\\x"~error
    ~select(.city == "city")~empty~.orders[] | .city~.root.item~$x~$b~.note | test("a")~limit(3; inputs)~`,
  ["."],
);
const query = fc.oneof(
  filter,
  words(
    `SELECT * FROM output~SELECT citty FROM output~SELECT * FROM b~SELECT FROM~SELECT * FROM orders~DROP TABLE output
    ~SELECT * FROM read_csv('a.csv')~SELECT sum(city) FROM output~SELECT 1; SELECT 2~SELECT * FROM output WHERE false`,
  ),
);

/** Stands for the reference of the output that is asked. */
const OWN = "<own>";
const many = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`b${n}`, OWN]));
const OTHERS = [{ b: OWN, c: OWN }, { b: "no id" }, { b: 7 }, { output: OWN }, { x: OWN }, many];
const others = fc.constantFrom<unknown>(...OTHERS, { "": OWN }, { b: OWN, B: OWN }, "b", null);
const VARIABLES = [{ x: 1 }, { b: 1 }, '{"x": 1}', "x", null, { x: "x".repeat(70_000) }];
const variables = fc.constantFrom<unknown>(...VARIABLES);
const recipe = fc.oneof(fc.constantFrom<unknown>(1, 2, 3, 99, "x"), number);

const each = (value: fc.Arbitrary<unknown>, names: string) =>
  Object.fromEntries(names.split(" ").map((name) => [name, value]));
/** Arguments that may stand beside what is asked for, shown by the tool or not. */
const more: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...each(number, "start end start_line end_line start_record end_record start_character"),
  ...each(number, "max_tokens before after max_results skip limit last"),
  ...each(flag, "ignore_case literal invert only_matching count_only slurp raw compact"),
  with: others,
  args: variables,
  params: variables,
  [LONG]: fc.constantFrom<unknown>(1, { x: LONG.repeat(4) }),
};

/** What a model may pass to any drill-in, by the drill-ins' own names. */
const question = fc.record({
  reference: fc.oneof(
    { weight: 12, arbitrary: fc.constant<unknown>(OWN) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>("", `${OWN}x`, "no id", 7, null) },
  ),
  args: fc
    .tuple(
      fc.record({ pattern, filter, query, recipe }, { requiredKeys: ["pattern", "filter"] }),
      fc
        .subarray(Object.keys(more), { maxLength: 3 })
        .chain((names) =>
          fc.record(Object.fromEntries(names.map((name) => [name, more[name] ?? number]))),
        ),
    )
    .map(([asked, beside]) => ({ ...asked, ...beside })),
});

const RECORDS = Array.from({ length: 400 }, (_, n) => ({
  number: n,
  city: `city ${n % 7}`,
  note: n % 3 === 0 ? null : `a note that says ${n}`,
}));
const ROWS = RECORDS.map(({ number, city, note }) => `${number},${city},${note ?? ""}`);
/** Outputs of all layouts; none has a name of an argument in it. */
const OUTPUTS: Readonly<Record<string, string>> = {
  records: JSON.stringify(RECORDS),
  sets: JSON.stringify({ orders: RECORDS, refunds: RECORDS.slice(0, 200), page: 1 }),
  csv: `number,city,note\n${ROWS.join("\n")}\n`,
  text: RECORDS.map(({ number, note }) => `ERROR ${number} ${note}`).join("\n"),
  xml: `<root>\n${RECORDS.map(({ note }) => `<item>${note}</item>`).join("\n")}\n</root>`,
  "one line": RECORDS.map(({ note }) => `item ${note}`).join(" "),
};

const PRESETS = { lro, atlatl, mcpagent, vectara, "meta-cc": metaCc };
/** Answers differ by the tools that a preset has; the forms are looked at where they are the library's own. */
const AGENTS: readonly (readonly [string, () => OffloadOptions])[] = [
  ["default", () => ({})],
  ...Object.entries(PRESETS).map(([name, preset]) => [name, () => ({ preset: preset() })] as const),
  ...(["generic", "bare"] as const).map(
    (form) => [`the form ${form}`, () => ({ describe: { form } })] as const,
  ),
];

/** What a model of an agent sees of the outputs, and its tools. */
async function slotOf(options: OffloadOptions) {
  const offloader = createOffloader({
    threshold: { bytes: 100 },
    ...options,
    store: memoryStore(),
  });
  const { toolNames, toolShapes } = offloader.options;
  const seen = [];
  for (const [kind, value] of Object.entries(OUTPUTS)) {
    const result = await offloader.offload({ toolName: "search", value, sessionId: SESSION });
    // A preset leaves small outputs as they are.
    if (result.outcome === "offloaded")
      seen.push({ kind, descriptor: result.text, id: result.storedArtifact.id });
  }
  const tools = modelTools({ ...offloader, toolNames, toolShapes }).filter(
    ({ name }) => name !== "cleanup_temp_files",
  );
  return { seen, tools, close: () => offloader.close() };
}

const POSITIONS = ["start", "end"].flatMap((end) =>
  ["", "_line", "_record", "_character"].map((unit) => end + unit),
);

/** The arguments with the reference of an output in them. */
function about(id: string, args: object): object {
  return JSON.parse(JSON.stringify(args).replaceAll(OWN, id)) as object;
}

/** What a descriptor itself has by these names, where it is JSON. */
function membersOf(descriptor: string): readonly string[] {
  return descriptor.startsWith("{") ? Object.keys(Object(JSON.parse(descriptor))) : [];
}

describe("no text that a model reads names what is not there", () => {
  let calls = 0;
  it.each(AGENTS)("of %s", async (_, options) => {
    const slot = await slotOf(options());
    const { seen, tools } = slot;
    for (const { descriptor, kind } of seen)
      expect({
        kind,
        strangers: strangersIn(descriptor, tools, descriptor, membersOf(descriptor)),
      }).toEqual({ kind, strangers: [] });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          output: fc.constantFrom(...seen),
          name: fc.constantFrom(...tools.map((tool) => tool.name)),
          question,
        }),
        async ({ output, name, question }) => {
          const tool = tools.find((one) => one.name === name);
          if (tool === undefined) throw new Error(`no ${name}`);
          const [reference = "id"] = shownOf(tool);
          const args = about(output.id, { ...question.args, [reference]: question.reference });
          const { text } = await tool.run(args, { sessionKey: sessionKeyOf(SESSION) });
          calls += text.includes("Next call: ") ? 1 : 0;
          // A call that says where to read, by names that are shown or not, is answered by such names.
          const brought = POSITIONS.some((place) => place in args) ? POSITIONS : [];
          expect({
            text,
            strangers: strangersIn(text, tools, output.descriptor, brought, [
              ...Object.keys(args),
              ...brought,
            ]),
          }).toEqual({ text, strangers: [] });
        },
      ),
      { numRuns: 20 },
    );
    await slot.close();
  });

  // Chance decides which of them.
  it("has calls in some of these answers to be looked at", () => expect(calls).toBeGreaterThan(0));
});
