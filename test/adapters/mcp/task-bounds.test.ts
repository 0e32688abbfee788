import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, it } from "vitest";

import { createInspector } from "../../../src/adapters/mcp/inspector.js";
import { messageOf } from "../../../src/adapters/mcp/message.js";
import type { OffloadEvent } from "../../../src/core/types/events.js";
import { openedOffloaders } from "../../opened-offloaders.js";

const opened = openedOffloaders();
const content = [{ type: "text", text: "a line of a report\n".repeat(9_000) }];
const known = (message: object) =>
  messageOf(JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }), { id: 1, ...message });

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it("a task holds the name of its call, and not what a long call said", async () => {
  const events: OffloadEvent[] = [];
  const { offloader } = opened({ onEvent: (event) => events.push(event) });
  const inspector = createInspector({ offloader, role: "proxy", warn: () => {} });
  const begin = async (taskId: string, more: string): Promise<WeakRef<object>> => {
    const args = { of: "may", more };
    const params = { name: "report", arguments: args };
    inspector.fromClient(known({ method: "tools/call", params }));
    await inspector.fromServer(known({ result: { task: { taskId } } }));
    return new WeakRef(args);
  };
  const long = await begin("t1", "w".repeat(1_000_000));
  const short = await begin("t2", "");
  await delay(1);
  collect();
  expect([long.deref() !== undefined, short.deref() !== undefined]).toEqual([false, true]);
  inspector.fromClient(known({ method: "tasks/result", params: { taskId: "t1" } }));
  await inspector.fromServer(known({ result: { content } }));
  const stored = events.flatMap((event) =>
    event.type === "offloaded" ? [event.storedArtifact.toolName] : [],
  );
  expect(stored).toEqual(["report"]);
});
