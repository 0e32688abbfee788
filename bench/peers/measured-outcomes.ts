import { readWhole } from "./conversation.js";
import {
  chinese,
  dollarLine,
  dollars,
  jsonLines,
  log,
  longLines,
  oneLineJson,
  recordsIn,
} from "./inputs.js";
import { LOG_LINES, numeral, type Outcome, shown, stored, talk, tokensOf } from "./outcome.js";

const ERROR_LINES = 20;
/** Above their limit of 80,000 characters. */
const MARKED_RECORDS = 4000;

/** The eleven measured cases of the study of peers, as figures, on so many records. */
export function measuredOutcomes(records: number): readonly Outcome[] {
  const text = oneLineJson(records);
  const middle = Math.floor(records * 0.75);
  const searched = `"id":${middle},`;
  return [
    shown(`${numeral(records)} records in one line of JSON`, () => text),
    {
      name: "of these records, those that reading reaches",
      unit: "records",
      better: "more",
      measure: async (side, directory) =>
        await stored(
          side,
          directory,
          text,
          async (_, place, talking) => recordsIn(await readWhole(side, talking, place)).size,
        ),
    },
    {
      name: "the first answer of reading them",
      unit: "tokens",
      better: "less",
      measure: async (side, directory) =>
        await stored(side, directory, text, async (_, place, talking) =>
          tokensOf(await talking.ask(side.read(place))),
        ),
    },
    {
      name: "a search for one of them: those that the answer shows",
      unit: "records",
      better: "more",
      measure: async (side, directory) =>
        await stored(side, directory, text, async (_, place, talking) => {
          const answer = await talking.ask(side.grep(place, searched));
          return recordsIn([answer]).has(middle) ? 1 : 0;
        }),
    },
    {
      name: "the answer of that search",
      unit: "tokens",
      better: "less",
      measure: async (side, directory) =>
        await stored(side, directory, text, async (_, place, talking) =>
          tokensOf(await talking.ask(side.grep(place, searched))),
        ),
    },
    {
      name: `a regular expression over a log: hits shown, of ${ERROR_LINES}`,
      unit: "hits",
      better: "more",
      measure: async (side, directory) =>
        await stored(side, directory, log(LOG_LINES), async (_, place, talking) => {
          const answer = await talking.ask(side.grep(place, String.raw`ERROR .* \d{4} ms`));
          return answer.match(/ERROR request \d+ timed out/g)?.length ?? 0;
        }),
    },
    shown("79,000 Chinese characters", () => chinese(79_000)),
    {
      name: "lines with $$, $& and $' that the preview shows altered",
      unit: "lines",
      better: "less",
      measure: async (side, directory) =>
        await stored(side, directory, dollars(3000), (seen) => {
          const rows = [...seen.matchAll(/row (\d+): cost/g)];
          const whole = rows.filter(([, line]) => seen.includes(dollarLine(Number(line))));
          return rows.length - whole.length;
        }),
    },
    shown("100 lines of 5,000 characters", () => longLines(100, 5000)),
    kept("is full", records, "full"),
    kept("throws", records, "throws"),
    twoOfOneId("equal", "call_1"),
    twoOfOneId("empty", ""),
  ];
}

/** Records that the model still has when storing fails; a run that fails leaves none. */
function kept(name: string, records: number, fault: "full" | "throws"): Outcome {
  return {
    name: `a store that ${name}: records left for the model, of ${numeral(records)}`,
    unit: "records",
    better: "more",
    measure: async (side, directory) => {
      try {
        const count = (seen: string): number => recordsIn([seen]).size;
        return await stored(side, directory, oneLineJson(records), count, { fault });
      } catch {
        return 0;
      }
    },
  };
}

/** Two outputs whose calls have the same id: how many can still be read, by the name that each was given. */
function twoOfOneId(name: string, id: string): Outcome {
  return {
    name: `two outputs whose tool call ids are ${name}: those that are still there`,
    unit: "outputs",
    better: "more",
    measure: async (side, directory) =>
      await talk(side, directory, async (talking) => {
        const places = new Map<string, string>();
        for (const marker of ["first", "second"]) {
          const value = jsonLines(MARKED_RECORDS).replaceAll("visit", marker);
          const [message] = await talking.produce(value, [id]);
          places.set(marker, side.placeIn(message?.text ?? ""));
        }
        let there = 0;
        for (const [marker, place] of places) {
          if ((await talking.ask(side.read(place))).includes(marker)) there += 1;
        }
        return there;
      }),
  };
}
