import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { caseOfTheDay } from "../../../of-the-day.js";
import { EVERYTHING, everythingOverHttp, inspector, MAIN } from "./run-official.js";

const folder = mkdtempSync(join(tmpdir(), "inspector-"));
const config = join(folder, "servers.json");
const OWN_TOOLS = new Set(["read_tool_output", "lro_extract"]);

/** What the Inspector can be asked on its command line. */
const QUESTIONS: readonly (readonly string[])[] = [
  ["tools/list"],
  ["tools/call", "--tool-name", "test_simple_text"],
  ["tools/call", "--tool-name", "test_multiple_content_types"],
  ["tools/call", "--tool-name", "test_error_handling"],
  ["resources/list"],
  ["resources/templates/list"],
  ["resources/read", "--uri", "test://static-text"],
  ["resources/read", "--uri", "test://nowhere"],
  [
    "prompts/get",
    "--prompt-name",
    "test_prompt_with_arguments",
    "--prompt-args",
    "arg1=a",
    "arg2=b",
  ],
];

/** The proxy as a program without arguments: the Inspector takes some of a server's for its own. */
function launcher(name: string, args: readonly string[]): { command: string; args: string[] } {
  const path = join(folder, `${name}.mjs`);
  const command = JSON.stringify([process.execPath, MAIN, "proxy", ...args]);
  writeFileSync(path, `process.argv = ${command};\nawait import(process.argv[1]);\n`);
  return { command: process.execPath, args: [path] };
}

const ask = (server: string, question: readonly string[]): Promise<string> =>
  inspector("--config", config, "--server", server, "--method", ...question);

/** What the Inspector printed, without the tools that the proxy lists beside the server's. */
function withoutOwn(printed: string): unknown {
  if (!printed.startsWith("{")) return printed;
  const value = JSON.parse(printed) as Record<string, unknown>;
  const { tools, resourceTemplates } = value as {
    tools?: { name: string }[];
    resourceTemplates?: { uriTemplate: string }[];
  };
  return {
    ...value,
    ...(tools && { tools: tools.filter(({ name }) => !OWN_TOOLS.has(name)) }),
    ...(resourceTemplates && {
      resourceTemplates: resourceTemplates.filter(
        ({ uriTemplate }) => !uriTemplate.startsWith("offload:"),
      ),
    }),
  };
}

describe("the Inspector's command line", () => {
  let http: Awaited<ReturnType<typeof everythingOverHttp>>;
  beforeAll(async () => {
    http = await everythingOverHttp();
    const stdio = ["--", process.execPath, EVERYTHING, "stdio"];
    const servers = {
      direct: { command: process.execPath, args: [EVERYTHING, "stdio"] },
      stdio: launcher("stdio", stdio),
      resources: launcher("resources", [
        "--session",
        "s",
        "--directory",
        folder,
        "--resources",
        ...stdio,
      ]),
      http: launcher("http", ["--resource-links", http.url]),
    };
    writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  });
  afterAll(() => {
    http.child.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(QUESTIONS)("says the same of %s with and without the proxy", async (...question) => {
    const proxies = caseOfTheDay(["stdio", "resources", "http"]);
    const [direct = "", ...proxied] = await Promise.all(
      ["direct", ...proxies].map((server) => ask(server, question)),
    );
    expect(direct).toMatch(question.includes("test://nowhere") ? /not found/ : /^\{/);
    for (const printed of proxied) expect(withoutOwn(printed)).toEqual(withoutOwn(direct));
  });

  it("lists and reads what a call before it has stored", async () => {
    const call = ["tools/call", "--tool-name", "large_rows"];
    expect(await ask("resources", call)).toContain("offloaded");
    const listed = JSON.parse(await ask("resources", ["resources/list"])) as {
      resources: { uri: string; size: number }[];
    };
    const stored = listed.resources.filter(({ uri }) => uri.startsWith("offload:"));
    expect(stored).toHaveLength(1);
    const uri = `${stored[0]?.uri}?start_line=2&end_line=3`;
    const read = JSON.parse(await ask("resources", ["resources/read", "--uri", uri])) as object;
    expect(read).toEqual({
      contents: [
        {
          uri,
          mimeType: "application/jsonl",
          text: '{"row":0,"city":"Rome"}\n{"row":1,"city":"Rome"}\n',
        },
      ],
    });
  });
});
