import { dirname } from "node:path";

import pLimit from "p-limit";

import { createMeasure } from "../../measure/measure.js";
import { openSeat, type SeenOutput } from "../../seat/seat.js";
import { SEAT_FORMS, SEAT_PRESETS } from "../../seat/names.js";
import { seatOptions } from "../../seat/seat-options.js";
import { shorten } from "../../util/safe-text.js";
import { keepLatest } from "../../util/keep-latest.js";
import { HttpFault } from "../server/http-fault.js";
import type { StoredArtifact } from "../../types/artifact.js";
import type { SeenDescriptor } from "../wire.js";
import type { Catalogue } from "./catalogue.js";
import { originalText } from "./original-text.js";

/** Longest text that is shown: an output that a preset leaves as it is stands here whole. */
const MAX_SHOWN_CHARACTERS = 100_000;
const MAX_KEPT = 200;

/** What a descriptor is wanted as: a preset, or a form of the library's own. */
export type DescribeAs = (typeof SEAT_PRESETS)[number] | (typeof SEAT_FORMS)[number];

/** @throws {@link HttpFault} for a name that is none. */
export function describeAsOf(name: string | null): DescribeAs {
  const names = [...SEAT_FORMS, ...SEAT_PRESETS];
  const found = names.find((one) => one === name);
  if (found !== undefined) return found;
  throw new HttpFault(400, `There is no such form or preset; there are ${names.join(", ")}.`);
}

/**
 * Makes descriptors of stored outputs anew, as the walk makes them: each in a directory of its own that is removed. One at
 * a time; those made last are kept.
 */
export function createDescriptors(
  catalogue: Catalogue,
  env: Readonly<Record<string, string | undefined>>,
  now: () => number,
): (id: string, as: DescribeAs) => Promise<SeenDescriptor> {
  const measure = createMeasure();
  const made = new Map<string, SeenDescriptor>();
  const one = pLimit(1);

  async function make(id: string, as: DescribeAs): Promise<SeenDescriptor> {
    const artifact = await catalogue.find(id);
    if (artifact.sealed !== undefined) throw new HttpFault(400, "This output is encrypted.");
    const text = await originalText(artifact, catalogue.storeOf(artifact));
    const preset = SEAT_PRESETS.find((name) => name === as);
    const form = SEAT_FORMS.find((name) => name === as);
    let made = "";
    const seat = await openSeat([{ toolName: artifact.toolName, text }], (directory) => {
      made = directory;
      return seatOptions({ directory, preset, form, env, now });
    });
    try {
      const [output] = seat.outputs;
      if (output === undefined) throw new Error("The seat has no output.");
      const own = inOwnPlace(output, made, artifact);
      const isCut = own.length > MAX_SHOWN_CHARACTERS;
      return {
        text: shorten(own, MAX_SHOWN_CHARACTERS),
        tokens: (await measure.count(own)).tokens,
        outcome: output.outcome,
        ...(output.form !== undefined && { form: output.form }),
        ...(isCut && { cut: true as const }),
      };
    } finally {
      await seat.close();
    }
  }

  return async (id, as) => {
    const key = `${id} ${as}`;
    const descriptor = made.get(key) ?? (await one(() => make(id, as)));
    keepLatest(made, key, descriptor, MAX_KEPT);
    return descriptor;
  };
}

/** With the directory and the id of what is stored, in place of those that the text was made with. */
function inOwnPlace(
  { text, id }: SeenOutput,
  madeIn: string,
  { id: ownId, filePath }: StoredArtifact,
): string {
  const own = filePath === undefined ? "" : dirname(filePath);
  // On Windows a path stands in JSON with other characters.
  const moved = text.replaceAll(inJson(madeIn), () => inJson(own)).replaceAll(madeIn, () => own);
  return id === undefined ? moved : moved.replaceAll(id, () => ownId);
}

function inJson(path: string): string {
  return JSON.stringify(path).slice(1, -1);
}
