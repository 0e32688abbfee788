import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { createOffloader } from "../../src/core/pipeline/create-offloader.js";
import { fileStore } from "../../src/core/store/file/index.js";
import { encrypted } from "../../src/stores/encrypted/index.js";
import { contractArtifact } from "../../src/testing/store-contract/contract-artifact.js";
import { temporaryDirectories } from "../core/store/temporary-directory.js";
import { type HereOptions, MAIN, type Outcome, runHere, runProcess } from "./run-command.js";
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

describe("ls", () => {
  it("lists the outputs of all sessions that have not expired, newest first", async () => {
    await storeIssues(directory);
    const output = { toolName: "other", value: ISSUES, sessionId: "thread-2" };
    const other = await storeOutput(directory, output);
    const ids = async (...args: string[]): Promise<string[]> =>
      (await on(["ls", ...args])).stdout.match(/^01\w{24}/gm) ?? [];
    expect(await ids()).toEqual([other.id, ISSUES_ID, LOG_ID]);
    expect(await ids("--session", "thread-2")).toEqual([other.id]);
    expect(await ids("--session", "thread-3")).toEqual([]);
  });

  it("counts what it cannot read", async () => {
    const [artifact, other] = [1, 2].map(() => contractArtifact(3, { createdAt: Date.now() }));
    const store = fileStore({ directory });
    for (const one of [artifact!, other!]) await store.put(one, [Buffer.from("{}\n")]);
    const sidecar = join(directory, `.atlatl-${artifact?.id}.json`);
    await writeFile(sidecar, JSON.stringify({ ...artifact, kind: 7 }));
    await writeFile(join(directory, ".atlatl-01KDX0ABCDEFGHJKMNPQRSTVW0.json"), "{");
    const stderr = "Left out, of another user or changed: 2.\n";
    const stdout = expect.stringContaining(String(other?.id));
    expect(await on(["ls"])).toEqual({ code: 0, stderr, stdout });
    const json = JSON.parse((await on(["ls", "--json"])).stdout) as object;
    expect(json).toMatchObject({ outputs: [{ id: other?.id }], unreadable: 2 });
    const shown = await on(["show", artifact?.id ?? ""]);
    expect(shown).toMatchObject({ code: 1, stdout: "" });
  });
});

it("an encrypted output is said to be one by ls and show, with the key's id", async () => {
  const keys = { current: { id: "2026-01", key: Buffer.alloc(32, 7) } };
  const store = encrypted(fileStore({ directory }), keys);
  const artifact = contractArtifact(3, { createdAt: Date.now() });
  const { id } = await store.put(artifact, [Buffer.from("17\n")]);
  expect((await on(["ls"])).stdout).toContain("encrypted");
  expect((await on(["show", id])).stdout).toContain('"encrypted_with": "2026-01"');
  expect((await on(["jq", id, "."])).stderr).toContain("is encrypted");
  expect((await on(["ls"])).stdout).toContain("key 2026-01");
  expect((await on(["show", id])).stdout).not.toMatch(/"(?:lines|tokens|fields)"/);
});

it("show prints JSON whatever the data are, and says whether the tokens are exact", async () => {
  const args = { flag: "\u{1F3F4}\u{E0067}\u{E007F}", escape: "\u001b[2J" };
  const { id } = await storeOutput(directory, { toolName: "t", value: ISSUES, args });
  const { stdout } = await on(["show", id]);
  expect(JSON.parse(stdout)).toMatchObject({ args, tokens_exact: true });
  expect(stdout).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
});

it("--with says of an output of another directory that it is not in that of the first", async () => {
  await storeIssues(directory);
  const other = await storeOutput(await makeDirectory(), { toolName: "t", value: ISSUES });
  const place = `o=${other.filePath}`;
  const { code, stderr } = await on(["jq", ISSUES_ID, "$o | length", "--with", place]);
  expect({ code, said: stderr.split("\n")[0] }).toEqual({
    code: 2,
    said: `--with o is not in ${directory}.`,
  });
});

it("--with takes an output of another session's folder in the same directory", async () => {
  const store = fileStore({ directory, folders: "session" });
  const ids: string[] = [];
  for (const sessionId of ["a", "b"]) {
    const offloader = createOffloader({ store });
    ids.push((await offloader.put(ISSUES, { sessionId })).storedArtifact.id);
    await offloader.close();
  }
  const { code, stdout } = await on(["jq", ids[0]!, "-s", "$o | length", "--with", `o=${ids[1]}`]);
  expect({ code, length: stdout.split("\n")[0] }).toEqual({ code: 0, length: "420" });
});

