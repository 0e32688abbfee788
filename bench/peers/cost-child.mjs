/**
 * One output through one side, in a process of its own: prints milliseconds and the bytes of memory that came
 * on top. Arguments: side, megabytes, `first` or `further`, folder.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";

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

const { createAgent, createMiddleware, tool } = await import("langchain");
const middleware = await middlewareOf(side);
const text = jsonText(Number(megabytes) * 1e6);

/** Before an output comes, and when it is out of the middleware. */
let before;
let start;
let figures;

function begin() {
  globalThis.gc();
  globalThis.gc();
  writeFileSync("/proc/self/clear_refs", "5");
  before = residentBytes("VmRSS");
  start = performance.now();
}

function end(result) {
  const took = performance.now() - start;
  if (result.content === text) throw new Error(`${side} left it as it is.`);
  figures = [took, Math.max(0, residentBytes("VmHWM") - before)];
}

/** The last output of an agent, whose model takes half a second to ask for each. */
async function lastOf(outputs) {
  const { scriptedModel } = await import("../../dist/testing/index.js");
  const timing = createMiddleware({
    name: "timing",
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      if (outputs.length === 0) end(result);
      return result;
    },
  });
  const search = tool(
    () => {
      const output = outputs.shift();
      if (outputs.length === 0) begin();
      return output;
    },
    { name: "search", description: "Searches.", schema: { type: "object", properties: {} } },
  );
  const asking = async () => {
    await wait(500);
    return { toolCalls: [{ name: "search", args: {} }] };
  };
  const agent = createAgent({
    model: scriptedModel(outputs.map(() => asking)),
    tools: [search],
    middleware: [timing, middleware],
  });
  await agent.invoke({ messages: "Search." }, { configurable: { thread_id: "bench" } });
}

await lastOf(state === "first" ? [text] : [jsonText(200_000), text]);
console.log(JSON.stringify(figures));
process.exit();
