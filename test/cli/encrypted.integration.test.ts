import { randomBytes } from "node:crypto";

import { beforeEach, describe, expect, it } from "vitest";

import { encrypted } from "../../src/stores/encrypted/index.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { type Outcome, runHere } from "./run-command.js";

const makeDirectory = temporaryDirectories();
let directory = "";

beforeEach(async () => {
  directory = await makeDirectory();
});

function on(...args: readonly string[]): Promise<Outcome> {
  return runHere(args, { env: { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: directory } });
}

describe("an encrypted output", () => {
  it("is said to be one by ls and show, with the key's id", async () => {
    const keys = { current: { id: "2026-01", key: randomBytes(32) } };
    const store = encrypted(fileStore({ directory }), keys);
    const { id } = await store.put(contractArtifact(3, { createdAt: Date.now() }), [
      Buffer.from("17\n"),
    ]);
    expect((await on("ls")).stdout).toContain("encrypted");
    expect((await on("show", id)).stdout).toContain("encrypted_with  2026-01");
    expect((await on("jq", id, ".")).stdout + (await on("jq", id, ".")).stderr).toContain(
      "is encrypted",
    );
  });
});
