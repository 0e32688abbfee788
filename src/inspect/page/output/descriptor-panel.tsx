import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { SEAT_FORMS, SEAT_PRESETS } from "../../../seat/names.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import { type LeftOutput, MAX_DESCRIBED_BYTES, type SeenDescriptor } from "../../wire.js";
import { type Asked, ask, sentenceOf } from "../api.js";
import { bytes, clock, grouped, shown, tokens } from "../format.js";
import { Section, Waiting } from "../parts/note.js";

const AS = [...SEAT_FORMS, ...SEAT_PRESETS] as const;
type Made = (typeof AS)[number];
type As = Made | "seen" | "left";
/** What a choice is called, and the option that makes an agent write so. */
const WORDS: Readonly<Record<As, readonly [word: string, option: string]>> = {
  left: ["what it sees now", ""],
  seen: ["as the model saw it", ""],
  auto: ["default", ""],
  full: ["every field", 'describe: { form: "full" }'],
  generic: ["fields and filters", 'describe: { form: "generic" }'],
  bare: ["one sentence", 'describe: { form: "bare" }'],
  lro: ["LRO", "lro()"],
  atlatl: ["Atlatl", "atlatl()"],
  mcpagent: ["mcpagent", "mcpagent()"],
  vectara: ["Vectara", "vectara()"],
  "meta-cc": ["meta-cc", "metaCc()"],
};
/** Of outputs up to this size all are made at once, so that their sizes can be compared. */
const SMALL_BYTES = 500_000;

/** What the model sees in place of an output, and what it would see if the agent wrote it in another way. */
export function DescriptorPanel(props: {
  readonly artifact: StoredArtifact;
  readonly seen: SeenDescriptor | undefined;
  readonly left: LeftOutput | undefined;
}): VNode {
  const { artifact, seen, left } = props;
  const { id, sizeBytes } = artifact;
  const isLarge = sizeBytes > MAX_DESCRIBED_BYTES;
  const isSeenWhole = left !== undefined && seen === undefined;
  const [as, setAs] = useState<As>(left ? "left" : seen ? "seen" : "auto");
  const [made, setMade] = useState<Readonly<Partial<Record<As, Asked<SeenDescriptor>>>>>({});
  useEffect(() => {
    if (isLarge || isSeenWhole) return undefined;
    const wanted = AS.filter((one) => one === as || sizeBytes <= SMALL_BYTES);
    const controller = new AbortController();
    void (async () => {
      for (const one of wanted) {
        const answer = await descriptor(id, one, controller.signal);
        if (controller.signal.aborted) return;
        setMade((old) => ({ ...old, [one]: answer }));
      }
    })();
    return () => controller.abort();
  }, [id, sizeBytes, isLarge, isSeenWhole, sizeBytes > SMALL_BYTES && as]);
  const all: Readonly<Partial<Record<As, Asked<SeenDescriptor>>>> = seen
    ? { ...made, seen: { value: seen } }
    : made;
  const { value, error } = all[as] ?? {};
  const chips = (group: string, names: readonly As[]): VNode | null =>
    names.length === 0 ? null : (
      <div class="chips" role="group" aria-label={group}>
        <span class="quiet small">{group}</span>
        {names.map((name) => (
          <button
            type="button"
            key={name}
            aria-pressed={name === as}
            title={WORDS[name][1]}
            onClick={() => setAs(name)}
          >
            {WORDS[name][0]}{" "}
            <span class="quiet">{all[name]?.value && grouped(all[name].value.tokens)}</span>
          </button>
        ))}
      </div>
    );
  return (
    <Section
      title="What the model sees in its place"
      about={
        left
          ? leftWords(left, seen !== undefined)
          : "With the tokens of each. Made anew from what is stored, but for what a journal has."
      }
    >
      {chips("In this session", [
        ...(left ? (["left"] as const) : []),
        ...(seen ? (["seen"] as const) : []),
      ])}
      {!isLarge && !isSeenWhole && chips("It could be", SEAT_FORMS)}
      {!isLarge && !isSeenWhole && chips("As other designs write it", SEAT_PRESETS)}
      {isLarge && (
        <p class="note">
          What stands in place of an output is made anew up to {bytes(MAX_DESCRIBED_BYTES)}.
          `langchain-offload describe FILE` makes it of a larger file.
        </p>
      )}
      {as === "left" && left && <LeftLine left={left} />}
      {as !== "left" && value === undefined && !isLarge && <Waiting error={error} />}
      {as !== "left" && value !== undefined && (
        <>
          <p class="quiet small">
            {whatWords(value, as)}: {tokens(value.tokens)} in place of{" "}
            {tokens(artifact.tokens, artifact.tokensExact)}
            {value.cut && "; its beginning"}
          </p>
          <pre tabIndex={0}>{shown(indented(value.text))}</pre>
        </>
      )}
    </Section>
  );
}

function leftWords({ at }: LeftOutput, isDescribed: boolean): string {
  const before = isDescribed ? "the short text in its place" : "the whole output";
  return `Until ${clock(at)} the model saw ${before}. Then it was stale and left the context: since that time one line stands there.`;
}

function LeftLine({ left: { line } }: { readonly left: LeftOutput }): VNode {
  return line === undefined ? (
    <p class="note">The journal has no texts, so the line itself is not known.</p>
  ) : (
    <pre tabIndex={0}>{shown(line)}</pre>
  );
}

async function descriptor(
  id: string,
  as: Made,
  signal: AbortSignal,
): Promise<Asked<SeenDescriptor>> {
  try {
    return {
      value: await ask<SeenDescriptor>(`/api/outputs/${id}/descriptor?as=${as}`, undefined, signal),
    };
  } catch (error) {
    return { error: sentenceOf(error) };
  }
}

function whatWords({ outcome }: SeenDescriptor, as: As): string {
  if (outcome === "inline") return "It would stay in the context whole";
  return as === "seen" ? "The model saw this" : "The model would see this";
}

/** JSON on several lines; the model has it on one. */
function indented(text: string): string {
  if (!text.startsWith("{")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
