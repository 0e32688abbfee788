import type { VNode } from "preact";

import type { OutputReads, OutputRow } from "../../wire.js";
import { counted, grouped } from "../format.js";
import { Section } from "../parts/note.js";
import { OutputLine } from "./output-list.js";

const MAX_SHOWN = 5;

/** What was stored and never read: the largest first. */
export function Unread(props: {
  readonly outputs: readonly OutputRow[];
  readonly reads: Readonly<Record<string, OutputReads>>;
}): VNode | null {
  const unread = props.outputs
    .filter(({ id, left }) => left !== true && (props.reads[id]?.calls ?? 0) === 0)
    .toSorted((one, other) => other.tokens - one.tokens);
  if (props.outputs.every(({ left }) => left === true)) return null;
  const total = unread.reduce((sum, { tokens }) => sum + tokens, 0);
  const about =
    unread.length === 0
      ? "Every output that is still stored was read at least once."
      : `${counted(unread.length, "output")} with ${grouped(total)} tokens: the model saw their descriptors and asked for nothing more.`;
  return (
    <Section title="Never read" about={about}>
      {unread.slice(0, MAX_SHOWN).map((output) => (
        <div class="row" key={output.id}>
          <OutputLine output={output} reads={null} />
        </div>
      ))}
      {unread.length > MAX_SHOWN && (
        <p class="quiet">{counted(unread.length - MAX_SHOWN, "more such output")} below.</p>
      )}
    </Section>
  );
}
