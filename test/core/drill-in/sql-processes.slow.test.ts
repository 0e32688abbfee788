import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it, onTestFinished } from "vitest";

import * as sqlTables from "./sql-tables.js";
import { recordsTable, rows, run, tableOf } from "./sql-tables.js";
import { newDirectory } from "../../after-file.js";

const dist = join(import.meta.dirname, "../../../dist");
const isLinux = process.platform === "linux";

/** Of offloaders that files before this one have left to their idle time. */
let others: ReadonlySet<number> = new Set();

/** Processes of SQL that this test file has started. */
function children(): number[] {
  return processes().filter((pid) => !others.has(pid));
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, "utf8");
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return status.includes(`PPid:\t${process.pid}\n`) && command.includes("sql-worker");
      } catch {
        return false;
      }
    })
    .map(Number);
}

/**
 * Makes the temporary files of a test file's processes in a folder of its own, and counts none of the processes that are there
 * already: whatever else runs on this machine makes its files elsewhere.
 */
function ownTemporaryFolder(): void {
  others = new Set(processes());
  const usual = process.env["TMPDIR"];
  process.env["TMPDIR"] = newDirectory();
  afterAll(() => {
    if (usual === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = usual;
  });
}

/** Folders for files of the processes that are there now, of those of {@link ownTemporaryFolder}. */
function spoolFolders(): string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("langchain-offload-sql-"));
}

/** Waits until something is so, however long a busy machine takes. */
async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: 100_000 }).toBe(true);
}

ownTemporaryFolder();

/** An engine that ends with its test: a process that a failed test leaves would fail the next one. */
const startEngine: typeof sqlTables.startEngine = (...options) => {
  const engine = sqlTables.startEngine(...options);
  onTestFinished(() => engine.close());
  return engine;
};

/** What a process has used of the processor, in ticks. */
function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

/** Waits until the only process works on what it was asked. */
async function working(): Promise<number> {
  const [pid = 0] = children();
  const before = ticksOf(pid);
  await until(() => ticksOf(pid) > before + 10);
  return pid;
}

// A machine that is busy with other tests takes seconds to start a process.
describe.runIf(isLinux)("the processes of SQL", { timeout: 300_000 }, () => {
  it("keep their table for the next query, see nothing of this process's environment, and end with the engine", async () => {
    const engine = startEngine();
    let loads = 0;
    const body = Buffer.from('{"a":1}\n');
    const table = tableOf("", {
      withSource: (use) => {
        loads += 1;
        return use({ bytes: body });
      },
    });
    expect(children()).toEqual([]);
    for (let times = 0; times < 3; times += 1) {
      expect(await rows(engine, table, "SELECT a FROM output")).toEqual(["1"]);
    }
    expect(loads).toBe(1);
    const [pid] = children();
    const names = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").filter(Boolean);
    const shells = ["PWD", "OLDPWD", "SHLVL", "_"];
    const channel = ["NODE_CHANNEL_FD", "NODE_CHANNEL_SERIALIZATION_MODE"];
    for (const name of names) expect([...shells, ...channel]).toContain(name.split("=")[0]);
    await engine.close();
    expect(children()).toEqual([]);
    await expect(run(engine, table, "SELECT 1")).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  });

  it("are as many as allowed, the one not used for longest goes first, and all answers are right", async () => {
    const engine = startEngine({ maxWorkers: 2 }, { idleMs: 600_000 });
    const tables = [1, 2, 3].map((n) => recordsTable([{ n }]));
    const asked = [0, 1, 2, 0, 1, 2, 0, 0].map((at) => rows(engine, tables[at]!, "FROM output"));
    const answers = await Promise.all(asked);
    expect(answers.flat()).toEqual(["1", "2", "3", "1", "2", "3", "1", "1"]);
    // One that was told to go is there until the system has ended it.
    await until(() => children().length <= 2);
    await engine.close();
  });

  it("that die are replaced, in the middle of a query too", async () => {
    const engine = startEngine();
    const table = recordsTable([{ a: 1 }]);
    await rows(engine, table, "SELECT 1");
    process.kill(children()[0]!, "SIGKILL");
    await until(() => children().length === 0);
    // This process may not have heard of it yet.
    const first = await run(engine, table, "SELECT a FROM output");
    const second = first.error === undefined ? first : await run(engine, table, "FROM output");
    expect(second.rows).toEqual(["1"]);

    const long = run(engine, table, "SELECT count(*) FROM range(1000000000000)");
    process.kill(await working(), "SIGKILL");
    expect((await long).error).toMatch(/ended its process/);
    expect(await rows(engine, table, "SELECT a FROM output")).toEqual(["1"]);
    await engine.close();
  });

  it("do not keep this process alive, and end with it", async () => {
    const script = `
      import { createOffloader, memoryStore } from ${JSON.stringify(join(dist, "core.js"))};
      const offloader = createOffloader({ store: memoryStore(), drillIn: { timeoutMs: 25_000 } });
      const { storedArtifact } = await offloader.put([{ a: 1 }], { sessionId: "s" });
      const args = { id: storedArtifact.id, query: "SELECT a FROM output" };
      console.log((await offloader.drillIn.run("sql", args, storedArtifact)).text.split("\\n")[1]);
      if (process.argv[1] === "close") await offloader.close();`;
    for (const end of ["none", "close"]) {
      const args = ["--input-type=module", "-e", script, end];
      const options = { encoding: "utf8", timeout: 100_000 } as const;
      const { stdout, stderr, status } = spawnSync(process.execPath, args, options);
      expect({ stdout, stderr, status }).toEqual({ stdout: "1\n", stderr: "", status: 0 });
    }
    await until(() => {
      const lines = execFileSync("ps", ["-eo", "ppid,args"], { encoding: "utf8" }).split("\n");
      return !lines.some((line) => /^\s*1 /.test(line) && line.includes("sql-worker"));
    });
  });
});

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
