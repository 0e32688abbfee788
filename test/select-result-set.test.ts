import { describe, expect, it, vi } from "vitest";

import type { OffloadOptions } from "../src/core/options/options.js";
import { lro } from "../src/presets/lro/lro.js";
import { redact } from "../src/plugins/redact/redact.js";
import { wrapInline } from "../src/presets/meta-cc/meta-cc.js";
import type { ToolOutput } from "../src/core/types/output.js";
import { openedOffloaders } from "./opened-offloaders.js";

const opened = openedOffloaders();
const image = { type: "image", data: "aGk=", mimeType: "image/png" };
const formatted = "## Context\nThree decisions that fit the budget.";
const hits = Array.from({ length: 400 }, (_, at) => ({ key: at, note: `note ${at * 7919}` }));

async function pipeline(
  selectResultSet: (output: ToolOutput) => unknown,
  options: OffloadOptions = {},
  value: unknown = formatted,
) {
  const { offloader, events } = opened({
    preset: lro(),
    perTool: { inject: { selectResultSet } },
    ...options,
  });
  const artifact = { hits };
  const result = await offloader.offload({ toolName: "inject", value, artifact, sessionId: "s" });
  // What the end tells is heard too.
  await offloader.close();
  return { result, events };
}
const behind = ({ artifact }: ToolOutput): unknown =>
  typeof artifact === "object" && artifact !== null ? Reflect.get(artifact, "hits") : undefined;

describe("a result set that is selected", () => {
  it("is judged and stored in place of the answer, whose images are kept", async () => {
    const blocks = [{ type: "text", text: formatted }, image];
    const { result } = await pipeline(behind, {}, blocks);
    expect(result).toMatchObject({
      outcome: "offloaded",
      storedArtifact: { recordCount: 400 },
      keptBlocks: [image],
    });
    expect(result.text).not.toContain("Three decisions");
  });

  it.each([[], [{ key: 1 }]])("gives way to an answer that is longer: %j", async (...set) => {
    const answer = "One of three thousand sentences of an answer. ".repeat(3_000);
    const { result } = await pipeline(() => set, {}, answer);
    expect(result).toMatchObject({ outcome: "offloaded", storedArtifact: { kind: "text" } });
  });

  it("is cleaned as the text that it is", async () => {
    const csv = `id,note\n${"1,a secret\n".repeat(2_000)}`;
    const plugins = [redact((given) => given.replaceAll("secret", "#"))];
    const { result } = await pipeline(() => csv, { plugins });
    expect(result).toMatchObject({ storedArtifact: { kind: "csv", recordCount: 2_000 } });
    expect(result.text).not.toContain("secret");
  });

  it("leaves the answer as it came when it is small, wrapped if a preset wraps", async () => {
    const { result } = await pipeline(() => hits.slice(0, 2));
    expect(result).toEqual({ outcome: "inline", value: formatted });
    const selectResultSet = (): unknown => hits.slice(0, 2);
    const wrapped = await pipeline(behind, {
      perTool: {},
      selectResultSet,
      describe: { wrapInline },
    });
    expect(JSON.parse(wrapped.result.text ?? "")).toEqual({ mode: "inline", data: formatted });
  });

  it("may be fetched first, and is waited for", async () => {
    const fetched = await pipeline(async (output) => Promise.resolve(behind(output)));
    expect(fetched.result).toMatchObject({ storedArtifact: { recordCount: 400 } });
    const failed = await pipeline(async () => Promise.reject(new Error("no set")));
    expect(failed.result).toEqual({ outcome: "inline", value: formatted });
    expect(failed.events).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
  });

  it("R14: is waited for a minute, and then the answer stands for itself", async () => {
    vi.useFakeTimers();
    const offloaded = pipeline(() => new Promise(() => {}));
    await vi.advanceTimersByTimeAsync(60_000);
    vi.useRealTimers();
    const { result, events } = await offloaded;
    expect(result).toEqual({ outcome: "inline", value: formatted });
    expect(events).toMatchObject([{ type: "write-failed", fallback: "inline" }]);
  });

  it("leaves the answer to itself when there is none", async () => {
    const rest = await pipeline(() => undefined);
    expect(rest.result).toEqual({ outcome: "inline", value: formatted });
    const large = await pipeline(() => undefined, {}, JSON.stringify(hits.slice(0, 300)));
    expect(large.result).toMatchObject({ storedArtifact: { recordCount: 300 } });
  });
});
