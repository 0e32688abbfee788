import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, describe, expect, it } from "vitest";

import { fileStore } from "../../src/store/file/index.js";
import { scopeOf } from "../../src/store/naming.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "../store/temporary-directory.js";
import { type HereOptions, type Outcome, runHere } from "./run-command.js";
import { ISSUES, ISSUES_ID, LOG_ID, storeIssues, storeOutput } from "./stored-issues.js";

const makeDirectory = temporaryDirectories();
let directory = "";

beforeEach(async () => {
  directory = await makeDirectory();
});

/** The command on the test's directory. */
function on(args: readonly string[], options: HereOptions = {}): Promise<Outcome> {
  return runHere(args, {
    ...options,
    env: { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: directory, ...options.env },
  });
}

describe("a session's folder", () => {
  it("is looked into by ls and by the commands that take an id", async () => {
    const store = fileStore({ directory, folders: "session" });
    const artifact = contractArtifact(3, { createdAt: Date.now() });
    const { id } = await store.put(artifact, [Buffer.from("17\n")]);
    expect((await on(["ls", "--ids"])).stdout).toBe(`${id}\n`);
    expect((await on(["show", id])).stdout).toContain(artifact.fileName);
    expect((await on(["jq", id, "."])).stdout).toContain("17");
    expect((await on(["read", "latest"])).stdout).toContain("17");
  });
});

describe("ls", () => {
  it("lists the outputs of all sessions, newest first, what has expired apart", async () => {
    await storeIssues(directory);
    const other = await storeOutput(directory, {
      toolName: "other",
      value: ISSUES,
      sessionId: "thread-2",
    });
    const ids = async (...args: string[]): Promise<string[]> =>
      (await on(["ls", "--ids", ...args])).stdout.split("\n").slice(0, -1);
    expect(await ids()).toEqual([other.id, ISSUES_ID, LOG_ID]);
    expect(await ids("--session", "thread-2")).toEqual([other.id]);
    expect(await ids("--session", "thread-3")).toEqual([]);
    expect(await ids("--tool", "read_log")).toEqual([LOG_ID]);
    expect(await ids("--limit", "2")).toEqual([other.id, ISSUES_ID]);
    expect(await ids("--expired")).toHaveLength(1);
  });

  it("prints a table for people and one object with --json", async () => {
    const createdAt = Date.now();
    const artifact = contractArtifact(3, { createdAt, toolName: "\u001b[31mred\nline" });
    const stored = await fileStore({ directory }).put(artifact, [Buffer.from("{}\n")]);
    const { stdout } = await on(["ls"], { nowMs: createdAt + 1 });
    expect(stdout).toBe(
      `ID                          KIND        RECORDS  SIZE    EXPIRES  TOOL\n` +
        `${stored.id}  json-array        1   3 B  in 59 min  \\u001b[31mred\\nline\n`,
    );
    const json = await on(["ls", "--json"], { nowMs: createdAt + 1 });
    expect(json.stdout).not.toContain("\u001b");
    expect(JSON.parse(json.stdout)).toEqual({
      directory,
      outputs: [
        {
          id: stored.id,
          file_path: stored.filePath,
          tool: "\u001b[31mred\nline",
          kind: "json-array",
          layout: "records",
          records: 1,
          lines: 1,
          size_bytes: 3,
          tokens: 2000,
          created_at: new Date(createdAt).toISOString(),
          expires_at: new Date(stored.expiresAt).toISOString(),
          session_hash: scopeOf("session one"),
        },
      ],
      newer: 0,
      unreadable: 0,
    });
  });

  it("counts what it cannot read: of a newer version, and of nobody", async () => {
    const [artifact, other] = [1, 2].map(() => contractArtifact(3, { createdAt: Date.now() }));
    const store = fileStore({ directory });
    for (const one of [artifact!, other!]) await store.put(one, [Buffer.from("{}\n")]);
    const sidecar = join(directory, `.atlatl-${artifact?.id}.json`);
    await writeFile(sidecar, JSON.stringify({ ...artifact, format: 99 }));
    await writeFile(join(directory, ".atlatl-01KDX0ABCDEFGHJKMNPQRSTVW0.json"), "{");
    const { code, stdout, stderr } = await on(["ls"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        "1 output of a newer version of langchain-offload cannot be read by this one. " +
        "1 output left out: of another user, or changed since.\n",
    });
    expect(stdout).toContain(other?.id);
    const json = JSON.parse((await on(["ls", "--json"])).stdout) as object;
    expect(json).toMatchObject({ outputs: [{ id: other?.id }], newer: 1, unreadable: 1 });
    const shown = await on(["show", artifact?.id ?? ""]);
    expect(shown).toMatchObject({ code: 2, stdout: "" });
    expect(shown.stderr).toContain("was stored by a newer version of langchain-offload");
  });

  it("ends with 0 when there is nothing, and says so on standard error", async () => {
    const none = `Nothing to list in ${directory}.\n`;
    expect(await on(["ls"])).toEqual({ code: 0, stdout: "", stderr: none });
    const { stdout } = await on(["ls", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ directory, outputs: [], newer: 0, unreadable: 0 });
  });

  it("names problems of the settings, escaped, and goes on", async () => {
    const env = { ATLATL_PROMPT__OFFLOAD__TTL_SECONDS: "soon\u009b" };
    const { code, stderr } = await on(["ls"], { env });
    expect(code).toBe(0);
    expect(stderr).toContain(String.raw`TTL_SECONDS is "soon\u009b"; it must be`);
  });
});

