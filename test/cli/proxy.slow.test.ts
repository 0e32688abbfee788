import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { callTool as call, FAULTY, shakeHands, textsOf } from "../adapters/mcp/connections.js";
import { startProxy } from "./run-command.js";

const folder = mkdtempSync(join(tmpdir(), "cli-proxy-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const textOf = (answer: Parameters<typeof textsOf>[0]): string => textsOf(answer)[0] ?? "";
const faulty = (...options: string[]): string[] => [...options, "--", process.execPath, FAULTY];

describe("npx langchain-offload proxy", () => {
  it("stores where it is told, with the settings of options and environment", async () => {
    const directory = join(folder, "stored");
    const { client, exited } = startProxy(
      faulty("--directory", directory, "--tools", "jq", "--ttl", "60"),
      { ATLATL_PROMPT__OFFLOAD__THRESHOLD_TOKENS: "100" },
    );
    await shakeHands(client);
    const { file_path } = JSON.parse(textOf(await call(client, "rows", { count: 200 })));
    expect(file_path.startsWith(directory)).toBe(true);
    expect(readFileSync(file_path, "utf8").split("\n")).toHaveLength(202);
    const args = { id: file_path, filter: "length", slurp: true };
    expect(textOf(await call(client, "jq_tool_output", args))).toContain("200");
    await client.close();
    expect(await exited).toEqual([0, null]);
  });

  it("reaches what an earlier run under the same name stored", async () => {
    const args = faulty("--directory", folder, "--session", "mine");
    const first = startProxy(args);
    await shakeHands(first.client);
    const { file_path } = JSON.parse(textOf(await call(first.client, "rows", { count: 3000 })));
    await first.client.close();
    for (const [session, found] of [
      ["mine", true],
      ["other", false],
    ] as const) {
      const next = startProxy(faulty("--directory", folder, "--session", session));
      await shakeHands(next.client);
      const query = "select(.id == 2999)";
      const answer = await call(next.client, "lro_extract", { file_path, query });
      expect(answer.result?.["isError"] ?? false).toBe(!found);
      await next.client.close();
    }
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "ends cleanly on %s in the middle of the work: whole files, nothing but protocol on its output",
    async (signal) => {
      const directory = join(folder, signal);
      const { child, client, exited } = startProxy(faulty("--directory", directory));
      await shakeHands(client);
      for (let index = 0; index < 20; index += 1) {
        call(client, "rows", { count: 20_000 }).catch(() => undefined);
      }
      await call(client, "rows", { count: 3000 });
      child.kill(signal);
      expect(await exited).toEqual([0, null]);
      for (const line of client.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
      const files = readdirSync(directory).filter((name) => /^[^.].*\.jsonl$/.test(name));
      expect(files.length).toBeGreaterThan(0);
      for (const name of files) {
        const lines = readFileSync(join(directory, name), "utf8").split("\n");
        const header = JSON.parse(lines[0] ?? "") as { count: number };
        expect(lines).toHaveLength(header.count + 2);
      }
    },
  );

  it("ends with 1 and a sentence when the server ends", async () => {
    const { client, exited, stderr } = startProxy(faulty());
    await shakeHands(client);
    expect((await call(client, "die")).error?.message).toBe("The server has ended (exit code 3)");
    expect(await exited).toEqual([1, null]);
    expect(stderr()).toBe("The server has ended (exit code 3).\n");
    const missing = startProxy(["--", "/no/such/program"]);
    expect(await missing.exited).toEqual([1, null]);
    expect(missing.stderr()).toContain("could not be run");
  });

  it("takes secrets from the environment, and shows them nowhere", async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push([request.headers.authorization, request.headers["x_api_key"]]);
      response.writeHead(401).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const { client, stderr } = startProxy(
      ["--header-env", "X_Api_Key=KEY", `http://127.0.0.1:${port}/mcp`],
      { LANGCHAIN_OFFLOAD_TOKEN: "s3cret", KEY: "k3y" },
    );
    const answer = await client.request("initialize", {});
    expect(seen).toEqual([["Bearer s3cret", "k3y"]]);
    expect(answer).toContain("HTTP 401");
    await client.close();
    expect(answer + stderr()).not.toMatch(/s3cret|k3y/);
    server.close();
  });
});
