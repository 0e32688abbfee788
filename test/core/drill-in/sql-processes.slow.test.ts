import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { children, ownTemporaryFolder, spoolFolders, until } from "./sql-children.js";
import { recordsTable, rows, run, startEngine, tableOf } from "./sql-tables.js";

const isLinux = process.platform === "linux";

ownTemporaryFolder();

describe.runIf(isLinux)("a call that is aborted (D8)", () => {
  it("while its body is fetched from the store rejects at once, ends the fetch, and leaves neither process nor file", async () => {
    const engine = startEngine();
    const controller = new AbortController();
    let stop: AbortSignal | undefined;
    const hanging = tableOf("", {
      withSource: (_use, given) => {
        stop = given;
        return new Promise(() => undefined);
      },
    });
    const request = { tables: [hanging], query: "SELECT 1", maxOutputBytes: 100 };
    const asked = engine.run(request, controller.signal);
    await until(() => stop !== undefined);
    controller.abort(new Error("no longer wanted"));
    await expect(asked).rejects.toThrow("no longer wanted");
    expect(stop?.aborted).toBe(true);
    await until(() => children().length === 0 && spoolFolders().length === 0);
    expect(await rows(engine, recordsTable([{ a: 1 }]), "SELECT a FROM output")).toEqual(["1"]);
    await engine.close();
  });

  it("while its tables are loaded rejects at once too, and the next call loads them again", async () => {
    const engine = startEngine();
    const line = `${JSON.stringify({ n: 1, text: "x".repeat(200) })}\n`;
    const table = tableOf(line.repeat(300_000));
    const controller = new AbortController();
    const request = { tables: [table], query: "SELECT count(*) FROM output", maxOutputBytes: 100 };
    const asked = engine.run(request, controller.signal);
    // The body is in the child's folder: the load has begun.
    await until(() => spoolFolders().some((name) => readdirSync(join(tmpdir(), name)).length > 0));
    controller.abort(new Error("no longer wanted"));
    await expect(asked).rejects.toThrow("no longer wanted");
    await until(() => children().length === 0 && spoolFolders().length === 0);
    await engine.close();
  });
});

const HOST = `
  import { recordsTable, run, startEngine } from ${JSON.stringify(join(import.meta.dirname, "sql-tables.ts"))};
  const records = Array.from({ length: 100_000 }, (_, n) => ({ n, text: "x".repeat(50) }));
  const answer = run(startEngine(), recordsTable(records), "SELECT count(*) FROM output");
  console.log("asked");
  await answer;`;

describe("a process", () => {
  it.runIf(isLinux).each([0, 50, 150])(
    "that is killed %i ms after a question leaves no folder of it",
    async (waitMs) => {
      const args = ["--import", "tsx", "--input-type=module", "-e", HOST];
      const host = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      await new Promise((resolve) => host.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      host.kill("SIGKILL");
      await until(() => spoolFolders().length === 0);
      // A process of SQL that is just starting makes none either.
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(spoolFolders()).toEqual([]);
    },
  );

  it("says that it is closed to whom it still owes an answer", async () => {
    const engine = startEngine();
    const endless = "SELECT count(*) FROM range(1000000000000)";
    const asked = run(engine, recordsTable([{ a: 1 }]), endless);
    await until(() => children().length > 0);
    await Promise.all([
      expect(asked).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" }),
      engine.close(),
    ]);
    expect(spoolFolders()).toEqual([]);
  });
});
