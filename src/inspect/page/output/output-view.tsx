import type { VNode } from "preact";

import type { About, OutputDetail } from "../../wire.js";
import { useAsked } from "../api.js";
import { bytes, clock, counted, duration, shownLine, tokens } from "../format.js";
import { Section, Waiting } from "../parts/note.js";
import { sessionAddress } from "../route.js";
import { entryWords } from "../session/entry-words.js";
import { AskPanel } from "./ask-panel.js";
import { BodyView } from "./body-view.js";
import { DescriptorPanel } from "./descriptor-panel.js";

/** One stored output: what is in it, what the model saw in its place, and what can be asked. */
export function OutputView(props: {
  readonly id: string;
  readonly about: About;
  readonly version: string;
}): VNode {
  const { id, about, version } = props;
  const { value, error } = useAsked<OutputDetail>(`/api/outputs/${id}`, version);
  if (value === undefined) return <Waiting error={error} />;
  const { artifact, readBy, seen, left } = value;
  const { toolName, title, scope, sealed } = artifact;
  return (
    <>
      <p>
        <a href={sessionAddress(scope)}>← Its session</a>
      </p>
      <h1>
        <bdi>{sealed ? "Encrypted output" : shownLine(title ?? toolName, 120)}</bdi>
      </h1>
      <Facts detail={value} />
      {sealed ? (
        <p class="note">
          It is encrypted with the key {shownLine(sealed.keyId, 80)}, which this program has not.
        </p>
      ) : (
        <div class="beside">
          <div>
            <BodyView artifact={artifact} />
          </div>
          <div>
            <DescriptorPanel artifact={artifact} seen={seen} left={left} />
            <AskPanel artifact={artifact} tools={about.tools} />
            {readBy && (
              <Section
                title="Read on demand by the model"
                about={readBy.length === 0 ? unreadWords(value) : ""}
              >
                <ul class="reads">
                  {readBy.toReversed().map((entry) => {
                    const { what, detail, figure } = entryWords(entry, () => undefined);
                    return (
                      <li key={entry.id}>
                        <b>{what}</b> {figure}
                        <br />
                        <span class="quiet">
                          {clock(entry.at)} · <bdi>{detail}</bdi>
                        </span>
                      </li>
                    );
                  })}
                </ul>
              </Section>
            )}
          </div>
        </div>
      )}
    </>
  );
}

function unreadWords({ left, seen }: OutputDetail): string {
  return left !== undefined && seen === undefined
    ? "Not since it left the context. The model saw it whole before that."
    : "Nothing: the model never asked for any of it.";
}

function Facts({ detail }: { readonly detail: OutputDetail }): VNode {
  const {
    id,
    toolName,
    kind,
    layout,
    sizeBytes,
    recordCount,
    lineCount,
    createdAt,
    expiresAt,
    args,
    sealed,
  } = detail.artifact;
  const { tokens: cost, tokensExact } = detail.artifact;
  const facts = sealed
    ? [bytes(sizeBytes), `stored ${clock(createdAt)}`]
    : [
        shownLine(toolName, 80),
        `${kind}, stored as ${layout}`,
        bytes(sizeBytes),
        recordCount === undefined ? counted(lineCount, "line") : counted(recordCount, "record"),
        `${tokens(cost, tokensExact)} if it stood in the context`,
        `stored ${clock(createdAt)}`,
        `expires in ${duration(expiresAt - Date.now())}`,
      ];
  return (
    <>
      <p class="quiet">
        <bdi>{facts.join(" · ")}</bdi>
      </p>
      <p class="quiet small">
        <code>{id}</code>
        {args && Object.keys(args).length > 0 && (
          <>
            {" "}
            called with <code>{shownLine(JSON.stringify(args), 300)}</code>
          </>
        )}
      </p>
    </>
  );
}
