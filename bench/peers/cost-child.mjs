/**
 * One output through one side, in a process of its own: prints milliseconds and the bytes of memory that came
 * on top. Arguments: side, megabytes, `warm` or `cold`, folder.
 */
import { readFileSync, writeFileSync } from "node:fs";

const [side, megabytes, state, directory] = process.argv.slice(2);

async function middlewareOf(name) {
  if (name === "ours") {
    const { fileStore, offloadMiddleware } = await import("../../dist/index.js");
    return offloadMiddleware({ store: fileStore({ directory }) });
  }
  const { createFilesystemMiddleware, FilesystemBackend } = await import("deepagents");
  const backend = new FilesystemBackend({ rootDir: directory, virtualMode: true });
  return createFilesystemMiddleware({ backend });
}

/** Written into one buffer, so that what making it leaves behind does not hide what offloading takes. */
function jsonText(bytes) {
  const buffer = Buffer.allocUnsafe(bytes + 2000);
  let length = buffer.write('{"results":[');
  for (let id = 0; length < bytes; id += 1) {
    const record = {
      id: `mem_${id}`,
      title: `Decision ${id} about the ${["cache", "queue", "index"][id % 3]}`,
      votes: id % 100,
      content: 'What a search gives, with "quotes", a path C:\\temp and prose. '.repeat(
        1 + (id % 8),
      ),
    };
    length += buffer.write(`${id === 0 ? "" : ","}${JSON.stringify(record)}`, length);
  }
  length += buffer.write("]}", length);
  return buffer.toString("latin1", 0, length);
}

/** Linux keeps the highest resident size, and lets a process set it back. */
function residentBytes(field) {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(
    readFileSync("/proc/self/status", "utf8"),
  );
  return Number(line?.[1]) * 1024;
}

const { ToolMessage } = await import("@langchain/core/messages");
const middleware = await middlewareOf(side);

async function offload(text, id) {
  const message = new ToolMessage({ content: text, tool_call_id: id, name: "search" });
  const request = {
    toolCall: { id, name: "search", args: {}, type: "tool_call" },
    state: { messages: [] },
    runtime: { configurable: { thread_id: "bench" } },
  };
  const result = await middleware.wrapToolCall(request, async () => message);
  if (result === message) throw new Error(`${side} left it as it is.`);
}

if (state === "warm") await offload(jsonText(200_000), "warm");
const text = jsonText(Number(megabytes) * 1e6);
globalThis.gc();
globalThis.gc();
writeFileSync("/proc/self/clear_refs", "5");
const before = residentBytes("VmRSS");
const start = performance.now();
await offload(text, "call_1");
const took = performance.now() - start;
console.log(JSON.stringify([took, Math.max(0, residentBytes("VmHWM") - before)]));
process.exit();
