import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { BodyLine, BodyPage } from "../wire.js";
import { useAsked } from "./api.js";
import { bytes, counted, grouped, indented, parseExact, shown, shownLine } from "./format.js";
import { Choice, Pager, Section, Waiting } from "./parts.js";

const PAGE_LINES = 100;

/** A part of a body that is looked at by itself: lines that follow each other. */
interface BodyPart {
  readonly name: string;
  /** Number of its first line in the body, from 1. */
  readonly firstLine: number;
  readonly lines: number;
  /** Each line is a record. */
  readonly isRecords: boolean;
}

/** What is in an output, a page of lines or records at a time. */
export function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const parts = partsOf(artifact);
  const names = parts.map(({ name }) => name);
  const [name, setName] = useState(names[0] ?? "");
  const part = parts.find((one) => one.name === name);
  return (
    <Section title="The output">
      {names.length > 1 && <Choice label="Show" names={names} chosen={name} onChoose={setName} />}
      {part && <Pages key={name} artifact={artifact} part={part} />}
    </Section>
  );
}

/** The records, those of each set, and all of it as lines. */
function partsOf(artifact: StoredArtifact): readonly BodyPart[] {
  const { layout, headerBytes, lineCount, recordCount = 0, sets = [] } = artifact;
  const all = { name: "Lines", firstLine: 1, lines: lineCount, isRecords: false };
  const isList = layout === "records" || (layout === "rows" && recordCount === lineCount - 1);
  if (isList) {
    const firstLine = headerBytes > 0 || layout === "rows" ? 2 : 1;
    return [{ name: "Records", firstLine, lines: recordCount, isRecords: true }, all];
  }
  const inSets = sets.map(({ path, count, lines }): BodyPart => ({
    name: `${shownLine(path.join("."), 80)}: ${counted(count, "record")}`,
    firstLine: lines?.firstLine ?? 0,
    lines: count,
    isRecords: true,
  }));
  return [...inSets.filter(({ firstLine }) => firstLine > 0), all];
}

function Pages(props: { readonly artifact: StoredArtifact; readonly part: BodyPart }): VNode {
  const { artifact, part } = props;
  const { firstLine, lines: total, isRecords } = part;
  /** Where the page begins: at a line of the part, from 0, or at a byte within it. */
  const [{ from, at }, setPlace] = useState<{ readonly from: number; readonly at?: number }>({
    from: 0,
  });
  const place = at === undefined ? `line=${firstLine + from}` : `byte=${at}`;
  const count = Math.max(1, Math.min(PAGE_LINES, total - from));
  const asked = useAsked<BodyPage>(`/api/outputs/${artifact.id}/page?${place}&limit=${count}`);
  const page = asked.value;
  if (page === undefined) return <Waiting {...asked} />;
  const document = artifact.lineCount === 1 ? documentOf(page) : undefined;
  const unit = isRecords ? "record" : "line";
  const begun = page.lines.filter(({ continued }) => !continued).length;
  const isWithin = page.lines[0]?.continued === true;
  const number = page.firstLine - firstLine + 1;
  const last = page.lines.at(-1);
  const shownLast = number + begun - (isWithin ? 0 : 1);
  const next = last?.cut
    ? { from: shownLast - 1, at: last.at + last.sizeBytes }
    : { from: shownLast };
  const start = bytes(page.lines[0]?.at ?? 0);
  return (
    <>
      <Waiting {...asked} />
      <Pager
        total={total}
        from={number - 1}
        size={PAGE_LINES}
        isWithin={isWithin}
        where={
          asked.isWaiting
            ? "Reading…"
            : `${unit}s ${grouped(number)} to ${grouped(shownLast)} of ${grouped(total)}; from ${start} of ${bytes(artifact.sizeBytes)}`
        }
        onGo={(to) => setPlace({ from: to })}
        onNext={last?.cut || next.from < total ? () => setPlace(next) : undefined}
      />
      {document === undefined ? (
        <Lines page={page} number={number} isRecords={isRecords} />
      ) : (
        <pre tabIndex={0}>{shown(indented(document))}</pre>
      )}
    </>
  );
}

/** Lines as they are stored; a record opens to its fields. */
function Lines(props: {
  readonly page: BodyPage;
  readonly number: number;
  readonly isRecords: boolean;
}): VNode {
  const { page, number, isRecords } = props;
  let line = number - 1;
  return (
    <div class="text" tabIndex={0} role="region" aria-label="Lines">
      {page.lines.map((one, index) => {
        const { at, text, continued } = one;
        if (index === 0 || !continued) line += 1;
        const name = <span class="quiet">{continued ? "…" : grouped(line)}</span>;
        return isRecords ? (
          <details key={at}>
            <summary class="cut">
              {name} {shownLine(text, 500)}
            </summary>
            <pre>{shown(indented(valueOf(one, page.columns)))}</pre>
          </details>
        ) : (
          <div key={at}>
            {name} <span>{shown(text)}</span>
          </div>
        );
      })}
    </div>
  );
}

/** What a line is as a record; its text where it is no whole one. */
function valueOf({ text, cells }: BodyLine, columns: readonly string[] = []): unknown {
  // A record of an array that was kept as it came ends with the comma before the next one.
  if (cells === undefined) return parseExact(text.trimEnd().replace(/,$/, "")) ?? text;
  return Object.fromEntries(cells.map((cell, at) => [columns[at] ?? `column ${at + 1}`, cell]));
}

/** A JSON document on one line; `undefined` for any other one, and where the page has not all of it. */
function documentOf({ lines, next }: BodyPage): unknown {
  if (next !== undefined || lines[0]?.at !== 0) return undefined;
  return parseExact(lines.map(({ text }) => text).join(""));
}
