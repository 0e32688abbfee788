import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeHeader, type HeaderFields } from "../../../../src/core/store/new-artifact.js";

const FIELDS: HeaderFields = {
  operation: "recall",
  query: "caching",
  count: 247,
  schemaVersion: "1.1.0",
  timestampMs: Date.UTC(2026, 0, 15, 10, 30),
  estimatedTokens: 38_285,
  detail: "light",
};

const textOf = (fields: HeaderFields): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(encodeHeader(fields));

describe("header line", () => {
  it("rule 22: has the specification's keys in its order", () => {
    expect(textOf(FIELDS)).toBe(
      '{"type":"lro_header","operation":"recall","query":"caching","count":247,' +
        '"schema_version":"1.1.0","timestamp":"2026-01-15T10:30:00.000Z",' +
        '"estimated_tokens":38285,"detail":"light"}\n',
    );
  });

  it("rule 22: has a null query when the call had none", () => {
    expect(textOf({ ...FIELDS, query: null })).toContain('"query":null,"count"');
  });

  it("rule 21: is one line of valid UTF-8 that reads back, whatever the fields hold", () => {
    const anyText = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(
        anyText,
        anyText,
        fc.array(anyText),
        fc.jsonValue(),
        (operation, query, path, around) => {
          const envelope = JSON.stringify(around, null, 1);
          const text = textOf({ ...FIELDS, operation, query, records: { path, envelope } });
          expect(text.indexOf("\n")).toBe(text.length - 1);
          expect(JSON.parse(text)).toEqual(
            expect.objectContaining({ operation, query, envelope: JSON.parse(envelope) }),
          );
        },
      ),
    );
  });
});
