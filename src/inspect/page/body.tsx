import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { BodyLine, BodyPage } from "../wire.js";
import { useAsked } from "./api.js";
import { grouped, indented, shown, shownLine } from "./format.js";
import { Pager, Section, Waiting } from "./parts.js";

const PAGE_LINES = 100;
const MAX_LINE_CHARACTERS = 262_144;

export function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const { layout, headerBytes, lineCount, recordCount = 0 } = artifact;
  const isRecords = layout === "records";
  const firstLine = isRecords && headerBytes > 0 ? 2 : 1;
  const total = isRecords ? recordCount : lineCount;
  const [from, setFrom] = useState(0);
  const count = Math.max(1, Math.min(PAGE_LINES, total - from));
  const path = `/api/outputs/${artifact.id}/page?line=${firstLine + from}&limit=${count}`;
  const asked = useAsked<BodyPage>(path);
  const { lines = [], firstLine: shownFrom = firstLine } = asked.value ?? {};
  const [line] = lines;
  const document = lineCount === 1 && line?.cut !== true ? line?.text : undefined;
  const first = shownFrom - firstLine;
  return (
    <Section title="The output">
      <Waiting {...asked} />
      {asked.value && (
        <>
          <Pager
            unit={isRecords ? "record" : "line"}
            total={total}
            from={first}
            shown={lines.length}
            size={PAGE_LINES}
            isWaiting={asked.isWaiting}
            onGo={setFrom}
          />
          {document === undefined ? (
            <div class="text" tabIndex={0} role="region" aria-label="Lines">
              {lines.map((line, index) => (
                <Line
                  key={first + index}
                  line={line}
                  number={first + index + 1}
                  isRecord={isRecords}
                />
              ))}
            </div>
          ) : (
            <pre tabIndex={0}>{shown(indented(document))}</pre>
          )}
        </>
      )}
    </Section>
  );
}

function Line(props: {
  readonly line: BodyLine;
  readonly number: number;
  readonly isRecord: boolean;
}): VNode {
  const { line, number, isRecord } = props;
  const name = <span class="quiet">{grouped(number)}</span>;
  if (isRecord) {
    return (
      <details>
        <summary class="cut">
          {name} {shownLine(line.text, 500)}
        </summary>
        {/* A record of an unchanged array ends with the comma before the next one. */}
        <pre>{shown(indented(line.text.trimEnd().replace(/,$/, "")))}</pre>
      </details>
    );
  }
  return (
    <div>
      {name} <span>{shown(line.cut ? `${line.text}…` : line.text, MAX_LINE_CHARACTERS)}</span>
    </div>
  );
}
