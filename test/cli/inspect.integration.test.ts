import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

import { afterEach, describe, expect, it } from "vitest";

import type { Output } from "../../src/cli/call.js";
import { run } from "../../src/cli/run.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { MAIN, surroundings } from "./run-command.js";

const makeDirectory = temporaryDirectories();
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

const listeners = (): number[] => SIGNALS.map((signal) => process.listenerCount(signal));

describe("inspect", () => {
  it.each([
    ["EPIPE", 0],
    ["ENOSPC", 2],
  ])("serves nothing when its address could not be printed (%s)", async (code, ends) => {
    let printed = "";
    const out: Output = {
      isTerminal: false,
      write: (data) => {
        printed += data;
        return Promise.reject(Object.assign(new Error(code), { code }));
      },
    };
    const before = listeners();
    expect(
      await run(["inspect", "--directory", await makeDirectory()], surroundings({ out })),
    ).toBe(ends);
    expect(listeners()).toEqual(before);
    const [address = ""] = printed.split("\n");
    await expect(fetch(address)).rejects.toThrow("fetch failed");
  });

  it("ends by itself when the reader of its output has ended, and by a signal otherwise", async () => {
    const args = [MAIN, "inspect", "--directory", await makeDirectory()];
    const unread = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    started.push(unread);
    unread.stdout.destroy();
    expect(await once(unread, "exit")).toEqual([0, null]);
    for (const signal of SIGNALS) {
      const read = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      started.push(read);
      await once(read.stdout, "data");
      read.kill(signal);
      expect(await once(read, "exit")).toEqual([0, null]);
    }
  });
});
