import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { BodyLine, BodyPage } from "../wire.js";
import { useAsked } from "./api.js";
import { grouped, indented, parseExact, shown, shownLine } from "./format.js";
import { Choice, Pager, Section, Waiting } from "./parts.js";

const PAGE_LINES = 100;
const MAX_LINE_CHARACTERS = 262_144;

export function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const names = artifact.layout === "records" ? ["Records", "Lines"] : ["Lines"];
  const [name, setName] = useState(names[0] ?? "");
  return (
    <Section title="The output">
      {names.length > 1 && <Choice label="Show" names={names} chosen={name} onChoose={setName} />}
      <Pages key={name} artifact={artifact} isRecords={name === "Records"} />
    </Section>
  );
}

function Pages(props: { readonly artifact: StoredArtifact; readonly isRecords: boolean }): VNode {
  const { artifact, isRecords } = props;
  const { headerBytes, lineCount, recordCount = 0 } = artifact;
  const firstLine = isRecords && headerBytes > 0 ? 2 : 1;
  const total = isRecords ? recordCount : lineCount;
  const [from, setFrom] = useState(0);
  const count = Math.max(1, Math.min(PAGE_LINES, total - from));
  const path = `/api/outputs/${artifact.id}/page?line=${firstLine + from}&limit=${count}`;
  const asked = useAsked<BodyPage>(path);
  const page = asked.value;
  if (page === undefined) return <Waiting {...asked} />;
  const document = artifact.lineCount === 1 ? documentOf(page) : undefined;
  const first = page.firstLine - firstLine;
  return (
    <>
      <Waiting {...asked} />
      <Pager
        unit={isRecords ? "record" : "line"}
        total={total}
        from={first}
        shown={page.lines.length}
        size={PAGE_LINES}
        isWaiting={asked.isWaiting}
        onGo={setFrom}
      />
      {document === undefined ? (
        <div class="text" tabIndex={0} role="region" aria-label="Lines">
          {page.lines.map((line, index) => (
            <Line key={first + index} line={line} number={first + index + 1} isRecord={isRecords} />
          ))}
        </div>
      ) : (
        <pre tabIndex={0}>{shown(indented(document))}</pre>
      )}
    </>
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
        <pre>{shown(indented(recordIn(line)))}</pre>
      </details>
    );
  }
  return (
    <div>
      {name} <span>{shown(line.cut ? `${line.text}…` : line.text, MAX_LINE_CHARACTERS)}</span>
    </div>
  );
}

function recordIn({ text }: BodyLine): unknown {
  // A record of an unchanged array ends with the comma before the next one.
  return parseExact(text.trimEnd().replace(/,$/, "")) ?? text;
}

/** A JSON document on one line; `undefined` for others and incomplete ones. */
function documentOf({ lines: [line] }: BodyPage): unknown {
  return line === undefined || line.cut ? undefined : parseExact(line.text);
}
