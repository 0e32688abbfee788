import { Readable } from "node:stream";

import { expect, it } from "vitest";

import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();

it("hears a stream among others at once: one that fails before its turn is its tool's fault, and not the process's end", async () => {
  const { offloader } = opened();
  const offload = (value: unknown) =>
    offloader.offload({ toolName: "tool", sessionId: "s", value });
  const others = Array.from({ length: 20 }, () => offload("words ".repeat(9_000)));
  const streams = Array.from({ length: 5 }, () => {
    const stream = new Readable({ read() {} });
    setImmediate(() => stream.destroy(new Error("no such file")));
    return offload(stream);
  });
  const told = await Promise.allSettled(streams);
  expect(told.map(({ status }) => status)).toEqual(Array(5).fill("rejected"));
  await Promise.all(others);
});
