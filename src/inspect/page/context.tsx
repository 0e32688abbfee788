import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { UsagePoint } from "../wire.js";
import { about, clock, grouped } from "./format.js";
import { Pager, Section } from "./parts.js";

const PARTS: readonly (readonly [part: keyof UsagePoint["parts"], words: string])[] = [
  ["system", "System prompt"],
  ["definitions", "Definitions of the read tools"],
  ["human", "User messages"],
  ["ai", "Model messages"],
  ["result", "Whole outputs"],
  ["descriptor", "Short texts in place of outputs"],
  ["drill-in", "Read on demand"],
  ["aged", "Lines in place of stale outputs"],
];

export function Context({
  points,
  calls,
}: {
  readonly points: readonly UsagePoint[];
  readonly calls: number;
}): VNode {
  const [chosen, setChosen] = useState<number>();
  const place = Math.min(chosen ?? points.length - 1, points.length - 1);
  const point = points[place];
  const number = calls - points.length + 1 + place;
  return (
    <Section
      title="What filled the context"
      about="What the model read at each of its calls, by what it is. All of these tokens are estimated, at four bytes a token. Without this library: the same conversation with every output whole and staying, without the read tools, the model's calls of them and their answers."
    >
      {points.length > 1 && (
        <Pager total={points.length} from={place} shown={1} size={1} onGo={setChosen} />
      )}
      {point && (
        <table>
          <thead>
            <tr>
              <th scope="col">
                Call {grouped(number)} of {grouped(calls)}, {clock(point.at)}
              </th>
              <th scope="col">Tokens</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {rowsOf(point).map(([name, tokens, share], row) => (
              <tr key={row}>
                <th scope="row">{name}</th>
                <td>{tokens}</td>
                <td>{share}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function shareOf(tokens: number, whole: number): string {
  return `${Math.round((100 * tokens) / whole)} %`;
}

function rowsOf({ parts, contextTokens, withoutTokens, windowTokens }: UsagePoint) {
  const rows = PARTS.flatMap(([part, words]) => {
    const tokens = parts[part];
    return tokens ? [[words, about(tokens), shareOf(tokens, contextTokens)]] : [];
  });
  const full =
    windowTokens && `${shareOf(contextTokens, windowTokens)} of ${grouped(windowTokens)}`;
  return [
    ...rows,
    [<b>Together</b>, <b>{about(contextTokens)}</b>, full],
    ["Without this library", about(withoutTokens)],
  ];
}
