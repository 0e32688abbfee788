import { EventEmitter, once } from "node:events";

import { describe, expect, it } from "vitest";

import { stdioUpstream } from "../../../../src/adapters/mcp/transport/stdio-upstream.js";

/** Takes a second to end by itself when its input has ended, and says what made it end. */
const SERVER = `
const end = (how) => process.stdout.write(how + "\\n", () => process.exit());
process.on("SIGTERM", () => end("told to"));
process.stdin.on("end", () => setTimeout(end, 1000, "by itself")).resume();
process.stdout.write("ready\\n");
setInterval(() => {}, 1000);`;

describe("R12: a server that is a process", () => {
  it.each([
    ["at once where the proxy is told to end", true, "told to"],
    ["by itself where the client has ended", false, "by itself"],
  ])("ends %s", async (_, isAtOnce, how) => {
    const lines: string[] = [];
    const heard = new EventEmitter();
    const upstream = stdioUpstream(
      { command: process.execPath, args: ["-e", SERVER] },
      {
        onMessage: (line) => {
          lines.push(line.toString().trim());
          heard.emit("line");
          return undefined;
        },
        onTooLong: () => undefined,
        isPending: () => false,
        onFailed: () => {},
        onEnd: () => heard.emit("end"),
        warn: () => {},
        maxMessageBytes: 1000,
      },
    );
    await once(heard, "line");
    const ended = once(heard, "end");
    await upstream.close(isAtOnce);
    await ended;
    expect(lines).toEqual(["ready", how]);
  });
});
