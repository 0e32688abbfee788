import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import type { OutputReads, OutputRow } from "../../wire.js";
import { bytes, clock, counted, grouped, shownLine, tokens } from "../format.js";
import { VirtualList } from "../parts/virtual-list.js";
import { outputAddress } from "../route.js";

const ROW_HEIGHT = 52;
const MAX_ROWS = 10;

/** Stored outputs, newest first, with a field that narrows them. */
export function OutputList(props: {
  readonly outputs: readonly OutputRow[];
  readonly reads: Readonly<Record<string, OutputReads>> | undefined;
}): VNode {
  const { outputs, reads } = props;
  const [wanted, setWanted] = useState("");
  const found = useMemo(() => {
    const words = wanted.toLowerCase();
    return outputs.filter(({ id, toolName, about = "", kind }) =>
      `${id} ${toolName} ${about} ${kind}`.toLowerCase().includes(words),
    );
  }, [outputs, wanted]);
  return (
    <>
      <label class="field">
        <span>Find</span>
        <input
          type="search"
          value={wanted}
          placeholder="tool, kind, arguments or id"
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <span class="quiet">{counted(found.length, "output")}</span>
      </label>
      <VirtualList
        label="Stored outputs"
        count={found.length}
        rowHeight={ROW_HEIGHT}
        maxRows={MAX_ROWS}
        row={(place) => {
          const output = found[place];
          return (
            output && <OutputLine output={output} reads={reads && (reads[output.id] ?? null)} />
          );
        }}
      />
    </>
  );
}

/** One output on two lines. */
export function OutputLine(props: {
  readonly output: OutputRow;
  /** `null`: nobody has read it. `undefined`: it is not known. */
  readonly reads: OutputReads | null | undefined;
}): VNode {
  const {
    id,
    toolName,
    about,
    kind,
    sizeBytes,
    recordCount,
    tokens: cost,
    tokensExact,
    createdAt,
    sealed,
  } = props.output;
  return (
    <a class="line" href={outputAddress(id)}>
      <span class="one-line">
        <b>{sealed ? "encrypted" : <bdi>{shownLine(toolName, 80)}</bdi>}</b>
        {about !== undefined && (
          <>
            {" "}
            <bdi class="quiet">{shownLine(about, 160)}</bdi>
          </>
        )}
      </span>
      <span class="number">{tokens(cost, tokensExact)}</span>
      <span class="quiet one-line">
        {[
          bytes(sizeBytes),
          ...(recordCount === undefined ? [kind] : [counted(recordCount, "record")]),
          clock(createdAt),
        ].join(" · ")}
      </span>
      <span class={props.reads === null ? "number warn" : "number quiet"}>
        {readWords(props.reads)}
      </span>
    </a>
  );
}

function readWords(reads: OutputReads | null | undefined): string {
  if (reads === undefined) return "";
  if (reads === null || reads.calls === 0) return "never read";
  return `${counted(reads.calls, "read")}, ${grouped(reads.answerTokens)} tokens`;
}
