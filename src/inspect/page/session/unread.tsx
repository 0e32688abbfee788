import type { VNode } from "preact";

import type { Unread } from "../../wire.js";
import { counted, grouped } from "../format.js";
import { Section } from "../parts/note.js";
import { OutputLine } from "./output-line.js";

/** What was stored and never read: the largest first. */
export function UnreadOutputs({ unread }: { readonly unread: Unread }): VNode {
  const { outputs, tokens, largest } = unread;
  const about =
    outputs === 0
      ? "Nothing: the model read of every output that is still stored, or saw it whole."
      : `${counted(outputs, "output")} with ${grouped(tokens)} tokens: the model saw a short text in place of each and asked for nothing more.`;
  return (
    <Section title="Never read" about={about}>
      {largest.map((output) => (
        <OutputLine key={output.id} output={output} />
      ))}
      {outputs > largest.length && (
        <p class="quiet">{counted(outputs - largest.length, "more such output")} below.</p>
      )}
    </Section>
  );
}
