import type { WholeMutant } from "./mutant.js";

/** What the library promises whatever the specification says. */
export const WHOLE_RULES: readonly string[] = [
  "A tool call never fails because of the library.",
  "Every byte is within reach.",
  "What stands for an output is never dearer than the output.",
  "Small outputs pay nothing.",
  "References are capabilities.",
  "What a model sends is hostile.",
  "The data is hostile too.",
  "Names that the model sees exist.",
  "A restart loses nothing, and a checkpoint carries nothing.",
  "Prompt caches stay warm.",
];

/** In the code that guards each of them. */
export const WHOLE_MUTANTS: readonly WholeMutant[] = [
  {
    whole: 1,
    fault: "what goes wrong on the way is thrown",
    file: "core/pipeline/run-pipeline.ts",
    find: "return await recover(context, error, call, soFar);",
    put: "throw error;",
    test: "core/pipeline/run-pipeline.test.ts",
  },
  {
    whole: 1,
    fault: "a value that throws when it is looked at fails the call",
    file: "core/pipeline/pipeline.ts",
    find: "result = instead(error, output, source, call);",
    put: "throw error;",
    test: "hostile-values.integration.test.ts",
  },
  {
    whole: 2,
    fault: "records are written anew",
    file: "core/content/json/identify-json.ts",
    find: "export async function identifyJson(",
    put: "export async function identifyJson(given: string): ReturnType<typeof identifyGiven> {\n  return identifyGiven(JSON.stringify(JSON.parse(given)));\n}\nasync function identifyGiven(",
    test: "core/content/json-records.property.test.ts",
  },
  {
    whole: 2,
    fault: "the last byte of a range is left out",
    file: "core/store/store-driver.ts",
    find: "clamp(range.end, sizeBytes)",
    put: "clamp(range.end - 1, sizeBytes)",
    test: "core/store/file-contract.test.ts",
  },
  {
    whole: 3,
    fault: "a descriptor may cost twice the output",
    file: "core/describe/describer.ts",
    find: "= 0.8;",
    put: "= 2;",
    test: "core/describe/describe.test.ts",
  },
  {
    whole: 3,
    fault: "a descriptor stands for an output that is cheaper",
    file: "core/pipeline/store-and-describe.ts",
    find: "(await count(shown)) < worthTokens;",
    put: "(await count(shown)) >= 0;",
    test: "adapters/turn-budget.property.integration.test.ts",
  },
  {
    whole: 4,
    fault: "what stays is a copy",
    file: "core/pipeline/inline.ts",
    find: 'return { outcome: "inline", value,',
    put: 'return { outcome: "inline", value: structuredClone(value),',
    test: "hostile-values.integration.test.ts",
  },
  {
    whole: 4,
    fault: "every output is parsed",
    file: "core/pipeline/run-pipeline.ts",
    find: "if (isShort(call, context.options)) {",
    put: "if (isShort(call, context.options) && call.output.value === context) {",
    test: "core/pipeline/run-pipeline.test.ts",
  },
  {
    whole: 5,
    fault: "a file store gives every session what it has",
    file: "core/store/file/index.ts",
    find: "if (found?.record.sessionKey === sessionKey) return found;",
    put: "if (found !== undefined) return { ...found, record: { ...found.record, sessionKey } };",
    test: "core/store/file-contract.test.ts",
  },
  {
    whole: 5,
    fault: "sessions whose ids begin the same share their outputs",
    file: "core/store/naming.ts",
    find: ".update(bytes)",
    put: ".update(bytes.subarray(0, 4))",
    test: "core/store/naming.test.ts",
  },
  {
    whole: 5,
    fault: "a path is opened whoever's it is",
    file: "core/drill-in/find.ts",
    find: "const id = artifactIdIn(reference);",
    put: `const id = artifactIdIn(reference);
  if (id !== undefined && reference.startsWith("/")) {
    const folder = reference.slice(0, reference.lastIndexOf("/"));
    const { readFile } = await import("node:fs/promises");
    const record = await readFile(folder + "/.atlatl-" + id + ".json", "utf8").catch(() => "{}");
    const there = await lookedUp(looking, id, String(JSON.parse(record).sessionKey));
    if (there !== undefined) return there;
  }`,
    test: "access/access-matrix.integration.test.ts",
  },
  {
    whole: 5,
    fault: "a rule that fails opens a session",
    file: "core/pipeline/create-offloader.ts",
    find: "return [];",
    put: 'return [sessionKeyOf("acme:owner")];',
    test: "core/pipeline/access.test.ts",
  },
  {
    whole: 5,
    fault: "what a reference stood for is kept for every session",
    file: "plugins/references/reference-value.ts",
    find: "const found = await findIn(context, call)(reference.output);",
    put: `const kept: Map<string, StoredArtifact> = (Reflect.get(context, "kept") ?? new Map()) as never;
      Reflect.set(context, "kept", kept);
      const before = kept.get(reference.output);
      const found = before ?? (await findIn(context, call)(reference.output));
      if (typeof found !== "string") kept.set(reference.output, found);`,
    test: "access/access-matrix.integration.test.ts",
  },
  {
    whole: 6,
    fault: "arguments of any length are taken",
    file: "core/drill-in/arguments.ts",
    find: "value.length > most)",
    put: "value.length < 0)",
    test: "core/drill-in/arguments.test.ts",
  },
  {
    whole: 6,
    fault: "a reference of any length is looked at",
    file: "core/store/naming.ts",
    find: "if (reference.length > MAX_REFERENCE_CHARACTERS ||",
    put: "if (",
    test: "core/drill-in/find.test.ts",
  },
  {
    whole: 7,
    fault: "a quote ends the word of a shell",
    file: "util/safe-text.ts",
    find: "return `'${text.replaceAll(\"'\", () => String.raw`'\\''`)}'`;",
    put: "return `'${text}'`;",
    test: "core/describe/forms/recipe-commands.integration.test.ts",
  },
  {
    whole: 7,
    fault: "invisible characters stand in what a model reads",
    file: "util/safe-text.ts",
    find: "JSON.stringify(value).replaceAll(INVISIBLE, (found) =>",
    put: "JSON.stringify(value).replaceAll(/(?!)/g, (found: string) =>",
    test: "core/describe/recipes/recipes.integration.test.ts",
  },
  {
    whole: 8,
    fault: "jq is named where it is not",
    file: "core/describe/guidance.ts",
    find: "jq && jqSentence(input, jq, marksSlurp),",
    put: 'jqSentence(input, jq ?? "jq_tool_output", marksSlurp),',
    test: "core/describe/named-tools.test.ts",
  },
  {
    whole: 8,
    fault: "tools that a descriptor names are not shown",
    file: "adapters/langchain/agent-calls.ts",
    find:
      "const isReading =\n        accessAt(offloader, { ...site, state }) !== undefined ||\n        hasOffloads(state) ||\n" +
      "        (sessionId !== undefined && offloader.stats(sessionId).outputsOffloaded > 0);",
    put: "const isReading = false as boolean;",
    test: "adapters/show-tools.integration.test.ts",
  },
  {
    whole: 9,
    fault: "the message carries the output",
    file: "adapters/langchain/tool/tool-message.ts",
    find: "stored.length === 0 ? carried :",
    put: "stored.length === 0 ? { ...carried, value } :",
    test: "adapters/resume.integration.test.ts",
  },
  {
    whole: 9,
    fault: "the conversation does not know what it may read",
    file: "adapters/langchain/run/carried.ts",
    find: "  await writeSessionKeys(sessionKeys, site.configurable);\n",
    put: "",
    test: "adapters/conversation-state.integration.test.ts",
  },
  {
    whole: 10,
    fault: "the set of tools changes with the first output",
    file: "adapters/langchain/agent-host.ts",
    find: "return hooks.reduce((shown, own) => own.presentTools?.(shown, at) ?? shown, tools);",
    put: 'const some = at.hasOffloads ? tools : tools.filter(({ name }) => !String(name).includes("_")); return hooks.reduce((shown, own) => own.presentTools?.(shown, at) ?? shown, some);',
    test: "adapters/show-tools.integration.test.ts",
  },
  {
    whole: 10,
    fault: "a descriptor has the time of day",
    file: "core/describe/summary.ts",
    find: "    kind: artifact.kind,",
    put: "    kind: artifact.kind,\n    told_at: performance.now(),",
    test: "adapters/byte-stable.integration.test.ts",
  },
];
