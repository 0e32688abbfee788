import type { VNode } from "preact";

import type { StoredArtifact } from "../../../core/types/artifact.js";
import type { LeftOutput, SeenDescriptor } from "../../wire.js";
import { clock, shown, tokens } from "../format.js";
import { Section } from "../parts/note.js";

/** What stands in the model's context in place of an output, as far as a journal has it. */
export function DescriptorPanel(props: {
  readonly artifact: StoredArtifact;
  readonly seen: SeenDescriptor | undefined;
  readonly left: LeftOutput | undefined;
}): VNode | null {
  const { artifact, seen, left } = props;
  if (seen === undefined && left === undefined) return null;
  return (
    <Section
      title="What the model sees in its place"
      about={left ? leftWords(left, seen !== undefined) : ""}
    >
      {left && left.line === undefined && (
        <p class="note">The journal has no texts, so the line itself is not known.</p>
      )}
      {left?.line !== undefined && <pre tabIndex={0}>{shown(left.line)}</pre>}
      {seen && (
        <>
          <p class="quiet small">
            {left ? "Before that" : "The model saw this"}: {tokens(seen.tokens)} in place of{" "}
            {tokens(artifact.tokens, artifact.tokensExact)}
            {seen.cut && "; its beginning"}
          </p>
          <pre tabIndex={0}>{shown(indented(seen.text))}</pre>
        </>
      )}
    </Section>
  );
}

function leftWords({ at }: LeftOutput, isDescribed: boolean): string {
  const before = isDescribed ? "the short text in its place" : "the whole output";
  return `Until ${clock(at)} the model saw ${before}. Then it was stale and left the context: since that time one line stands there.`;
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
