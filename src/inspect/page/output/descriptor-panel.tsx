import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { SEAT_FORMS, SEAT_PRESETS } from "../../../seat/names.js";
import type { StoredArtifact } from "../../../types/artifact.js";
import type { SeenDescriptor } from "../../wire.js";
import { type Asked, ask, sentenceOf } from "../api.js";
import { bytes, grouped, shown, tokens } from "../format.js";
import { Section, Waiting } from "../parts/note.js";

const AS = [...SEAT_FORMS, ...SEAT_PRESETS] as const;
type As = (typeof AS)[number] | "seen";
const WORDS: Readonly<Partial<Record<As, string>>> = {
  seen: "as the model saw it",
  auto: "default",
};
/** Of outputs up to this size all are made at once, so that their sizes can be compared. */
const SMALL_BYTES = 500_000;
/** Of larger ones none is made: the whole would be held in memory for it. */
const MAX_BYTES = 33_554_432;

/** What stands in the context in place of an output, in every form and preset. */
export function DescriptorPanel(props: {
  readonly artifact: StoredArtifact;
  readonly seen: SeenDescriptor | undefined;
}): VNode {
  const { artifact, seen } = props;
  const { id, sizeBytes } = artifact;
  const [as, setAs] = useState<As>(seen ? "seen" : "auto");
  const [made, setMade] = useState<Readonly<Partial<Record<As, Asked<SeenDescriptor>>>>>({});
  useEffect(() => {
    if (sizeBytes > MAX_BYTES) return undefined;
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
  }, [id, sizeBytes, sizeBytes > SMALL_BYTES && as]);
  const all: Readonly<Partial<Record<As, Asked<SeenDescriptor>>>> = seen
    ? { ...made, seen: { value: seen } }
    : made;
  const { value, error } = all[as] ?? {};
  const isLarge = sizeBytes > MAX_BYTES;
  const names: readonly As[] = [...(seen ? (["seen"] as const) : []), ...(isLarge ? [] : AS)];
  return (
    <Section
      title="In its place"
      about="What stands in the model's context, by form and preset; made anew from what is stored."
    >
      <div class="chips" role="group" aria-label="Form or preset">
        {names.map((name) => (
          <button type="button" key={name} aria-pressed={name === as} onClick={() => setAs(name)}>
            {WORDS[name] ?? name}{" "}
            <span class="quiet">{all[name]?.value && grouped(all[name].value.tokens)}</span>
          </button>
        ))}
      </div>
      {isLarge && (
        <p class="note">
          Descriptors are made anew of outputs of up to {bytes(MAX_BYTES)}. `langchain-offload
          describe FILE` makes them of a larger file.
        </p>
      )}
      {value === undefined ? (
        !isLarge && <Waiting error={error} />
      ) : (
        <>
          <p class="quiet small">
            {outcomeWords(value)}: {tokens(value.tokens)} in place of{" "}
            {tokens(artifact.tokens, artifact.tokensExact)}
            {value.cut && "; its beginning"}
          </p>
          <pre tabIndex={0}>{shown(indented(value.text))}</pre>
        </>
      )}
    </Section>
  );
}

async function descriptor(id: string, as: As, signal: AbortSignal): Promise<Asked<SeenDescriptor>> {
  try {
    return {
      value: await ask<SeenDescriptor>(`/api/outputs/${id}/descriptor?as=${as}`, undefined, signal),
    };
  } catch (error) {
    return { error: sentenceOf(error) };
  }
}

function outcomeWords({ outcome, form }: SeenDescriptor): string {
  if (outcome === "inline") return "This preset leaves it in the context";
  return form === undefined ? outcome : `Form ${form}`;
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
