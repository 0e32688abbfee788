import type { VNode } from "preact";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { BodyLine } from "../wire.js";
import { grouped, indented, shown, shownLine } from "./format.js";
import { List, Section } from "./parts.js";

const MAX_LINE_CHARACTERS = 262_144;

export function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const { id, layout, lineCount } = artifact;
  const isRecords = layout === "records";
  return (
    <Section title="The output">
      <List<BodyLine>
        label="Lines"
        kind="text"
        path={`/api/outputs/${id}/page?`}
        row={({ text, cut = false }, number) => {
          if (!isRecords && lineCount === 1 && !cut)
            return <pre tabIndex={0}>{shown(indented(text))}</pre>;
          const name = <span class="quiet">{grouped(number)}</span>;
          return !isRecords ? (
            <div>
              {name} <span>{shown(cut ? `${text}…` : text, MAX_LINE_CHARACTERS)}</span>
            </div>
          ) : (
            <details>
              <summary class="cut">
                {name} {shownLine(text, 500)}
              </summary>
              {/* A record of an unchanged array ends with the comma before the next one. */}
              <pre>{shown(indented(text.trimEnd().replace(/,$/, "")))}</pre>
            </details>
          );
        }}
      />
    </Section>
  );
}
