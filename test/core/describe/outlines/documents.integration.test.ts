import { describe, expect, it, onTestFinished } from "vitest";
import type { ContentKind } from "../../../../src/core/types/content.js";
import { createJqEngine } from "../../../../src/core/engines/jq/engine.js";
import { DEFAULT_DRILL_IN_LIMITS } from "../../../../src/core/engines/limits.js";
import { readYaml } from "../../../../src/core/engines/jq/markup/markup-reader.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { linesOf } from "../fixture.js";

const offloaderWith = openedOffloaders();

async function tell(value: string): Promise<string> {
  const { offloader } = offloaderWith({ threshold: { bytes: 1 } });
  const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
  return result.outcome === "offloaded" ? result.text : "";
}

const lines = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join("");

/** Documents by their kind, and lines of their outlines; the JSON is too long for the event loop. */
const DOCUMENTS: Readonly<Record<string, readonly [text: string, told: readonly string[]]>> = {
  yaml: [
    `version: "3.8"\nservices:\n${lines(12, (at) => `  app${at}:\n    image: i:${at}\n    ports: ["80"]\n`)}`,
    [
      '.: {version: "3.8", services: map with 12 keys (app0, app1, app2, …), each {image, ports: list of 1: text (numbers)}}',
      ".services: map with 12 keys (app0, app1, app2, …), each {image, ports: list of 1: text (numbers)}",
    ],
  ],
  xml: [
    `<r>\n${lines(30, (at) => `<i k="${at}">${at === 7 ? "x" : ""}</i>\n`)}</r>\n`,
    ['.: {r: {i: list of 30: {@k: text (numbers), #text?: "x"}}}'],
  ],
  html: [
    `<title>T &amp; U</title>\n<h1>A <i>b</i></h1>\n<p>if a < b then 3\n<h2>C</h2>\n<table>\n<tr><th>Name</th><th>Age</th></tr>\n${lines(20, (at) => `<tr><td>n</td><td>${at}</td></tr>\n`)}</table>\n`,
    ["T & U", "line: heading", "2: # A b", "4: ## C"],
  ],
  "json-document": [
    `{\n"a": 1, "b": 10000000000000000000001,\n"config": {"k": [${lines(40_000, (at) => `${at}, `)}7], "v": {"w": {"x": 1}}}\n,"n": [\n${"\n".repeat(20)}]}`,
    [".: {a: 1, b: integer, config: {k: list of 40001: integer, v: {w: {x: 1}}}, n: list of 0}"],
  ],
};

it.each(Object.entries(DOCUMENTS))(
  "a document that a worker reads has an outline: %s",
  async (kind, [text, told]) => {
    const engine = createJqEngine(DEFAULT_DRILL_IN_LIMITS);
    onTestFinished(() => engine.close());
    const outline = await linesOf(kind as ContentKind, text, 2_000, (document) =>
      engine.outline(document),
    );
    expect(outline.slice(-told.length)).toEqual(told);
  },
);

const FAULTS: Readonly<Record<string, string>> = {
  "a tab before an entry": "bad:\n\t- tab: 1\n",
  "an alias within what it names": "bad: &bad\n  a: *bad\n",
  "a list that does not end": "bad: [1, 2\n",
  "two documents without a line between them": "bad: 1\nbad: 2\n",
  "a line without a key": "bad: 1\nno key\n",
  "a template": "bad:\n  a: {{ .Values.x }}\n",
};

describe("YAML that cannot be read", () => {
  const whole = lines(30, (at) => `item${at}:\n  name: n\n  v: ${at}\n`);

  it.each(Object.entries(FAULTS))("has no outline and no word of jq: %s", async (_name, bad) => {
    expect(() => JSON.stringify(readYaml(whole + bad))).toThrow(/it is not valid YAML|aliases/);
    expect(await linesOf("yaml", whole + bad)).toEqual([]);
    const told = await tell(whole + bad);
    expect(told).toContain('"kind":"yaml"');
    expect(told).not.toContain("jq");
  });
});
