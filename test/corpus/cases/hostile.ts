import { HOSTILE_VALUES } from "../../hostile-values.js";
import { words } from "../data.js";
import type { ToolOutput } from "../entries.js";
import type { Case } from "../pins.js";
import { offload, offloadAll, outputOf, tellOf } from "../walk.js";

/** Each value by itself, in a list, beside a large text, as an artifact and as the whole output. */
export const hostile: readonly Case[] = HOSTILE_VALUES.map(([name, make]) => ({
  name,
  run: async (rig) => {
    const offloader = rig.offloader({ decide: { threshold: { tokens: 100 } } });
    const values = [make(), [make()], { large: words(200), value: make() }, [words(200), make()]];
    const told = {
      inEachPlace: await offload(
        offloader,
        values.map((value) => ({ value })),
        rig,
      ),
      asArtifact: await tellOf(offloader.offload(outputOf({ value: "x", artifact: make() }))),
      asOutput: [
        await tellOf(offloader.offload(make() as ToolOutput)),
        await offloadAll(offloader, [{ value: make() }], rig),
      ],
    };
    await offloader.close();
    return await rig.pinned(told);
  },
}));
