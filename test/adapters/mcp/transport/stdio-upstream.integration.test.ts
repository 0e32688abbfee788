import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, it } from "vitest";

import { proxied } from "../connections.js";

const folder = mkdtempSync(join(tmpdir(), "ends-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Answers nothing. Takes a second to end by itself when its input has ended, and leaves behind what made it end. */
const SERVER = `
const end = (how) => {
  require("node:fs").writeFileSync(process.argv[1], how);
  process.exit();
};
process.on("SIGTERM", () => end("told to"));
process.stdin.on("end", () => setTimeout(end, 1000, "by itself")).resume();
process.stdout.write('{"jsonrpc":"2.0","method":"notifications/ready"}\\n');
setInterval(() => {}, 1000);`;

describe("R12: a server that is a process", () => {
  it.each([
    ["at once where the proxy is told to end while a call waits", true, false, "told to"],
    ["at once where the proxy is told to end after the client has", false, true, "told to"],
    ["by itself where the client has ended", false, false, "by itself"],
  ])("ends %s", async (name, waits, isTold, how) => {
    const file = join(folder, name);
    const upstream = { command: process.execPath, args: ["-e", SERVER, file] };
    const { client, proxy, input } = proxied({ upstream });
    await expect.poll(() => client.lines).toHaveLength(1);
    if (waits) client.request("tools/call", { name: "x" }).catch(() => undefined);
    input.end();
    // The end has to have come.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await (waits || isTold ? proxy.close() : proxy.closed);
    expect(readFileSync(file, "utf8")).toBe(how);
  });
});
