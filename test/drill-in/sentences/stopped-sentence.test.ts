import { describe, expect, it } from "vitest";

import { readSoFar, stoppedAfter } from "../../../src/drill-in/sentences/stopped-sentence.js";

const limits = { timeoutMs: 10_000 };
const document = { layout: "document", lineCount: 1 } as const;
const large = { ...document, sizeBytes: 45_600_100, headerBytes: 100 };

describe("why a run was stopped", () => {
  it("is told by the limit that it was", () => {
    expect(stoppedAfter(undefined, limits)).toBe("10 s");
    expect(stoppedAfter({ limit: "wall", processorMs: undefined }, limits)).toBe("10 s");
    expect(stoppedAfter({ limit: "processor", processorMs: 9910 }, limits)).toBe(
      "10 s of processor time",
    );
    expect(stoppedAfter({ limit: "wall", processorMs: 3210 }, limits)).toBe(
      "50 s, in which the busy machine gave it 3.2 s of processor time",
    );
  });

  it("goes with how much was read of what is large", () => {
    const time = { limit: "processor", processorMs: 9910 } as const;
    const read = (readBytes: number | undefined): string =>
      readSoFar({ ...time, readBytes }, large);
    expect(read(12_345_678)).toBe(" It had read 12.3 of 45.6 MB.");
    expect(read(45_600_000)).toBe(" It had read all of 45.6 MB.");
    expect(read(undefined)).toBe("");
    expect(readSoFar({ ...time, readBytes: 4000 }, { ...large, sizeBytes: 8000 })).toBe("");
    const some = { ...time, readBytes: 12_345_678 };
    expect(readSoFar(some, { ...large, layout: "records", recordCount: 222_000 })).toBe(
      " It had read 12.3 of 45.6 MB, some 60,000 of 222,000 records.",
    );
    expect(readSoFar(some, { ...large, layout: "text", lineCount: 4_321 })).toBe(
      " It had read 12.3 of 45.6 MB, some 1,200 of 4,321 lines.",
    );
  });
});
