import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { jsonShape } from "../../../src/describe/outlines/shape/json-shape.js";
import { yamlReader } from "../../../src/describe/outlines/shape/yaml-shape.js";
import type { ShapeNode } from "../../../src/describe/outlines/shape/shape-tree.js";
import { readYaml } from "../../../src/drill-in/jq/markup/yaml-value.js";
import { openedOffloaders } from "../../opened-offloaders.js";
import { linesOf } from "./lines-of.js";

const header = "jq path (how many): members; {} object, [] array, × how often; untyped is text";
const partial = "not all is looked into: counts are the least, places may have more members";

function services(count: number, lines: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => lines(at)).join("");
}

describe("what merge keys and aliases of YAML name", () => {
  it("is told where it is used", async () => {
    const text = `x: &common\n  restart: always\n  env: &env\n    A: 1\nservices:\n${services(10, (at) => `  s${at}:\n    <<: *common\n    image: i${at}\n    environment: *env\n`)}`;
    expect(await linesOf("yaml", text)).toContain(
      '6: .services[] (10 by key: s0, s1, s2, …): image, environment{A: 1 ×10}, restart: "always" ×10, env{A: 1 ×10}',
    );
  });

  it("is what the mapping does not have itself, and of several the first one's", async () => {
    const text = `a: &a\n  m: 1\nb: &b\n  m: x\n  n: 1\nl:\n- <<: [*a, *b]\n  n: y\n- <<:\n  - *b\n  - *a\n`;
    expect(await linesOf("yaml", text)).toEqual([
      header,
      ".: a{m: number}, b{m, n: number}, l[] of 2 {n: number|text, m: number|text}",
    ]);
  });

  it("is said not to be told where it is in brackets, and nobody is said to lack it", async () => {
    const text = `a: &a {m: 1}\nl:\n- <<: *a\n  n: 1\n- n: 2\n- m: 3\n`;
    expect(await linesOf("yaml", text)).toEqual([
      header,
      partial,
      ".: a{}, l[] of at least 3 {n: number, m: number}",
    ]);
  });

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

describe("members of YAML that stand in brackets for some and in lines for others", () => {
  it("are not said to be lacking", async () => {
    expect(await linesOf("yaml", "l:\n- {a: 1, b: 2}\n- a: 1\n- a: 2\n")).toEqual([
      header,
      partial,
      ".: l[] of at least 3 {a: number}",
    ]);
  });
});

describe("a key of YAML", () => {
  it("may have colons, and what has the tag of a text is one", async () => {
    expect(await linesOf("yaml", "a:\n  Fn::Join:\n  - x\n  n: !!str 5\n  t: AWS::S3\n")).toEqual([
      header,
      ".a: Fn::Join[] of 1 text, n: number in text, t",
    ]);
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

  it("is not ruled out where it is not seen", async () => {
    expect(await tell(whole)).toContain("sees it as one JSON value, if all of it is valid YAML.");
  });
});

/** What a shape says against another one that has more: where they differ. */
function difference(shape: ShapeNode, of: ShapeNode, path = ""): string | undefined {
  if (shape.count !== of.count) return `${path}: ${shape.count}, not ${of.count}`;
  if ([...shape.kinds].toSorted().join() !== [...of.kinds].toSorted().join()) return path;
  for (const key of new Set(
    [...(shape.members ?? []), ...(of.members ?? [])].map(([one]) => one),
  )) {
    const [one, other] = [shape.members?.get(key), of.members?.get(key)];
    if (one === undefined || other === undefined) return `${path}.${key}`;
    const found = difference(one, other, `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return shape.items && of.items && difference(shape.items, of.items, `${path}[]`);
}

describe("the shape of YAML", () => {
  it("is that of the value which jq reads", async () => {
    const key = fc.constantFrom("a", "b", "c", "d");
    const scalar = fc.constantFrom("1", "x y", '"q: r"', "true", "~", "");
    const { value } = fc.letrec<{ value: readonly string[] }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        scalar.map((text) => [text]),
        fc
          .uniqueArray(fc.tuple(key, tie("value")), {
            minLength: 1,
            maxLength: 4,
            selector: ([name]) => name,
          })
          .map((all) => all.flatMap(([name, inner]) => entry(`${name}:`, inner))),
        fc
          .array(tie("value"), { minLength: 1, maxLength: 3 })
          .map((all) => all.flatMap((inner) => entry("-", inner))),
      ),
    }));
    const anchored = fc.array(fc.tuple(value, fc.nat({ max: 3 })), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(anchored, async (all) => {
        const lines = all.flatMap(([inner, use], at) => [
          ...entry(`k${at}: &n${at}`, inner),
          ...(use === 0 ? [`u${at}:`, `  own: *n${at}`] : []),
          ...(use === 1 && isMapping(inner) ? [`u${at}:`, `  a: 0`, `  <<: *n${at}`] : []),
        ]);
        const reader = yamlReader();
        for (const [at, line] of lines.entries()) reader.take(line, at + 1);
        const shape = reader.shape(true);
        expect(shape?.isPartial).toBe(false);
        const read = await jsonShape(JSON.stringify(readYaml(lines.join("\n"))));
        expect(shape && difference(shape.root, read)).toBeUndefined();
      }),
      { numRuns: 300 },
    );
  });
});

function isMapping([first = ""]: readonly string[]): boolean {
  return /^[a-d]:/.test(first);
}

/** A value behind its key or its dash: a scalar in the same line, all else in lines of its own. */
function entry(start: string, inner: readonly string[]): readonly string[] {
  const [first = ""] = inner;
  if (inner.length === 1 && !isMapping(inner) && !first.startsWith("-"))
    return [`${start} ${first}`];
  return [start, ...inner.map((line) => `  ${line}`)];
}
