import crypto from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

import { afterAll, describe, expect, it, vi } from "vitest";

import { openRig, type Rig } from "./rig.js";

/** One case: what is done with a rig, and what is told of it. */
export interface Case {
  readonly name: string;
  /** `false` where a server is not there; what is pinned then stays. */
  readonly available?: boolean;
  readonly run: (rig: Rig) => Promise<unknown>;
}

type Pins = Record<string, unknown>;

/** Whether what is pinned is written anew. */
const isUpdate: boolean = process.env["UPDATE_CORPUS"] === "1";

/** The cases of a group, each compared with what is pinned of it. `UPDATE_CORPUS=1` pins them anew. */
export function corpus(group: string, cases: readonly Case[]): void {
  const path = new URL(`pinned/${group}.json`, import.meta.url);
  const pinned: Pins = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Pins) : {};
  const seen: Pins = {};

  describe(`the corpus, ${group}`, () => {
    for (const { name, available = true, run } of cases) {
      it.skipIf(!available)(name, async () => {
        const rig = openRig();
        const random = seeded();
        try {
          const actual: unknown = JSON.parse(JSON.stringify((await run(rig)) ?? null));
          seen[name] = actual;
          if (!isUpdate) expect(asJson(actual)).toBe(asJson(pinned[name]));
        } finally {
          await rig.close();
          random.mockRestore();
        }
      });
    }

    it("has every case that is pinned, and each once", () => {
      const names = cases.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      if (!isUpdate) expect(Object.keys(pinned)).toEqual(names.toSorted());
    });

    afterAll(() => {
      if (!isUpdate) return;
      const names = cases.map(({ name }) => name).toSorted();
      const entries = names.map((name) => [name, seen[name] ?? pinned[name]]);
      writeFileSync(path, `${asJson(Object.fromEntries(entries))}\n`);
    });
  });
}

/** Ids are drawn from the same numbers in every case: some of them cost more tokens than others. */
function seeded(): { mockRestore: () => void } {
  let state = 1;
  const random = vi.spyOn(crypto, "randomBytes").mockImplementation((length: number) => {
    const bytes = Buffer.alloc(length);
    for (let index = 0; index < length; index += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      bytes[index] = state >>> 24;
    }
    return bytes;
  });
  syncBuiltinESMExports();
  return {
    mockRestore() {
      random.mockRestore();
      syncBuiltinESMExports();
    },
  };
}

/** Longest line of what is pinned in which a list or an object stands whole. */
const WIDTH = 100;

/** JSON whose lists and objects stand in a line where they fit, and have a line for each member where they do not. */
function asJson(value: unknown, indent = "", before = 0): string {
  const whole = JSON.stringify(value ?? null, null, 1).replaceAll(/\n */g, " ");
  const isLeaf = typeof value !== "object" || value === null;
  if (isLeaf || indent.length + before + whole.length <= WIDTH) return whole;
  const inner = `${indent}  `;
  const members = Object.entries(value).map(([key, member]) => {
    const name = Array.isArray(value) ? "" : `${JSON.stringify(key)}: `;
    return `${inner}${name}${asJson(member, inner, name.length)}`;
  });
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${members.join(",\n")}\n${indent}${close}`;
}
