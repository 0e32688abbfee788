import { HOSTILE_VALUES } from "../../hostile-values.js";
import { words } from "../data.js";
import type { Case } from "../pins.js";
import { outputOf } from "../offload-case.js";

/** Each value by itself, in a list, beside a large text and as an artifact: what becomes of it, and what is told. */
export const hostile: readonly Case[] = [
  {
    name: "every hostile value, in four places",
    run: async (rig) => {
      const told: Record<string, unknown> = {};
      for (const [name, make] of HOSTILE_VALUES) {
        const offloader = rig.offloader({ threshold: { tokens: 100 } });
        rig.events.length = 0;
        const outcomes: string[] = [];
        for (const given of [
          { value: make() },
          { value: [make()] },
          { value: { large: words(200), value: make() } },
          { value: "x", artifact: make() },
        ]) {
          outcomes.push((await offloader.offload(outputOf(given))).outcome);
        }
        const events = rig.events.map(({ type }) => type);
        told[name] = `${outcomes.join()}; ${events.join()}`.replaceAll(" ", "");
        await offloader.close();
      }
      return told;
    },
  },
];
