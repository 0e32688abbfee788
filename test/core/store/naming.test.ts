import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ARTIFACT_ID_PATTERN,
  newArtifactId,
  operationOf,
  prefixName,
  sessionKeyOf,
} from "../../../src/core/store/naming.js";
import type { ContentKind, Layout } from "../../../src/core/types/content.js";

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

it("an artifact id is a ULID of its time, at both ends of what a ULID can say", () => {
  expect(newArtifactId(0)).toMatch(/^0{10}/);
  expect(newArtifactId(2 ** 48 - 1)).toMatch(/^7Z{9}/);
  fc.assert(
    fc.property(fc.nat(2 ** 48 - 1), (nowMs) => {
      expect(newArtifactId(nowMs)).toMatch(ARTIFACT_ID_PATTERN);
    }),
  );
});

describe("operation of a tool", () => {
  it.each([
    ["recall_memories", "recall"],
    ["search_memories", "search"],
    ["search_issues", "search_issues"],
    ["mcp/github: Search Issues!", "mcp-github-search-issues"],
    ["../../etc/passwd", "etc-passwd"],
    ["", "tool"],
    ["x".repeat(49), "x".repeat(48)],
    [`${"x".repeat(47)}//y`, "x".repeat(47)],
  ])("of %j is %j", (toolName, operation) => {
    expect(operationOf(toolName)).toBe(operation);
  });

  it("is 1 to 48 safe characters for any name, and its own operation", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (toolName) => {
        const operation = operationOf(toolName);
        expect(operation).toMatch(/^[a-z0-9_-]{1,48}$/);
        expect(operationOf(operation)).toBe(operation);
      }),
    );
  });
});

describe("artifact file name", () => {
  it.each<[Layout, ContentKind, string]>([
    ["records", "json-array", "jsonl"],
    ["document", "json-document", "json"],
    ["rows", "csv", "csv"],
    ["text", "log", "log"],
    ["text", "markdown", "md"],
  ])("rule 25: of %s that came as %s ends in .%s", (layout, kind, extension) => {
    const parts = { toolName: "any", operation: "recall", id: ID, layout, kind, createdAt: 0 };
    expect(prefixName("atlatl")(parts)).toBe(`atlatl-recall-${ID}.${extension}`);
  });

  it.each(["", ".hidden", "-rf", "a/b", "x".repeat(65), "a\n"])(
    "refuses the prefix %j",
    (prefix) => {
      expect(() => prefixName(prefix)).toThrow(
        expect.objectContaining({ code: "INVALID_OPTIONS" }),
      );
    },
  );
});

describe("the key of a session", () => {
  it("is the SHA-256 of the session id's UTF-8 in hex", () => {
    expect(sessionKeyOf("")).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    expect(sessionKeyOf("abc")).toBe(
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    expect(sessionKeyOf("\u{1F600}é")).toBe(sessionKeyOf("\u{1F600}é".normalize("NFC")));
  });

  it("differs for different session ids, lone surrogates and their replacement included", () => {
    const units = ["\ud800", "\udfff", "\ud83d", "\ude00", "\ufffd", "\u{1F600}", "a"];
    const sessions = units.flatMap((first) => [first, ...units.map((second) => first + second)]);
    const distinct = new Set(sessions);
    expect(new Set([...distinct].map(sessionKeyOf)).size).toBe(distinct.size);
  });
});
