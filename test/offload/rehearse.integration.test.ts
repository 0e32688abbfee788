import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.js";

const makeDirectory = temporaryDirectories();
const script = fileURLToPath(new URL("./rehearsing-process.mjs", import.meta.url));

/** What a process did beside its first model call. */
async function besideModelCall(options: object, maxLooks: number): Promise<unknown> {
  const args = [script, await makeDirectory(), JSON.stringify(options), String(maxLooks)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

const NOTHING = { tokenizer: false, kept: [], events: [], seen: 0, asked: 0 };

describe("the rehearsal of an offload", () => {
  it("is held beside the first model call, keeps nothing and tells nobody", async () => {
    expect(await besideModelCall({}, 300)).toEqual({ ...NOTHING, tokenizer: true });
  });

  it("is not held where nothing is offloaded", async () => {
    expect(await besideModelCall({ enabled: false }, 5)).toEqual(NOTHING);
  });

  it("does not ask a tokenizer of the user's", async () => {
    expect(await besideModelCall({ ownTokenizer: true }, 5)).toEqual(NOTHING);
  });
});
