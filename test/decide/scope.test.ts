import { describe, expect, it } from "vitest";

import { inScope } from "../../src/decide/scope.js";

describe("scope", () => {
  it("takes every tool when nothing is said", () => {
    expect(inScope("search", undefined)).toBe(true);
    expect(inScope("search", {})).toBe(true);
  });

  it("takes only included tools, by name or by rule", () => {
    expect(inScope("search", { include: ["search"] })).toBe(true);
    expect(inScope("other", { include: ["search"] })).toBe(false);
    expect(inScope("db_query", { include: (name) => name.startsWith("db_") })).toBe(true);
    expect(inScope("search", { include: (name) => name.startsWith("db_") })).toBe(false);
  });

  it("lets exclude win over include", () => {
    expect(inScope("search", { include: ["search"], exclude: ["search"] })).toBe(false);
    expect(inScope("search", { exclude: (name) => name === "search" })).toBe(false);
    expect(inScope("other", { exclude: ["search"] })).toBe(true);
  });

  it("takes no tool when the list of included tools is empty", () => {
    expect(inScope("search", { include: [] })).toBe(false);
  });
});
