import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { StoredArtifact } from "../../../core/types/artifact.js";
import type { BodyPage } from "../../wire.js";
import { useAsked, useKept } from "../api.js";
import { bytes, grouped, shown } from "../format.js";
import { Section, Waiting } from "../parts/note.js";
import { PageButtons } from "../parts/pages.js";
import { Tabs } from "../parts/tabs.js";
import { type BodyPart, partsOf } from "./parts-of-body.js";
import { cellsOf, recordsOf } from "./records.js";
import { TableView } from "./table-view.js";
import { TreeView } from "./tree.js";

const PAGE_LINES = 100;
const MAX_LINES = 1000;

type View = "Table" | "Tree" | "Text";

/** What is in an output, a page at a time. */
export function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const parts = partsOf(artifact);
  const hasRecords = parts.some(({ isRecords }) => isRecords);
  const [place, setPlace] = useState(hasRecords ? 0 : parts.length - 1);
  const part = parts[place] ?? parts[0];
  const names: readonly View[] = part?.isRecords
    ? ["Table", "Tree", "Text"]
    : part?.isDocument
      ? ["Tree", "Text"]
      : ["Text"];
  const [view, setView] = useState<View>(names[0] ?? "Text");
  const chosen = names.includes(view) ? view : (names[0] ?? "Text");
  return (
    <Section title="The output">
      {parts.length > 1 && (
        <label class="field">
          <span>Part</span>
          <select
            value={place}
            onChange={({ currentTarget }) => setPlace(Number(currentTarget.value))}
          >
            {parts.map(({ name }, index) => (
              <option key={name} value={index}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {names.length > 1 && (
        <Tabs label="Show as" names={names} chosen={chosen} onChoose={setView} />
      )}
      {part && (
        <Pages
          key={`${place} ${chosen === "Text"}`}
          artifact={artifact}
          part={part}
          view={chosen}
        />
      )}
    </Section>
  );
}

/** Where a page begins, as the server takes it, and the page that it was reached from by going on. */
interface Place {
  readonly query: string;
  readonly before?: Place;
}

function Pages(props: {
  readonly artifact: StoredArtifact;
  readonly part: BodyPart;
  readonly view: View;
}): VNode {
  const { artifact, part, view } = props;
  const isWhole = view === "Tree" && part.isDocument;
  const first = part.hasHead ? "line=2" : `at=${part.start}`;
  const [place, setPlace] = useState<Place>({ query: first });
  const count = isWhole ? MAX_LINES : PAGE_LINES;
  const asked = `/api/outputs/${artifact.id}/page`;
  const answer = useKept<BodyPage>(`${asked}?${place.query}&count=${count}&until=${part.end}`);
  const head = useAsked<BodyPage>(part.hasHead && `${asked}?count=1`);
  const columns = columnsOf(artifact, head.value?.lines[0]?.text);
  if (answer.value === undefined || answer.error !== undefined)
    return <Waiting error={answer.error} />;
  const page = part.hasHead ? withoutHead(answer.value) : answer.value;
  const records = view === "Text" || isWhole ? [] : recordsOf(artifact, page.lines, columns);
  const { firstLine, next } = page;
  const goTo = (line: number): void => {
    const end = part.firstLine + Math.max(1, part.lines) - 1;
    setPlace({ query: `line=${Math.min(Math.max(part.firstLine, line), end)}` });
  };
  const isFirst = firstLine <= part.firstLine && page.lines[0]?.continued !== true;
  const lastPage = part.firstLine + part.lines - count;
  return (
    <>
      {(!isFirst || next !== undefined) && (
        <div class="buttons">
          <PageButtons
            first={isFirst ? undefined : () => setPlace({ query: first })}
            previous={
              isFirst
                ? undefined
                : () => (place.before ? setPlace(place.before) : goTo(firstLine - count))
            }
            next={
              next === undefined
                ? undefined
                : () => setPlace({ query: `at=${next}`, before: place })
            }
            last={next === undefined || lastPage <= firstLine ? undefined : () => goTo(lastPage)}
          />
          <GoTo part={part} onGo={(number) => goTo(number + part.firstLine - 1)} />
        </div>
      )}
      <p class="quiet small" role="status">
        {answer.isWaiting ? "Reading…" : whereWords(page, part)}
      </p>
      {view === "Text" && <TextView page={page} number={firstLine - part.firstLine + 1} />}
      {view === "Table" && (
        <TableView
          records={records}
          fields={columns.length > 0 ? columns : artifact.fields}
          number={firstLine - part.firstLine + 1}
        />
      )}
      {view === "Tree" && (
        <TreeView
          records={records}
          page={isWhole ? page : undefined}
          number={firstLine - part.firstLine + 1}
        />
      )}
    </>
  );
}

/** Lines as they are stored. */
function TextView({ page, number }: { readonly page: BodyPage; readonly number: number }): VNode {
  let line = number;
  return (
    <div class="text" tabIndex={0} role="region" aria-label="Text">
      {page.lines.map(({ at, text, cut, continued }, index) => {
        if (index > 0 && !continued) line += 1;
        return (
          <div class="code-line" key={at}>
            <span class="line-number">{continued ? "…" : grouped(line)}</span>
            <span class={cut ? "part" : ""}>{shown(text)}</span>
          </div>
        );
      })}
    </div>
  );
}

/** Asks for a line or a record by its number. */
function GoTo(props: { readonly part: BodyPart; readonly onGo: (number: number) => void }): VNode {
  const { part, onGo } = props;
  const [wanted, setWanted] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onGo(Math.floor(Number(wanted)) || 1);
      }}
    >
      <label>
        <span class="hidden">Go to {part.unit}</span>
        <input
          type="number"
          min={1}
          max={part.lines}
          value={wanted}
          placeholder={`${part.unit} number`}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
      </label>
      <button type="submit">Go</button>
    </form>
  );
}

function whereWords({ lines, firstLine }: BodyPage, part: BodyPart): string {
  const { unit, start, end } = part;
  const number = firstLine - part.firstLine + 1;
  const count = lines.filter(({ continued }) => !continued).length;
  const last = grouped(number + Math.max(0, count - 1));
  const from = bytes((lines[0]?.at ?? start) - start);
  return `${unit}s ${grouped(number)} to ${last} of ${grouped(part.lines)}; from ${from} of ${bytes(end - start)}`;
}

/** The line with the names of the columns may stand before the first records. */
function withoutHead(page: BodyPage): BodyPage {
  if (page.lines[0]?.at !== 0) return page;
  return { ...page, lines: page.lines.slice(1), firstLine: 2 };
}

function columnsOf(
  { kind, literalQuotes }: StoredArtifact,
  head: string | undefined,
): readonly string[] {
  return head === undefined
    ? []
    : cellsOf(head, kind === "tsv" ? "\t" : ",", literalQuotes !== true);
}
