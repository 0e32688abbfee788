import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { StoredArtifact } from "../../../types/artifact.js";
import type { BodyPage } from "../../wire.js";
import { useAsked } from "../api.js";
import { Section, Waiting } from "../parts/note.js";
import { Tabs } from "../parts/tabs.js";
import { ChartView } from "./chart-view.js";
import { Pager } from "./pager.js";
import { type BodyPart, partsOf } from "./parts-of-body.js";
import { cellsOf, recordsOf } from "./records.js";
import { TableView } from "./table-view.js";
import { TextView } from "./text-view.js";
import { TreeView } from "./tree-view.js";

const PAGE_LINES = 100;
const MAX_LINES = 1000;
/** How often numbers are asked for while lines are being counted. */
const COUNTING_MS = 1000;

type View = "Table" | "Tree" | "Text" | "Chart";

/** What is in an output, a page at a time. */
export function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const parts = partsOf(artifact);
  const hasRecords = parts.some(({ isRecords }) => isRecords);
  const [place, setPlace] = useState(hasRecords ? 0 : parts.length - 1);
  const part = parts[place] ?? parts[0];
  const names: readonly View[] = part?.isRecords
    ? ["Table", "Tree", "Text", "Chart"]
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
      {part && chosen === "Chart" && <ChartView key={place} artifact={artifact} part={part} />}
      {part && chosen !== "Chart" && (
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

function Pages(props: {
  readonly artifact: StoredArtifact;
  readonly part: BodyPart;
  readonly view: Exclude<View, "Chart">;
}): VNode {
  const { artifact, part, view } = props;
  const isWhole = view === "Tree" && part.isDocument;
  const [query, setQuery] = useState(firstQuery(part));
  const count = isWhole ? MAX_LINES : PAGE_LINES;
  const asked = `/api/outputs/${artifact.id}/page?${query}&count=${count}&until=${part.end}`;
  const [tries, setTries] = useState(0);
  const answer = useAsked<BodyPage>(asked, tries);
  const isCounting = answer.value !== undefined && answer.value.firstLine === undefined;
  useEffect(() => {
    const timer = isCounting && setTimeout(() => setTries((count) => count + 1), COUNTING_MS);
    return () => timer && clearTimeout(timer);
  }, [isCounting, tries]);
  const head = useAsked<BodyPage>(part.hasHead && `/api/outputs/${artifact.id}/page?at=0&count=1`);
  const columns = columnsOf(artifact, head.value?.lines[0]?.text);
  if (answer.value === undefined) return <Waiting error={answer.error} />;
  const page = part.hasHead ? withoutHead(answer.value) : answer.value;
  const records = view === "Text" || isWhole ? [] : recordsOf(artifact, page.lines, columns);
  const number = page.firstLine === undefined ? undefined : page.firstLine - part.firstLine + 1;
  return (
    <>
      <Pager page={page} part={part} number={number} first={firstQuery(part)} onGo={setQuery} />
      {view === "Text" && <TextView page={page} number={number} />}
      {view === "Table" && (
        <TableView
          records={records}
          fields={columns.length > 0 ? columns : artifact.fields}
          number={number}
        />
      )}
      {view === "Tree" && (
        <TreeView records={records} page={isWhole ? page : undefined} number={number} />
      )}
    </>
  );
}

/** Where a part begins, as the server takes it. */
function firstQuery({ hasHead, start }: BodyPart): string {
  return hasHead ? "line=2" : `at=${start}`;
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