describe("an ID", () => {
  beforeEach(() => storeIssues(directory));

  it("is an id in any case, a file name, a path, or latest", async () => {
    const found = async (reference: string, env = {}): Promise<string> => {
      const { code, stdout } = await on(["show", reference], { env });
      return code === 0 ? (JSON.parse(stdout) as { id: string }).id : String(code);
    };
    const fileName = `atlatl-search_issues-${ISSUES_ID}.jsonl`;
    const elsewhere = { ATLATL_PROMPT__OFFLOAD__OUTPUT_DIR: "/nowhere" };
    expect(await found(ISSUES_ID)).toBe(ISSUES_ID);
    expect(await found(ISSUES_ID.toLowerCase())).toBe(ISSUES_ID);
    expect(await found(fileName)).toBe(ISSUES_ID);
    expect(await found(join(directory, fileName), elsewhere)).toBe(ISSUES_ID);
    expect(await found("latest")).toBe(ISSUES_ID);
    for (const unknown of ["nothing", "01K", "../x", "01KDX0ABCDEFGHJKMNPQRSTVW0", "/", "\0"])
      expect(await found(unknown)).toBe("1");
    expect(await found(ISSUES_ID, elsewhere)).toBe("1");
  });

  it("that is unknown or has expired ends with 1 and says which", async () => {
    expect(await on(["read", "\u001b[2J"])).toEqual({
      code: 1,
      stdout: "",
      stderr: `There is no stored output "\\u001b[2J" in ${directory}. npx langchain-offload ls lists what is there.\n`,
    });
    const { id } = await storeOutput(directory, { toolName: "recall", value: ISSUES });
    const { code, stderr } = await on(["read", id], { nowMs: Date.now() + 7_200_000 });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^atlatl-recall-\w+\.jsonl expired at \d{4}-.+Z\. Run the agent again for a new one\.\n$/,
    );
  });
});

it("rule 50: clean removes what has expired, and says what", async () => {
  const store = fileStore({ directory });
  const put = (sizeBytes: number, ageMs: number) => {
    const artifact = contractArtifact(sizeBytes, { createdAt: Date.now() - ageMs });
    return store.put(artifact, [new Uint8Array(sizeBytes)]);
  };
  const expired = [await put(100, 7_200_000), await put(23, 3_600_001)];
  await put(1, 0);
  await writeFile(join(directory, "atlatl-notes.jsonl"), "mine");
  const { code, stdout, stderr } = await runProcess(["clean", "--directory", directory]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("Removed 2 outputs.");
  for (const { filePath } of expired) expect(stdout).toContain(`${filePath}  `);
  expect(await readdir(directory)).toHaveLength(3);
  for (const { filePath } of expired) expect(existsSync(filePath ?? "")).toBe(false);
});

describe("the model's view", () => {
  const records = Array.from({ length: 400 }, (_, n) => ({ n, state: n % 4 ? "open" : "closed" }));
  let path = "";
  beforeEach(async () => {
    path = join(directory, "my issues.json");
    await writeFile(path, JSON.stringify(records));
  });
  /** Folders of seats that are still there. */
  const seats = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith("seat-"));

  it("describe prints what a model sees of a file, and its tokens beside those of the file", async () => {
    const { code, stdout, stderr } = await runHere(["describe", path]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      offloaded: true,
      summary: { count: 400, operation: "my_issues" },
    });
    expect(stderr).toMatch(/^my_issues: \d+ tokens in place of \d,\d{3} \(offloaded\)\.\n$/);
  });

  it("try shows the slot and answers calls as a model's tools would, tokens counted", async () => {
    const before = seats();
    const stdin =
      'jq_tool_output {"filter": "select(.n == 7) | .state"}\nread_tool_output {"id": "none"}\nnothing\n\nexit\n';
    const { code, stdout } = await runHere(["try", path], { stdin });
    expect(code).toBe(0);
    for (const part of [
      '"offloaded":true',
      '"name":"jq_tool_output"',
      '"open"\n1 result',
      // What a model would be told of an id that there is not.
      "No stored output has this id",
      "Write one of read_tool_output",
    ])
      expect(stdout).toContain(part);
    // Of the output and of two answers; each adds to what stands in the context.
    const figures = [...stdout.matchAll(/^\[([\d,]+) tokens, ([\d,]+) in the context\]$/gm)];
    const [seen, , last] = figures.map((one) =>
      one.slice(1).map((n) => Number(n.replace(",", ""))),
    );
    expect(figures).toHaveLength(3);
    expect(last?.[1]).toBeGreaterThan((seen?.[1] ?? 0) + (last?.[0] ?? 0));
    expect(seats()).toEqual(before);
  });

  it("try ends at exit while its input stays open, and takes an id under another name", async () => {
    const child = spawn(process.execPath, [MAIN, "try", path]);
    let stdout = "";
    child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
    child.stdin.write('jq_tool_output {"file_path": "none", "filter": "."}\nexit\n');
    expect(await once(child, "close")).toEqual([0, null]);
    expect(stdout).toContain("No stored output has this id");
    expect(await runHere(["try", path, "-"], { stdin: "[1]" })).toMatchObject({ code: 2 });
  });
});
