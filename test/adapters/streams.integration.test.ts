import { Readable } from "node:stream";

import { describe, expect, it } from "vitest";

import { memoryStore, type OffloadEvent } from "../../src/index.js";
import { SURFACES } from "../corpus/surfaces.js";
import { artifactsOf, countRome, question, rows, toolMessages } from "./large-outputs.js";
import { agentOf, calling, thread, toolNamed } from "./agents.js";
import { sharedOffloader } from "../opened-offloaders.js";

const events: OffloadEvent[] = [];
const offloader = sharedOffloader({ onEvent: (event) => events.push(event) });

const callOnce = calling("list_rows");
const isDescriptor = /^\{"offloaded":true/;

/** A tool that returns what `make` gives. */
const streamTool = (make: () => unknown) => toolNamed("list_rows", async () => make());

async function* slowly<Part>(parts: Iterable<Part>): AsyncGenerator<Part, void> {
  for (const part of parts) yield part;
}

/** An async iterable that is no generator: what a generator yields are events to LangChain. */
const iterable = <Part>(parts: Iterable<Part>): AsyncIterable<Part> => ({
  [Symbol.asyncIterator]: () => slowly(parts),
});

const json = JSON.stringify(rows);
const halves = [json.slice(0, 9_000), json.slice(9_000)];

let threads = 0;
const nextThread = (): string => `stream-${(threads += 1)}`;

describe.each(Object.entries(SURFACES))("%s", (_name, surface) => {
  const runOf = (given: ReturnType<typeof streamTool>) => {
    const { invoke } = surface(offloader, [given], [callOnce, (messages) => countRome(messages)]);
    return (thread_id: string) => invoke(question, thread(thread_id));
  };

  it.each<[string, () => unknown]>([
    ["records", () => iterable(rows)],
    ["text", () => iterable(halves)],
    ["bytes of a web stream", () => new Blob([json]).stream()],
    ["a Node stream of text", () => Readable.from(halves)],
    ["a Node stream of records", () => Readable.from(rows)],
  ])("offloads %s once, as the value would be", async (_kind, make) => {
    events.length = 0;
    const { messages } = await runOf(streamTool(make))(nextThread());
    const [first, second] = toolMessages(messages);
    expect(first?.text).toMatch(isDescriptor);
    expect(artifactsOf(messages)).toMatchObject([{ recordCount: rows.length, kind: "json-array" }]);
    expect(second?.text).toContain("400");
    expect(events.filter(({ type }) => type === "offloaded")).toHaveLength(1);
  });

  it("leaves a short stream inline: text joined, records as a JSON array", async () => {
    const text = await runOf(streamTool(() => iterable(["one ", "two"])))(nextThread());
    expect(toolMessages(text.messages)[0]?.text).toBe("one two");
    const records = await runOf(streamTool(() => iterable([{ type: "a" }, 2, null])))(nextThread());
    expect(toolMessages(records.messages)[0]?.text).toBe('[{"type":"a"},2,null]');
    const empty = await runOf(streamTool(() => iterable([])))(nextThread());
    expect(toolMessages(empty.messages)[0]?.text).toBe("");
  });
});

it("a run that is aborted ends a stream that never comes to an end, and tells its maker", async () => {
  let closed = false;
  async function* endless() {
    try {
      for (;;) yield "and so on ";
    } finally {
      closed = true;
    }
  }
  const agent = agentOf(
    [callOnce, "Done."],
    [streamTool(() => ({ [Symbol.asyncIterator]: endless }))],
    { offloader },
  );
  const run = agent.invoke(question, { signal: AbortSignal.timeout(300) });
  await expect(run).rejects.toThrow(/abort|timeout/i);
  await expect.poll(() => closed).toBe(true);
});

it("a tool that is not offloaded keeps its stream for itself", async () => {
  const stream = Readable.from(rows);
  const agent = agentOf([callOnce, "Done."], [streamTool(() => stream)], {
    store: memoryStore(),
    exclude: ["list_rows"],
  });
  await agent.invoke(question);
  expect(stream.readableDidRead).toBe(false);
});
