import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { largeOutput, listen, type SeenEvent } from "./large-output.js";

const makeDirectory = temporaryDirectories();
const execute = promisify(execFile);
const CHILD = fileURLToPath(new URL("offload-child.ts", import.meta.url));
const THRESHOLD_TOKENS = 1600;

interface Outcome {
  readonly outcome: string;
  readonly text?: string | undefined;
  readonly events: readonly SeenEvent[];
}

/** Offloads in a process of its own, under limits of the shell. */
async function offloadUnder(
  limits: string,
  ...args: readonly string[]
): Promise<Outcome & { readonly descriptors: number }> {
  const script = `${limits} && exec "$0" --import tsx "$@"`;
  const { stdout } = await execute("sh", ["-c", script, process.execPath, CHILD, ...args], {
    env: { ...process.env, TSX_DISABLE_CACHE: "1" },
  });
  return JSON.parse(stdout) as Outcome & { descriptors: number };
}

async function offloadInto(directory: string): Promise<Outcome> {
  const { events, onEvent } = listen();
  const offloader = createOffloader({ store: fileStore({ directory }), onEvent });
  const result = await offloader.offload(largeOutput());
  await offloader.close();
  return { ...result, events };
}

/** Rules 52 to 56, whatever the fault was. */
function expectTruncated({ outcome, text = "", events }: Outcome, code: string): void {
  expect(events).toEqual([
    { type: "write-failed", specName: "OffloadWriteFailed", fallback: "truncated", code },
    { type: "truncated", returnedTokens: expect.any(Number) },
  ]);
  expect(events[1]?.returnedTokens).toBeLessThanOrEqual(THRESHOLD_TOKENS);
  expect(outcome).toBe("truncated");
  const cut = JSON.parse(text) as { returned_count: number; records: readonly unknown[] };
  expect(cut).toMatchObject({
    offload_failed: true,
    truncated: true,
    warning: expect.stringContaining("failed"),
    total_count: 2000,
    returned_count: cut.records.length,
  });
  expect(cut.records.length).toBeGreaterThan(20);
  const all = JSON.parse(String(largeOutput().value)) as unknown[];
  expect(cut.records).toEqual(all.slice(0, cut.records.length));
}

/** A small file system in memory and how to remove it; the reason when this user may not mount one. */
function mountSmall(
  options: string,
): { directory: string; remove: () => void } | { reason: string } {
  const directory = mkdtempSync(join(tmpdir(), "small-disk-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", directory], { stdio: "pipe" });
  } catch (error) {
    rmSync(directory, { recursive: true });
    return { reason: error instanceof Error ? error.message : String(error) };
  }
  return {
    directory,
    remove: () => {
      execFileSync("umount", [directory]);
      rmSync(directory, { recursive: true });
    },
  };
}

const probe = mountSmall("size=64k");
const mountable = "directory" in probe;
if (mountable) probe.remove();
else console.warn(`Tests on a small file system are skipped: ${probe.reason}`);

describe("rules 52 to 56: an output that cannot be stored", () => {
  // The second has the root and one file: the sidecar is another.
  it.skipIf(!mountable).each(["size=32k", "size=1m,nr_inodes=2"])(
    "on a full disk, or without room for the record beside it, is cut to whole records, and nothing is left (%s)",
    async (options) => {
      const mounted = mountSmall(options);
      if ("reason" in mounted) throw new Error(mounted.reason);
      try {
        expectTruncated(await offloadInto(mounted.directory), "ENOSPC");
        expect(await readdir(mounted.directory)).toEqual([]);
      } finally {
        mounted.remove();
      }
    },
  );

  it.each([[["exhausted"]], [["exhausted", "warm"]]])(
    "without a file descriptor is cut, and nothing is left (%j)",
    async (modes) => {
      const directory = await makeDirectory();
      const outcome = await offloadUnder("ulimit -n 256", directory, ...modes);
      expect(outcome.descriptors).toBeGreaterThan(100);
      if (modes.includes("warm")) expectTruncated(outcome, "EMFILE");
      else {
        // What finds records cannot be loaded any more.
        expect(outcome.events.map(({ type }) => type)).toEqual(["write-failed", "truncated"]);
        expect(outcome.events[1]?.returnedTokens).toBeLessThanOrEqual(THRESHOLD_TOKENS);
        expect(outcome.text).toContain("Storing this output failed, so it is truncated here");
      }
      const stored = modes.includes("warm") ? 2 : 0;
      expect(await readdir(directory)).toHaveLength(stored);
    },
  );

  it("where the parent is there and nobody may create a directory is cut, and at once", async () => {
    const { events, ...outcome } = await offloadInto("/proc/outputs");
    const [failed] = events;
    expect(["ENOENT", "EACCES"]).toContain(failed?.code);
    expectTruncated({ ...outcome, events }, failed?.code ?? "");
  });
});
