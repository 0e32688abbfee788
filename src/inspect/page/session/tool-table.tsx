import type { VNode } from "preact";

import type { ToolShare } from "../../wire.js";
import { about, grouped, shownLine } from "../format.js";
import { Section } from "../parts/note.js";

const MAX_ROWS = 20;

/** What the outputs of each tool cost, the dearest first, and what became of them. */
export function ToolTable({ tools }: { readonly tools: readonly ToolShare[] }): VNode | null {
  if (tools.length === 0) return null;
  const most = Math.max(1, tools[0]?.tokensWithout ?? 0);
  const isTold = tools.some(({ tokensSeen }) => tokensSeen !== undefined);
  return (
    <Section
      title="By tool"
      about="Tokens of each tool's outputs: as they came, as the model saw them at first, and what it read of them again. ≈ is estimated."
    >
      <div class="wide" tabIndex={0} role="region" aria-label="Tokens by tool">
        <table class="plain tools by-tool">
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col" class="number">
                Outputs
              </th>
              <th scope="col" class="number">
                As they came, tokens
              </th>
              {isTold && (
                <th scope="col" class="number">
                  Seen at first, tokens
                </th>
              )}
              {isTold && (
                <th scope="col" class="number">
                  Read on demand, tokens
                </th>
              )}
              {isTold && (
                <th scope="col" class="number">
                  Never read
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {tools.slice(0, MAX_ROWS).map((tool) => (
              <Row key={tool.toolName} tool={tool} most={most} isTold={isTold} />
            ))}
          </tbody>
        </table>
      </div>
      {tools.length > MAX_ROWS && (
        <p class="quiet">{grouped(tools.length - MAX_ROWS)} more tools with fewer tokens.</p>
      )}
    </Section>
  );
}

function Row(props: {
  readonly tool: ToolShare;
  readonly most: number;
  readonly isTold: boolean;
}): VNode {
  const { tool, most, isTold } = props;
  const { tokensWithout, tokensSeen = 0, tokensRead = 0, neverRead = 0, offloaded } = tool;
  const { estimated } = tool;
  const width = (count: number): { width: string } => ({ width: `${(100 * count) / most}%` });
  return (
    <tr>
      <th scope="row">
        <bdi>{shownLine(tool.toolName, 60)}</bdi>
        <span class="bars" aria-hidden="true">
          <i class="whole" style={width(tokensWithout)} />
          {isTold && (
            <i class="seen" style={width(Math.min(tokensWithout, tokensSeen + tokensRead))} />
          )}
        </span>
      </th>
      <td class="number" data-name="Outputs">
        {grouped(tool.outputs)}
      </td>
      <td class="number" data-name="As they came">
        {estimated ? about(tokensWithout) : grouped(tokensWithout)}
      </td>
      {isTold && (
        <td class="number" data-name="Seen at first">
          {estimated === "seen" ? about(tokensSeen) : grouped(tokensSeen)}
        </td>
      )}
      {isTold && (
        <td class="number" data-name="Read on demand">
          {grouped(tokensRead)}
        </td>
      )}
      {isTold && (
        <td class="number" data-name="Never read">
          {offloaded === 0 ? "–" : `${grouped(neverRead)} of ${grouped(offloaded)}`}
        </td>
      )}
    </tr>
  );
}
