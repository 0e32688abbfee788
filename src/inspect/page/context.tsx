import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

import type { LedgerPoint } from "../wire.js";
import { about, clock, grouped } from "./format.js";
import { Section, Table } from "./parts.js";

/** What a context is made of, what each part is called, and its colour. */
const PARTS: readonly (readonly [part: string, words: string, color: string])[] = [
  ["system", "System prompt", "#a3abb4"],
  ["definitions", "Definitions of the read tools", "#7d8791"],
  ["human", "Messages of people", "#6a9f5b"],
  ["ai", "Messages of the model", "#4a8bc6"],
  ["result", "Whole outputs", "#d58a32"],
  ["descriptor", "Short texts in place of outputs", "#8a72be"],
  ["drill-in", "Read on demand", "#3aa6a8"],
  ["aged", "Lines in place of stale outputs", "#b58bb3"],
];

/** The colour of a part of the context, and of what brings it there. */
export function colorOf(part: string): string {
  return PARTS.find(([name]) => name === part)?.[2] ?? "#c03030";
}

/** The context of each call of the model, by what it is made of. */
export function Context(props: {
  readonly points: readonly LedgerPoint[];
  readonly calls: number;
}): VNode {
  const { points, calls } = props;
  const [pointed, setPointed] = useState<number>();
  const place = Math.min(pointed ?? points.length - 1, points.length - 1);
  const point = points[place];
  const first = calls - points.length + 1;
  const parts = PARTS.filter(([part]) => points.some((one) => one.parts[part]));
  return (
    <Section
      title="What filled the context"
      about="What the model read at each of its calls, by what it is. All of these tokens are estimated, at four bytes a token."
    >
      <p class="row">
        <span>Call {grouped(first)}</span>
        <input
          type="range"
          class="wide"
          aria-label="Call"
          min={0}
          max={points.length - 1}
          value={place}
          onInput={({ currentTarget }) => setPointed(Number(currentTarget.value))}
        />
        <span>{grouped(calls)}</span>
      </p>
      <p class="quiet">
        Without this library: the same conversation with every output whole and staying, without the
        read tools, the model's calls of them and their answers.
      </p>
      {point && (
        <Table
          caption={`Call ${grouped(first + place)} of ${grouped(calls)}, ${clock(point.at)}`}
          rows={rowsOf(point, parts)}
        />
      )}
    </Section>
  );
}

type Parts = typeof PARTS;

/** The figures of one call. */
function rowsOf(point: LedgerPoint, parts: Parts): readonly (readonly ComponentChildren[])[] {
  const { contextTokens, withoutTokens, windowTokens } = point;
  const rows = parts.map(([part, words, background]) => {
    const tokens = point.parts[part] ?? 0;
    const width = `${(80 * tokens) / contextTokens}px`;
    return [
      <>
        <i class="swatch" style={{ background }} /> {words}
      </>,
      about(tokens),
      <i class="swatch" style={{ background, width }} />,
    ];
  });
  const share = Math.round((100 * contextTokens) / (windowTokens ?? Infinity));
  const full = windowTokens === undefined ? "" : `${share} % of ${grouped(windowTokens)}`;
  return [
    ...rows,
    [<b>Together</b>, <b>{about(contextTokens)}</b>, full],
    ["Without this library", about(withoutTokens), ""],
  ];
}
