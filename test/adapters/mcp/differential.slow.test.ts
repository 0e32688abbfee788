import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { sessionKeyOf } from "../../../src/core.js";
import {
  directStdio,
  EVERYTHING,
  FILESYSTEM,
  proxied,
  type RawClient,
  type Rpc,
  shakeHands,
  textsOf,
} from "./connections.js";
import { newDirectory } from "../../after-file.js";

const folder = realpathSync(newDirectory());
const rows = Array.from({ length: 3000 }, (_, id) => ({ id: `order-${id}`, note: "é😀", id2: id }));
writeFileSync(join(folder, "small.txt"), "two\r\nlines\n");
writeFileSync(join(folder, "rows.json"), JSON.stringify(rows, undefined, 2));
writeFileSync(join(folder, "prose.txt"), "A line of prose, with “quotes”.\r\n".repeat(4000));

type Step = readonly [method: string, params?: object];

const call = (name: string, args: object = {}, more: object = {}): Step => [
  "tools/call",
  { name, arguments: args, ...more },
];

const LARGE = "All work and no play. ".repeat(2500);
/** Each kind of what server-everything can be asked, its errors included. */
const EVERYTHING_STEPS: readonly Step[] = [
  ...["ping", "resources/list", "resources/templates/list"].map((method): Step => [method]),
  ["resources/read", { uri: "demo://resource/static/document/architecture.md" }],
  ["resources/read", { uri: "demo://resource/nowhere" }],
  ["prompts/list"],
  ["prompts/get", { name: "args-prompt", arguments: { city: "Rome", state: "x".repeat(20_000) } }],
  ["prompts/get", { name: "nobody" }],
  ["logging/setLevel", { level: "error" }],
  ["no/such/method"],
  call("echo", { message: "hello" }),
  call("echo", { message: LARGE }),
  call("echo", { wrong: true }),
  call("get-resource-links", { count: 3 }),
  call("get-structured-content", { location: "Chicago" }),
  call("get-sum", { a: 1, b: 2.5 }),
  call("get-tiny-image"),
  call("gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello" }),
  call(
    "trigger-long-running-operation",
    { duration: 0.2, steps: 2 },
    { _meta: { progressToken: "p" } },
  ),
  call("get-roots-list"),
  call("trigger-elicitation-request"),
  call("trigger-sampling-request", { prompt: "2+2", maxTokens: 5 }),
  call("no-such-tool"),
];

const path = (name: string): object => ({ path: join(folder, name) });
const FILESYSTEM_STEPS: readonly Step[] = [
  call("list_allowed_directories"),
  call("list_directory", path("")),
  call("list_directory_with_sizes", path("")),
  call("directory_tree", path("")),
  call("search_files", { ...path(""), pattern: "*.txt" }),
  call("read_text_file", path("small.txt")),
  call("read_text_file", path("rows.json")),
  call("read_text_file", path("prose.txt")),
  call("read_file", { ...path("prose.txt"), head: 2 }),
  call("read_multiple_files", { paths: [join(folder, "small.txt"), join(folder, "none")] }),
  call("read_text_file", path("../outside")),
  call("read_text_file", {}),
  ["resources/list"],
];

/** What a server makes up anew each time. */
const normal = (line: string): string =>
  line
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    .replaceAll(/\d{1,2}:\d\d:\d\d [AP]M/g, "TIME");

/** Every step one after the other; the answers as lines. */
async function run(client: RawClient, steps: readonly Step[]): Promise<string[]> {
  const answers = [await shakeHands(client)];
  for (const [index, [method, params]] of steps.entries()) {
    answers.push(await client.request(method, params, `step-${index}`));
  }
  return answers;
}

/**
 * Lines that came unasked, by method: requests of the server and its notifications. Roots count once: the server asks for
 * them 350 ms after the handshake and again for the tool that lists them, unless it has the answer by then.
 */
const unasked = (client: RawClient): string[] => {
  const lines = client.lines
    .filter((line) => "method" in JSON.parse(line) && !line.includes("list_changed"))
    .map((line) => normal(line).replace(/"id":\d+/, '"id":N'));
  const [roots] = lines.filter((line) => line.includes("roots/list"));
  return [...lines.filter((line) => line !== roots), ...(roots === undefined ? [] : [roots])];
};

const parsed = (line: string | undefined): Rpc => JSON.parse(line ?? "{}") as Rpc;

/** Compares two runs: the same bytes, or a descriptor of what the other has. */
async function compare(
  direct: readonly string[],
  { client, proxy }: ReturnType<typeof proxied>,
  through: readonly string[],
  large: readonly number[],
): Promise<void> {
  expect(through).toHaveLength(direct.length);
  for (const [index, line] of direct.entries()) {
    if (!large.includes(index - 1)) {
      expect(normal(through[index] ?? "")).toBe(normal(line));
      continue;
    }
    const [text = ""] = textsOf(parsed(through[index]));
    const descriptor = JSON.parse(text) as { offloaded: boolean; file_path: string };
    expect(descriptor.offloaded).toBe(true);
    const { artifacts } = await proxy.offloader.store.list(sessionKeyOf("s"));
    const artifact = artifacts.find(({ id }) => id === descriptor.file_path);
    if (artifact === undefined) throw new Error("not stored");
    const stored = Buffer.from(await proxy.offloader.store.read(artifact));
    const [original = ""] = textsOf(parsed(line));
    const body = stored.subarray(artifact.headerBytes).toString("utf8");
    if (artifact.layout !== "records") expect(body).toBe(original);
    else {
      const records = JSON.parse(original) as unknown[];
      expect(body).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
    }
    if ("structuredContent" in (parsed(line).result ?? {})) {
      expect(parsed(through[index]).result?.["structuredContent"]).toEqual(descriptor);
    }
  }
  expect(client.lines.every((line) => "jsonrpc" in JSON.parse(line))).toBe(true);
}

const largeIn = (steps: readonly Step[]): number[] =>
  steps.flatMap(([, params], index) =>
    /All work|rows\.json|prose\.txt"\}/.test(JSON.stringify(params ?? {})) ? [index] : [],
  );

it.each([
  ["server-everything over stdio", EVERYTHING_STEPS, [EVERYTHING, "stdio"], 1],
  [
    "server-filesystem, whose files over the threshold are stored",
    FILESYSTEM_STEPS,
    [FILESYSTEM, folder],
    2,
  ],
] as const)(
  "a proxy gives what a server that no one here wrote gives, byte for byte, but for what is large: %s",
  async (_, steps, args, largeCount) => {
    const direct = directStdio(args);
    const place = proxied({ upstream: { command: process.execPath, args }, sessionId: "s" });
    const expected = await run(direct, steps);
    const through = await run(place.client, steps);
    const large = largeIn(steps);
    expect(large).toHaveLength(largeCount);
    await compare(expected, place, through, large);
    const told = unasked(direct);
    expect(unasked(place.client).toSorted()).toEqual(told.toSorted());
    if (steps === EVERYTHING_STEPS)
      for (const method of ["elicitation/create", "notifications/progress"])
        expect(told.some((line) => line.includes(method))).toBe(true);
    expect(place.warnings).toEqual([]);
    await Promise.all([direct.close(), place.client.close()]);
  },
);
