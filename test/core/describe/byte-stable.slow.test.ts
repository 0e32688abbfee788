import * as fc from "fast-check";
import { expect, it } from "vitest";
import { describeAsAtlatl } from "../../../src/presets/atlatl/atlatl.js";
import { describeArtifact } from "../../../src/core/describe/describe.js";
import { describeAsEnvelope } from "../../../src/presets/vectara/vectara.js";
import { describeAsFileReference } from "../../../src/presets/meta-cc/meta-cc.js";
import { describeAsMessage } from "../../../src/presets/mcpagent/mcpagent.js";
import type { Describer, DescriberInput } from "../../../src/core/describe/describer.js";
import { describeUserMessage } from "../../../src/adapters/langchain/human-messages/human-messages.js";
import { sessionKeyOf } from "../../../src/core/store/naming.js";
import type { StoredArtifact } from "../../../src/core/types/artifact.js";
import { ALL_TOOLS, countTokens, store, type Stored, ULID } from "./fixture.js";
import { SAMPLES } from "./samples.js";

/** Of which a third fits. */
const dear = (input: DescriberInput): DescriberInput => ({
  ...input,
  count: async (text) => 3 * (await input.count(text)),
});

/** Budgets and outputs at which a token more or less decides. */
const DESIGNS: readonly Describer[] = [
  (input) => describeArtifact(input),
  (input) => describeArtifact(input, { maxTokens: 1_100 }),
  ...[560, 480, 400, 320, 240].map(
    (maxTokens): Describer =>
      (input) =>
        describeArtifact(input, { form: "generic", maxTokens }),
  ),
  (input) => describeArtifact(input, { form: "bare", maxTokens: 100 }),
  describeAsAtlatl,
  (input) => describeAsEnvelope(dear(input)),
  (input) => describeAsFileReference(dear(input)),
  describeAsMessage(),
  describeUserMessage,
];
const PICKED = SAMPLES.filter(({ name }) => !/200|numbers/.test(name));
const ALPHABET = Array.from("0123456789ABCDEFGHJKMNPQRSTVWXYZ");
const id = fc
  .array(fc.constantFrom(...ALPHABET), { minLength: 19, maxLength: 19 })
  .map((random) => `01KAM0X${random.join("")}`);

const known = new Map<number, Promise<Stored>>();
const stored = (sample: number): Promise<Stored> => {
  const { make, operation } = PICKED[sample]!;
  const made = known.get(sample) ?? store(make(), { operation });
  known.set(sample, made);
  return made;
};

/** The descriptor in a session, with the same characters in the place of what is the session's own. */
async function described(
  sample: number,
  design: number,
  session: string,
  own: string,
): Promise<string> {
  const { storedArtifact, ...rest } = await stored(sample);
  const sessionKey = sessionKeyOf(session);
  const fileName = storedArtifact.fileName.replace(ULID, own);
  const filePath = `/var/outputs/${sessionKey.slice(0, 32)}/${fileName}`;
  const artifact: StoredArtifact = { ...storedArtifact, id: own, fileName, filePath, sessionKey };
  const text = new TextDecoder().decode(rest.content.body);
  const input = { ...rest, storedArtifact: artifact, tools: ALL_TOOLS, text, count: countTokens };
  const descriptor = await DESIGNS[design]!(input);
  return descriptor.text.replaceAll(own, "<id>").replaceAll(sessionKey.slice(0, 32), "<session>");
}

it(
  "a descriptor has the same bytes in 60 sessions but for the id and the path (C13)",
  { timeout: 180_000 },
  async () => {
    const first = new Map<string, Promise<string>>();
    const sample = fc.nat(PICKED.length - 1);
    const design = fc.nat(DESIGNS.length - 1);
    await fc.assert(
      fc.asyncProperty(sample, design, id, fc.string(), async (which, how, own, session) => {
        const key = `${which}/${how}`;
        const usual = first.get(key) ?? described(which, how, "s", "01K5AAAAAAAAAAAAAAAAAAAAAA");
        first.set(key, usual);
        expect(await described(which, how, session, own)).toBe(await usual);
      }),
      { numRuns: 60 },
    );
  },
);
