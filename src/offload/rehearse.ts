import { whenIdle } from "../drill-in/engine/when-idle.js";
import { memoryStore } from "../store/memory.js";
import { createOffloader, type Offloader } from "./create-offloader.js";

/** Of one output after the other; how long a step holds the event loop grows with them. */
const CHARACTERS = [8_000, 30_000];

let isBegun = false;

/**
 * Walks two outputs of nobody's when this thread has time, once in a process. At the first output of a process V8
 * compiles all that outputs pass, and the tokenizer is read, which takes longer than the walk: better while a model
 * answers or a tool works than while a call waits for it. Nothing is told of them, and nothing is left of them.
 */
export function rehearse({ options }: Offloader): void {
  if (isBegun || !options.enabled) return;
  isBegun = true;
  const { tokenizer } = options.measure;
  // A function is the user's, and perhaps a paid one.
  const measure = { tokenizer: typeof tokenizer === "function" ? "characters" : tokenizer };
  const walkOne = async (characters: number): Promise<void> => {
    const offloader = createOffloader({ store: memoryStore(), measure, onEvent: () => {} });
    const value = recordsOf(characters);
    await offloader.offload({ toolName: "rehearsal", value, sessionId: "rehearsal" });
    // Before its engines would start.
    await offloader.close();
  };
  whenIdle(CHARACTERS.map((characters) => () => void walkOne(characters).catch(() => {})));
}

/** Records with what most have: numbers, texts, times, lists and what is missing. */
function recordsOf(characters: number): string {
  const records: string[] = [];
  for (let length = 0, id = 0; length < characters; id += 1) {
    const record = JSON.stringify({
      id,
      name: `record ${id}`,
      at: new Date(id * 1e9).toISOString(),
      score: id / 7,
      isOpen: id % 2 === 0,
      tags: ["one", "two"].slice(id % 3),
      owner: id % 5 === 0 ? null : { team: `team ${id % 4}` },
      note: 'Some "words" of a record. '.repeat(1 + (id % 5)),
    });
    records.push(record);
    length += record.length;
  }
  return `{"records":[${records.join(",")}]}`;
}
