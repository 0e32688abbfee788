import type { VNode } from "preact";

import type { BodyPage } from "../../wire.js";
import { grouped, shownLine } from "../format.js";
import { parseExact, type PageRecord } from "./records.js";
import { Tree } from "./tree.js";

/** Records, or one document, by their levels. */
export function TreeView(props: {
  readonly records: readonly PageRecord[];
  /** A document's page: it is a tree when all of it fits in one. */
  readonly page: BodyPage | undefined;
  readonly number: number;
}): VNode {
  const { records, page, number } = props;
  if (page !== undefined) return <Document page={page} />;
  return (
    <div class="tree" tabIndex={0} role="region" aria-label="Records">
      {records.map(({ line, value }, place) => (
        <Tree
          key={line.at}
          name={grouped(number + place)}
          value={value ?? shownLine(line.text, 500)}
          isOpen={records.length === 1}
        />
      ))}
    </div>
  );
}

function Document({ page }: { readonly page: BodyPage }): VNode {
  const isWhole = page.next === undefined && page.lines[0]?.at === 0;
  const text = isWhole
    ? page.lines.map(({ text, cut }) => (cut ? text : `${text}\n`)).join("")
    : "";
  const value = isWhole ? parseExact(text.replace(/^\uFEFF/, "")) : undefined;
  if (value !== undefined) {
    return (
      <div class="tree" tabIndex={0} role="region" aria-label="Document">
        <Tree value={value} isOpen={true} />
      </div>
    );
  }
  return (
    <p class="note">
      {isWhole
        ? "This document is no JSON; look at it as text."
        : "This document is too large for a tree. Ask for a part of it with jq, such as keys, or look at it as text."}
    </p>
  );
}
