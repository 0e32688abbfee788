import type { VNode } from "preact";

import type { OutputRow } from "../../wire.js";
import { bytes, clock, counted, grouped, shownLine, tokens } from "../format.js";
import { outputAddress } from "../route.js";

/** One output on two lines. */
export function OutputLine({ output }: { readonly output: OutputRow }): VNode {
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
    left,
    reads,
  } = output;
  const isUnread = reads?.calls === 0 && !left;
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
      <span class={isUnread ? "number warn" : "number quiet"}>{readWords(output)}</span>
    </a>
  );
}

function readWords({ reads, left }: OutputRow): string {
  if (reads === undefined) return "";
  if (reads.calls === 0) return left ? "taken out when stale" : "never read";
  return `${counted(reads.calls, "read")}, ${grouped(reads.answerTokens)} tokens`;
}
