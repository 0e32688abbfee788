import type { Offloader, OffloadOptions } from "../entries.js";
import { sessionKeyOf } from "../entries.js";
import { words } from "../data.js";
import type { Case } from "../pins.js";
import { type Rig, SESSION } from "../rig.js";
import { outputOf, tellOf } from "../offload-case.js";

/** One after another: outputs that are equal or not, time that goes by, and what is done with the store. */
type Step =
  | {
      readonly output: unknown;
      readonly session?: string;
      readonly tool?: string;
      readonly args?: Record<string, unknown>;
      readonly title?: string;
    }
  | { readonly afterMs: number }
  | { readonly act: (offloader: Offloader, ids: readonly string[]) => Promise<unknown> };

interface Row {
  readonly name: string;
  readonly options?: OffloadOptions;
  readonly steps: readonly Step[];
}

const HOUR_MS = 3_600_000;
const text = { output: words(2_000) };
const other = { output: words(2_000, "other") };
const third = { output: words(2_000, "third") };
const read = (index: number): Step => ({
  act: async (offloader, ids) =>
    (
      await offloader.drillIn.run(
        "read",
        { id: ids[index], start_line: 1 },
        { sessionKey: sessionKeyOf(SESSION) },
      )
    ).failed,
});
const sweep: Step = { act: (offloader) => offloader.sweep() };
const stats: Step = {
  act: async (offloader) =>
    await Promise.resolve([offloader.stats(), offloader.stats(SESSION), offloader.stats("none")]),
};

const ROWS: readonly Row[] = [
  {
    name: "an equal output of another tool and session",
    steps: [text, { ...text, tool: "other" }, { ...text, session: "session-2" }],
  },
  {
    name: "an equal output after half its life, and after all of it",
    steps: [text, { afterMs: HOUR_MS / 2 }, text, { afterMs: HOUR_MS }, text],
  },
  {
    name: "an end of life, read, swept and read again",
    steps: [
      text,
      { afterMs: HOUR_MS - 1 },
      read(0),
      sweep,
      { afterMs: 1 },
      read(0),
      sweep,
      read(0),
    ],
  },
  {
    name: "a life that is prolonged by reading",
    options: { retention: { refreshOnRead: true, ttlMs: 1_000 } },
    steps: [
      text,
      { afterMs: 900 },
      read(0),
      { afterMs: 900 },
      read(0),
      { afterMs: 1_000 },
      read(0),
    ],
  },
  {
    name: "a cap of bytes for a store",
    options: { retention: { maxTotalBytes: 17_000 } },
    steps: [text, { ...other, session: "session-2" }, third, read(0)],
  },
  {
    name: "the totals",
    steps: [
      text,
      { output: "small" },
      read(0),
      {
        act: (offloader) =>
          offloader.drillIn.run("read", { id: "none" }, { sessionKey: sessionKeyOf(SESSION) }),
      },
      stats,
    ],
  },
];

async function take(step: Step, offloader: Offloader, rig: Rig, ids: string[]): Promise<unknown> {
  if ("afterMs" in step) {
    rig.nowMs += step.afterMs;
    return `<${step.afterMs} ms later>`;
  }
  if ("act" in step) return await step.act(offloader, ids);
  const { output: value, session = SESSION, tool = "search", ...more } = step;
  const told = await tellOf(
    offloader.offload(outputOf({ ...more, value, sessionId: session, toolName: tool })),
    value,
  );
  const { storedArtifact } = Object(told) as { storedArtifact?: { id: string } };
  if (storedArtifact !== undefined) ids.push(storedArtifact.id);
  return told;
}

export const lifetimes: readonly Case[] = ROWS.map(({ name, options, steps }) => ({
  name,
  run: async (rig) => {
    const offloader = rig.offloader(options);
    const ids: string[] = [];
    const told: unknown[] = [];
    for (const step of steps) told.push(await take(step, offloader, rig, ids));
    await offloader.close();
    return await rig.pinned(told);
  },
}));
