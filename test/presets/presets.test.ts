import { describe, expect, it } from "vitest";
import { metaCc, atlatl, lro, mcpagent, vectara } from "../../src/presets/index.js";
import { openedOffloaders } from "../opened-offloaders.js";
import { readFileSync } from "node:fs";
import type { OffloadOptions } from "../../src/core/options/options.js";
import { identifyContent } from "../../src/core/content/identify.js";
import { profileContent } from "../../src/core/profile/profile-document.js";
import { profileValue } from "../../src/core/profile/profile.js";
import type { Content } from "../../src/core/types/content.js";
import {
  type Shape,
  shapeOf,
  type Structure,
  structureOf,
} from "../../src/presets/vectara/shape.js";
import { valuesContent } from "../core/describe/fixture.js";

const open = openedOffloaders();

describe("metaCc preset", () => {
  const textOf = async (value: string): Promise<string | undefined> => {
    const { offloader } = open({ preset: metaCc() });
    return (await offloader.offload({ toolName: "search", value, sessionId: "s" })).text;
  };

  it("says that fields are of a sample, which lacks those of few records", async () => {
    const rows = Array.from({ length: 30_000 }, (_, id) => ({
      id,
      text: "words ".repeat(12),
      ...(id === 29_998 && { rare: 1 }),
    }));
    const sampled = '"fields":["id","text"],"fields_are":"of a sample"';
    expect(await textOf(JSON.stringify(rows))).toContain(sampled);
    expect(await textOf(JSON.stringify(rows.slice(0, 1_500)))).not.toContain("fields_are");
  });

  it("wraps JSON as it came and other text as a string", async () => {
    for (const [value, data] of [
      [' [{"id": 9007199254740993, "rate": 1e400}]\n', '[{"id": 9007199254740993, "rate": 1e400}]'],
      ['say "hi"', String.raw`"say \"hi\""`],
    ] as const)
      expect(await textOf(value)).toBe(`{"mode":"inline","data":${data}}`);
  });
});

describe("docs/presets.md", () => {
  /** One tool output for all five: 600 tickets and a cursor. */
  const rows = Array.from({ length: 600 }, (_, at) => ({
    id: 1000 + at,
    title: `Ticket ${at}: export to CSV stops at row ${at * 7}`,
    status: at % 4 === 0 ? "open" : "closed",
    assignee: at % 9 === 0 ? null : `user-${at % 9}`,
    updated: new Date(Date.UTC(2026, 0, 1) + at * 3_600_000).toISOString(),
  }));
  const output = JSON.stringify({ rows, next_cursor: "c-600" });

  const presets: Readonly<Record<string, OffloadOptions>> = {
    lro: { preset: lro() },
    atlatl: { preset: atlatl() },
    mcpagent: { preset: mcpagent() },
    vectara: { preset: vectara({ onWarning: () => {} }) },
    metaCc: { preset: metaCc() },
  };

  const page = readFileSync(new URL("../../docs/presets.md", import.meta.url), "utf8");

  it.each(Object.keys(presets))("states what %s costs on the same output", async (name) => {
    const conversation = { contextWindowTokens: 32_000 };
    const given = { toolName: "list_tickets", value: output, sessionId: "s", conversation };
    const result = await open(presets[name]).offloader.offload(given);
    if (result.outcome !== "offloaded")
      throw new Error(`${name} left the output ${result.outcome}`);
    const { form, tokens } = result.descriptor;
    const [, statedForm, statedTokens] =
      new RegExp(`^\\| \`${name}\` +\\| (\\S+) +\\| ([\\d,]+) +\\|`, "m").exec(page) ?? [];
    expect(statedForm).toBe(form);
    // The id in the file's name costs a few tokens more or less.
    expect(Math.abs(tokens - Number(statedTokens?.replaceAll(",", "")))).toBeLessThanOrEqual(25);
  });
});

describe("vectara", () => {
  function outline(value: unknown, maxKeys = 20): Shape {
    return shapeOf(profileValue(value), maxKeys);
  }

  async function structure(content: Content): Promise<Structure | undefined> {
    return structureOf(content, content.records && (await profileContent(content)));
  }

  describe("shapeOf", () => {
    it("counts arrays, joins unions and marks keys that not every object has", () => {
      const user = { login: "x" };
      const issues = [
        { number: 1, title: "a", labels: ["bug", "ui"], user, closed: null },
        { number: 2, title: "b", labels: [], user, closed: "2026-01-01", body: "t" },
      ];
      expect(outline({ total: 2, items: issues })).toEqual({
        total: "number",
        items: "array(2) of object(6 keys)",
      });
      expect(outline(issues)).toBe(
        "array(2) of {number: number, title: string, labels: array(0-2) of string, user: object(1 key), closed: string | null, body?: string}",
      );
    });

    it("tells a key that ends in a question mark from one that some lack", () => {
      const all = [{ "ok?": true }, { "ok?": false, more: 1 }];
      expect(outline(all)).toBe('array(2) of {"ok?": boolean, more?: number}');
      expect(outline(all[0])).toEqual({ '"ok?"': "boolean" });
    });

    it("outlines records in their document, maps and tables", async () => {
      const of = async (text: string): Promise<Shape | undefined> => {
        const found = await structure(await identifyContent(text));
        return found && shapeOf(found.root, 9);
      };
      const rows = Array.from({ length: 300 }, (_, id) => ({ id, tag: "x" }));
      expect(await of(JSON.stringify({ data: { rows }, next: null }))).toEqual({
        data: "object(1 key)",
        next: "null",
      });
      const map = Object.fromEntries(rows.map((row) => [`user-${row.id}`, row]));
      expect(await of(JSON.stringify(map))).toBe("map(300) of {id: number, tag: string}");
      expect(await of(`id,name\n${"1,a\n".repeat(5)}`)).toBe(
        "array(5) of {id: string, name: string}",
      );
      expect(await of("just a line")).toBeUndefined();
    });

    it("is made in 20 ms: of a long document there is none, of many places it names the first", async () => {
      const placesOf = ({ fields, items, members }: Structure["root"]): number =>
        [...fields, items, members].reduce(
          (sum, inside) => (inside ? sum + placesOf(inside) : sum),
          fields.length,
        );
      const of = async (text: string): Promise<number | undefined> => {
        const found = await structure(await identifyContent(text));
        return found && placesOf(found.root);
      };
      const long = Array.from(
        { length: 7_000 },
        (_, n) => `"q${n}":{"a${n}":{"b${n}":[${n},"x"]}}`,
      );
      expect(await of(`{${long.join(",")}}`)).toBeUndefined();
      const kinds = ["1", '"x"', "[1]", "{}", "true"];
      const many = Array.from({ length: 5_000 }, (_, n) => `"f${n}":${kinds[n % kinds.length]}`);
      expect(await of(`{${many.join(",")}}`)).toBe(2_000);
    });
  });

  it("a shape that a cap ends is said to be of a sample only where something was left out (C11)", async () => {
    const isSample = async (count: number, keys: number): Promise<boolean | undefined> => {
      const record = Object.fromEntries(Array.from({ length: keys }, (_, n) => [`f${n}`, 1]));
      return (await structure(valuesContent(Array.from({ length: count }, () => record))))
        ?.isSample;
    };
    expect(await isSample(300, 6)).toBe(false);
    expect(await isSample(30_000, 20)).toBe(true);
  });
});
