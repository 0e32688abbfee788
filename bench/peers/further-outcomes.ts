import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { ToolMessage } from "@langchain/core/messages";

import { memoryCorpus } from "../corpus.js";
import { readWhole } from "./conversation.js";
import { csv, jsonLines, log, oneLineJson, prose, recordsIn } from "./inputs.js";
import { LOG_LINES, numeral, type Outcome, shown, stored, sum, talk, tokensOf } from "./outcome.js";
import type { SideOptions } from "./side.js";

const CALLS_AT_ONCE = 10;
/** Above their limit of 80,000 characters. */
const GROUPED_RECORDS = 4000;

/** What one would ask next; several of these are theirs. */
export function furtherOutcomes(records: number): readonly Outcome[] {
  const text = oneLineJson(records);
  return [
    {
      name: `records that another thread reads of an output, of ${numeral(records)}`,
      unit: "records",
      better: "less",
      measure: async (side, directory) =>
        await talk(side, directory, async (one, two) => {
          const [message] = await one.produce(text);
          const place = side.placeIn(message?.text ?? "");
          return recordsIn(await readWhole(side, two, place)).size;
        }),
    },
    {
      name: "permission bits that let other users of the machine at the file",
      unit: "bits",
      better: "less",
      measure: async (side, directory) =>
        await stored(side, directory, text, () =>
          Math.max(...filesIn(directory).map(({ mode }) => bitsOf(mode & 0o077))),
        ),
    },
    {
      name: `on disk for ${numeral(records)} records in one line of JSON`,
      unit: "bytes",
      better: "less",
      measure: async (side, directory) =>
        await stored(side, directory, text, () => sum(filesIn(directory).map(({ size }) => size))),
    },
    shown(`${numeral(LOG_LINES)} lines of a log`, () => log(LOG_LINES)),
    {
      name: "of that log, lines that the model sees without a call",
      unit: "lines",
      better: "more",
      measure: async (side, directory) =>
        await stored(side, directory, log(LOG_LINES), (seen) => {
          const lines = new Set(log(LOG_LINES).split("\n"));
          const parts = seen.split(/\\n|["\n\t]/);
          return parts.filter((part) => lines.has(part.replace(/^line \d+: /, ""))).length;
        }),
    },
    shown("5,000 rows of CSV", () => csv(5000)),
    shown("500 memories in MIF", () => JSON.stringify(memoryCorpus(500, "medium"))),
    readIt(`a log of ${numeral(LOG_LINES)} lines`, () => log(LOG_LINES), "calls"),
    readIt(`a log of ${numeral(LOG_LINES)} lines`, () => log(LOG_LINES), "tokens"),
    readIt("prose of 5,000 words", () => prose(5000), "calls"),
    readIt("prose of 5,000 words", () => prose(5000), "tokens"),
    {
      name: `a count by group over ${numeral(GROUPED_RECORDS)} records: all that the model must see`,
      unit: "tokens",
      better: "less",
      measure: async (side, directory) =>
        await stored(side, directory, jsonLines(GROUPED_RECORDS), async (seen, place, talking) => {
          const count = side.countByCity(place);
          const answers = count
            ? [await talking.ask(count)]
            : await readWhole(side, talking, place);
          return tokensOf(seen) + sum(answers.map(tokensOf));
        }),
    },
    {
      name: `${CALLS_AT_ONCE} outputs of 70,000 characters in one turn: what the model sees`,
      unit: "tokens",
      better: "less",
      measure: async (side, directory) =>
        await talk(side, directory, async (talking) => {
          const ids = Array.from({ length: CALLS_AT_ONCE }, (_, call) => `call_${call}`);
          const output = (id: string): string =>
            jsonLines(GROUPED_RECORDS).replaceAll("visit", id).slice(0, 70_000);
          const messages = await talking.produce(output, ids);
          return sum(messages.map((message) => tokensOf(message.text)));
        }),
    },
    {
      name: "images beside a large text that stay images in the message, of 1",
      unit: "images",
      better: "more",
      measure: async (side, directory) =>
        await talk(side, directory, async (talking) => {
          const url = "data:image/png;base64,iVBORw0KGgo=";
          const image = { type: "image_url", image_url: { url } };
          const content = [{ type: "text", text: log(LOG_LINES) }, image];
          const [message] = await talking.produce(
            (id: string) => new ToolMessage({ content, tool_call_id: id }),
          );
          return Array.isArray(message?.content)
            ? message.content.filter((block) => block.type === "image_url").length
            : 0;
        }),
    },
    {
      name: "artifacts of the tool's own that stay with its message, of 1",
      unit: "artifacts",
      better: "more",
      measure: async (side, directory) =>
        await talk(side, directory, async (talking) => {
          const artifact = { requestId: "r-17" };
          const content = log(LOG_LINES);
          const [message] = await talking.produce(
            (id: string) => new ToolMessage({ content, tool_call_id: id, artifact }),
          );
          const there: unknown = message?.artifact;
          return JSON.stringify(there ?? null).includes(artifact.requestId) ? 1 : 0;
        }),
    },
    {
      name: "a message of 300,000 characters from the user: what the model sees",
      unit: "tokens",
      better: "less",
      measure: async (side, directory) =>
        await talk(side, directory, async (talking) =>
          tokensOf(await talking.say(log(6000).slice(0, 300_000))),
        ),
    },
    definitions("every tool that comes along", {}),
    definitions("only the tools that read and search", { fewTools: true }),
    checkpoint(records, "in files", {}),
    checkpoint(records, "in each one's default store", { defaultStore: true }),
  ];
}

/** Tokens of everything that the model must see to have the whole text. */
function readIt(name: string, value: () => string, unit: "tokens" | "calls"): Outcome {
  return {
    name: `${unit} to read ${name} from end to end`,
    unit,
    better: "less",
    measure: async (side, directory) =>
      await stored(side, directory, value(), async (seen, place, talking) => {
        const answers = place === "" ? [] : await readWhole(side, talking, place);
        return unit === "calls" ? answers.length : tokensOf(seen) + sum(answers.map(tokensOf));
      }),
  };
}

function definitions(name: string, options: SideOptions): Outcome {
  return {
    name: `tool definitions in every call of the model, ${name}`,
    unit: "tokens",
    better: "less",
    measure: async (side, directory) =>
      await talk(
        side,
        directory,
        async (talking) => tokensOf(JSON.stringify(await talking.toolDefinitions())),
        options,
      ),
  };
}

function checkpoint(records: number, name: string, options: SideOptions): Outcome {
  return {
    name: `newest checkpoint after an output of ${numeral(records)} records, kept ${name}`,
    unit: "bytes",
    better: "less",
    measure: async (side, directory) =>
      await talk(
        side,
        directory,
        async (talking) => {
          await talking.produce(oneLineJson(records));
          return await talking.checkpointBytes();
        },
        { ...options, keep: true },
      ),
  };
}

function filesIn(directory: string): { readonly mode: number; readonly size: number }[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => statSync(join(directory, name)))
    .filter((file) => file.isFile());
}

function bitsOf(mode: number): number {
  return mode.toString(2).replaceAll("0", "").length;
}
