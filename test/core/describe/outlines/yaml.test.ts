import { describe, expect, it } from "vitest";
import { readYaml } from "../../../../src/core/engines/jq/markup/yaml-value.js";
import { openedOffloaders } from "../../../opened-offloaders.js";
import { linesOf } from "./lines-of.js";

function services(count: number, lines: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => lines(at)).join("");
}

describe("what merge keys and aliases of YAML name", () => {
  it("is not copied without end", async () => {
    const names = Array.from({ length: 30 }, (_, at) => `a${at}`);
    const text = names
      .map((name, at) => {
        const inner = at === 0 ? "x" : `*${names[at - 1]}`;
        return `${name}: &${name}\n${services(9, (n) => `  k${n}: ${inner}\n`)}`;
      })
      .join("");
    expect((await linesOf("yaml", text, 1_000))[1]).toMatch(/^1: \.: a0\{\}, a1\{\} of 9 by key/);
  });
});

const FAULTS: Readonly<Record<string, string>> = {
  "a tab before an entry": "bad:\n\t- tab: 1\n",
  "a tab before a line of a text": "bad: |\n  a\n\tb\n",
  "an alias without an anchor": "bad: *nope\n",
  "an alias within what it names": "bad: &bad\n  a: *bad\n",
  "a list that does not end": "bad: [1, 2\n",
  "a text that does not end": 'bad: "a\n',
  "text after a text in quotes": 'bad: "a" b\n',
  "a key within plain text": "bad: error: no\n",
  "a key below plain text": "bad: text\n  key: v\n",
  "a key between two indentations": "bad:\n    a: 1\n  b: 2\n",
  "a line without a key": "bad: 1\nno key\n",
  "an item beside keys": "bad: 1\n- item\n",
  "a merge key without a mapping": "bad:\n  <<: 5\n",
};

describe("YAML that cannot be read", () => {
  const whole = services(30, (at) => `item${at}:\n  name: n\n  v: ${at}\n`);
  const offloaderWith = openedOffloaders();
  const tell = async (value: string): Promise<string> => {
    const { offloader } = offloaderWith({ threshold: { bytes: 1 } });
    const result = await offloader.offload({ toolName: "t", value, sessionId: "s" });
    return result.outcome === "offloaded" ? result.text : "";
  };

  it.each(Object.entries(FAULTS))("has no outline and no word of jq: %s", async (_name, bad) => {
    expect(() => JSON.stringify(readYaml(whole + bad))).toThrow(/it is no YAML|circular/);
    expect(await linesOf("yaml", whole + bad)).toEqual([]);
    const told = await tell(whole + bad);
    expect(told).toContain('"kind":"yaml"');
    expect(told).not.toContain("jq");
  });
});
