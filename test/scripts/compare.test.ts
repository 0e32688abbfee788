import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { differences, summary } from "../../scripts/compare/differences.js";
import { BadInput, unpack } from "../../scripts/compare/packages.js";
import { plain } from "../../scripts/compare/plain.js";
import type { Told } from "../../scripts/compare/told.js";

const read = { call: "read {}", failed: false, text: "one" };
const drilledIn = { type: "drilled-in" };
const told: Told = {
  outputs: [{ outcome: "offloaded", text: '{"count":3,"list":[{"a":1}]}', keptBlocks: [] }],
  stored: [{ bytes: 9, sha256: "ab" }],
  records: [{ kind: "csv", recipes: [{ filter: "keys" }] }],
  tools: [{ name: "read" }],
  answers: [read],
  events: [{ type: "offloaded", tokens: 1 }, drilledIn],
};
const outputOf = (more: object): Told => ({
  ...told,
  outputs: [{ ...told.outputs?.[0], ...more }],
});

describe("the differences of two versions", () => {
  it("are none where both tell the same", () => {
    expect(differences("s", told, structuredClone(told))).toEqual([]);
  });

  it.each<readonly [string, Told]>([
    ["ended []", { ...told, ended: "took too long" }],
    ["outcome whole", outputOf({ outcome: "inline" })],
    ["bytes [].sha256", { ...told, stored: [{ bytes: 9, sha256: "ac" }] }],
    ["bytes []", { ...told, stored: [] }],
    ["record [].recipes[].filter", { ...told, records: [{ kind: "csv", recipes: [{}] }] }],
    ["fields .list", outputOf({ text: '{"count":3}' })],
    ["values .list[].a", outputOf({ text: '{"count":3,"list":[{"a":2}]}' })],
    ["text spelling", outputOf({ text: '{"list":[{"a":1}],"count":3}' })],
    ["text line", outputOf({ text: "a message" })],
    ["result .keptBlocks[]", outputOf({ keptBlocks: [1] })],
    ["tools [].name", { ...told, tools: [{ name: "open" }] }],
    ["answers .read {}.text", { ...told, answers: [{ ...read, text: "1" }] }],
    ["events order", { ...told, events: [{ type: "offloaded", tokens: 1 }] }],
    ["events offloaded .tokens", { ...told, events: [{ type: "offloaded" }, drilledIn] }],
  ])("name the place: %s", (place, other) => {
    const found = differences("s", told, other);
    expect(found.map((one) => `${one.kind} ${one.place}`)).toContain(place);
    expect(summary(found)).toContain(`${place}: `);
  });

  it("are of no ids, of no times that were taken, and of no value that cannot be looked at", () => {
    const value = { id: "01A", durationMs: 3, big: 1n, no: undefined, at: new Uint8Array(2) };
    expect(plain(value, [["01A", "<id 1>"]])).toMatchObject({ id: "<id 1>", durationMs: "<ms>" });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(() => JSON.stringify(plain([proxy, value], []))).not.toThrow();
  });
});

it("a package that is not there, or is no file, is told as bad input", () => {
  const folder = join(tmpdir(), "never-made");
  for (const given of ["/nonexistent/a.tgz", tmpdir()]) {
    expect(() => unpack(given, folder)).toThrow(BadInput);
  }
});