describe("an ID", () => {
  beforeEach(() => storeIssues(directory));

  it("is an id in any case, a unique beginning, a file name, a path, or latest", async () => {
    const found = async (reference: string, env = {}): Promise<string> => {
      const { code, stdout } = await on(["show", reference, "--json"], { env });
      return code === 0 ? (JSON.parse(stdout) as { id: string }).id : String(code);
    };
    const fileName = `atlatl-search_issues-${ISSUES_ID}.jsonl`;
    const elsewhere = { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: "/nowhere" };
    expect(await found(ISSUES_ID)).toBe(ISSUES_ID);
    expect(await found(ISSUES_ID.toLowerCase())).toBe(ISSUES_ID);
    expect(await found("01kdx0a")).toBe(ISSUES_ID);
    expect(await found(fileName)).toBe(ISSUES_ID);
    expect(await found(join(directory, fileName), elsewhere)).toBe(ISSUES_ID);
    expect(await found("latest")).toBe(ISSUES_ID);
    for (const unknown of ["01K", "nothing", "../x", "01KDX0ABCDEFGHJKMNPQRSTVW0", "/", "\0"])
      expect(await found(unknown)).toBe("1");
    expect(await found(ISSUES_ID, elsewhere)).toBe("1");
  });

  it("that begins several ids is refused with those that it begins", async () => {
    const { code, stderr } = await on(["show", "01KDX0"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      `01KDX0 begins 2 ids: ${LOG_ID}, ${ISSUES_ID}. Write more of the one you mean.\nSee langchain-offload show --help\n`,
    );
  });

  it("that is unknown or has expired ends with 1 and says which", async () => {
    expect(await on(["read", "\u001b[2J"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no stored output "\\u001b[2J" in ${directory}. langchain-offload ls lists what is there.\n`,
    });
    const { stdout } = await on(["ls", "--ids", "--expired"]);
    const { code, stderr } = await on(["read", stdout.trim()]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^atlatl-recall-\w+\.jsonl expired at \d{4}-.+Z\. Run the agent again for a new one\.\n$/,
    );
  });

  it("of a body that was changed is not there", async () => {
    await writeFile(join(directory, `atlatl-search_issues-${ISSUES_ID}.jsonl`), "short");
    expect((await on(["read", ISSUES_ID])).code).toBe(1);
  });
});

describe("show", () => {
  it("says where an output comes from, and lists its recipes", async () => {
    const args = { query: "x\u001b[0m", secret: "y".repeat(1000) };
    await storeOutput(directory, { toolName: "search_issues", value: ISSUES, args }, ISSUES_ID);
    const { code, stdout } = await on(["show", "latest"]);
    expect(code).toBe(0);
    const lines = stdout.split("\n");
    expect(lines).toContain(`id         ${ISSUES_ID}`);
    expect(lines).toContain("tool       search_issues");
    expect(lines).toContain("kind       json-array, stored as records");
    expect(lines).toContain("records    420");
    expect(lines).toContain(`session    ${scopeOf("thread-1")} (SHA-256)`);
    expect(lines).toContain("fields     number, title, state");
    expect(lines).toContain(`Recipes: langchain-offload extract ${ISSUES_ID} --recipe N`);
    expect(lines.some((line) => /^ {3}1 {2}Count by state$/.test(line))).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(420);
    expect(stdout).not.toContain("\u001b");
    const json = await on(["show", "latest", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      args,
      records: 420,
      fields: ["number", "title", "state"],
    });
    expect((JSON.parse(json.stdout) as { recipes: unknown[] }).recipes).toHaveLength(10);
  });
});
