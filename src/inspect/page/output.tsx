import type { VNode } from "preact";

import type { JournalText, ReadEntry } from "../../plugins/journal/entry.js";
import type { About, OutputDetail } from "../wire.js";
import { addressOf, useAsked } from "./api.js";
import { AskPanel } from "./ask.js";
import { BodyView } from "./body.js";
import { EntryLine } from "./entry.js";
import {
  bytes,
  clock,
  counted,
  duration,
  joined,
  indented,
  shown,
  shownLine,
  tokens,
} from "./format.js";
import { Section, Waiting } from "./parts.js";

export function OutputView(props: { readonly id: string; readonly about: About }): VNode {
  const { id, about } = props;
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
            <InItsPlace detail={asked.value} />
            {kind !== "binary" && <AskPanel artifact={artifact} tools={about.tools} />}
            {entries && <History entries={entries} />}
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
  const isFile = kind === "binary";
  const facts = artifact.sealed
    ? []
    : [
        shownLine(toolName, 80),
        isFile ? (media?.type ?? kind) : joined(`${kind}, stored as ${layout}`, size),
        `${tokens(artifact.tokens, artifact.tokensExact)} if it stood in the context`,
        `expires in ${duration(expiresAt - Date.now())}`,
      ];
  return joined(bytes(sizeBytes), ...facts, `stored ${clock(artifact.createdAt)}`);
}

function InItsPlace({ detail }: { readonly detail: OutputDetail }): VNode | null {
  const { artifact, entries = [] } = detail;
  const seen = entries.find((entry) => entry.type === "offloaded");
  const left = entries.findLast((entry) => entry.type === "aged");
  if (seen === undefined && left === undefined) return null;
  const whole = tokens(artifact.tokens, artifact.tokensExact);
  return (
    <Section title="What the model sees in its place">
      {left && <p>Since {clock(left.at)} it is stale: one line replaces it.</p>}
      {left && <Text text={left.lines?.[left.artifactIds.indexOf(artifact.id)]} />}
      <p>
        {left ? "Before that" : "The model saw this"}:{" "}
        {seen ? `${tokens(seen.descriptorTokens)} in place of ${whole}` : `the whole, ${whole}`}
      </p>
      {seen && <Text text={seen.descriptor} />}
    </Section>
  );
}

function Text({ text }: { readonly text: JournalText | undefined }): VNode {
  if (text === undefined || text.withheld) {
    return <p class="note">The journal does not have the text itself.</p>;
  }
  return (
    <>
      <pre tabIndex={0}>{shown(indented(text.text))}</pre>
      {text.characters !== undefined && <p class="quiet">The journal has its beginning.</p>}
    </>
  );
}

function History({ entries }: { readonly entries: readonly ReadEntry[] }): VNode {
  const isRead = entries.some(
    (entry) => (entry.type === "drilled-in" || entry.type === "referenced") && !entry.failed,
  );
  const isUnread = !isRead && entries.some(({ type }) => type === "offloaded");
  return (
    <Section title="What happened to it" about={isUnread ? "The model never read any of it." : ""}>
      <ul class="list">
        {entries.toReversed().map((entry) => (
          <li key={entry.id}>
            <EntryLine entry={entry} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
