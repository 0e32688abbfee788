import type { VNode } from "preact";

import type { JournalText } from "../../plugins/journal/entry.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { About, BodyLine, OutputDetail } from "../wire.js";
import { addressOf, useAsked } from "./api.js";
import { EntryLine } from "./entry.js";
import { clock, joined, shown, shownLine, tokens } from "./format.js";
import { List, Section, Waiting } from "./parts.js";
import { bytes, counted, duration, grouped } from "../../util/amounts.js";
import { prettyJson } from "../../util/json-text.js";
import { shellQuote } from "../../util/safe-text.js";

export function OutputView({ id, about }: { readonly id: string; readonly about: About }): VNode {
  const asked = useAsked<OutputDetail>(`/api/outputs/${id}`, about.version);
  if (asked.value === undefined) return <Waiting {...asked} />;
  const { artifact, entries } = asked.value;
  const { toolName, title, sessionKey, sealed, args, kind } = artifact;
  return (
    <>
      <p>
        <a href={addressOf("session", sessionKey)}>← Its session</a>
      </p>
      <h1>
        <bdi>{sealed ? "Encrypted output" : shownLine(title ?? toolName, 120)}</bdi>
      </h1>
      <p class="quiet">
        <bdi>{factsOf(asked.value)}</bdi>
      </p>
      <p class="quiet">
        <code>{id}</code>
        {args && ` called with ${shownLine(JSON.stringify(args), 300)}`}
      </p>
      {sealed ? (
        <p class="note">
          It is encrypted with the key {shownLine(sealed.keyId, 80)}, which this program does not
          have.
        </p>
      ) : (
        <div class="beside">
          {kind !== "binary" && <BodyView artifact={artifact} />}
          <div>
            {entries && <History {...asked.value} />}
            {kind !== "binary" && (
              <Section
                title="Ask it"
                about="In a terminal, with the answers and limits of a model:"
              >
                <pre>{`npx langchain-offload read ${id} --directory ${shellQuote(about.directory)}`}</pre>
              </Section>
            )}
          </div>
        </div>
      )}
    </>
  );
}

function factsOf({ artifact }: OutputDetail): string {
  const { toolName, kind, layout, sizeBytes, recordCount, lineCount, expiresAt, media } = artifact;
  const size =
    recordCount === undefined ? counted(lineCount, "line") : counted(recordCount, "record");
  const what = kind === "binary" ? (media?.type ?? kind) : `${kind}, stored as ${layout} · ${size}`;
  const facts = artifact.sealed
    ? []
    : [
        shownLine(toolName, 80),
        what,
        `${tokens(artifact.tokens, artifact.tokensExact)} if it stood in the context`,
        `expires in ${duration(expiresAt - Date.now())}`,
      ];
  return joined(bytes(sizeBytes), ...facts, `stored ${clock(artifact.createdAt)}`);
}

/** Its entries, and below those that say so, what the model saw in its place from then on. */
function History({ artifact: { id }, entries = [] }: OutputDetail): VNode {
  return (
    <Section title="What the model saw of it" about="The oldest first.">
      <ul class="list">
        {entries.map((entry) => (
          <li key={entry.id}>
            <EntryLine entry={entry} />
            {entry.type === "offloaded" && <Text text={entry.descriptor} />}
            {entry.type === "aged" && <Text text={entry.lines?.[entry.artifactIds.indexOf(id)]} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Text({ text }: { readonly text: JournalText | undefined }): VNode {
  if (text === undefined || text.withheld)
    return <p class="note">The journal does not have the text itself.</p>;
  return <pre tabIndex={0}>{shown(prettyJson(text.text)) + (text.characters ? "…" : "")}</pre>;
}

const MAX_LINE_CHARACTERS = 262_144;

function BodyView({ artifact }: { readonly artifact: StoredArtifact }): VNode {
  const { id, layout, lineCount } = artifact;
  const isRecords = layout === "records";
  return (
    <Section title="The output">
      <List<BodyLine>
        label="Lines"
        kind="text"
        path={`/api/outputs/${id}/page?`}
        row={({ text, cut = false }, number) => {
          if (!isRecords && lineCount === 1 && !cut)
            return <pre tabIndex={0}>{shown(prettyJson(text))}</pre>;
          const name = <span class="quiet">{grouped(number)}</span>;
          return !isRecords ? (
            <div>
              {name} <span>{shown(cut ? `${text}…` : text, MAX_LINE_CHARACTERS)}</span>
            </div>
          ) : (
            <details>
              <summary class="cut">
                {name} {shownLine(text, 500)}
              </summary>
              {/* A record of an unchanged array ends with the comma before the next one. */}
              <pre>{shown(prettyJson(text.trimEnd().replace(/,$/, "")))}</pre>
            </details>
          );
        }}
      />
    </Section>
  );
}
