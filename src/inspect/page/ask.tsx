import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { StoredArtifact } from "../../core/types/artifact.js";
import type { AskAnswer, AskTool } from "../wire.js";
import { messageOf } from "../../util/error-message.js";
import { ask, type Asked } from "./api.js";
import { shown, tokens } from "./format.js";
import { Section, Waiting } from "./parts.js";

export function AskPanel({
  artifact,
  tools,
}: {
  readonly artifact: StoredArtifact;
  readonly tools: readonly AskTool[];
}): VNode {
  const [tool, setTool] = useState<AskTool>(tools[0] ?? "jq");
  const [{ isWaiting = false, value, error }, setAnswer] = useState<Asked<AskAnswer>>({});
  const run = async (asked: FormData): Promise<void> => {
    setAnswer({ isWaiting: true });
    try {
      const args = {
        [ARGUMENTS[tool]]: asked.get("question"),
        ...(asked.has("slurp") && { slurp: true }),
      };
      const answer = await ask<AskAnswer>(`/api/outputs/${artifact.id}/ask`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ tool, args }),
      });
      setAnswer({ value: answer });
    } catch (thrown) {
      setAnswer({ error: messageOf(thrown) });
    }
  };
  return (
    <Section title="Ask it" about="The answer is what the model would get, with its limits.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(new FormData(event.currentTarget));
        }}
      >
        <label>
          Tool{" "}
          <select
            onChange={({ currentTarget }) => setTool(tools[currentTarget.selectedIndex] ?? tool)}
          >
            {tools.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <textarea
          key={tool}
          name="question"
          aria-label={`Question for ${tool}`}
          rows={4}
          spellcheck={false}
          defaultValue={firstQuestion(tool, artifact)}
        />
        <div class="row">
          <button type="submit" disabled={isWaiting}>
            Ask
          </button>
          {tool === "jq" && (
            <label>
              <input type="checkbox" name="slurp" /> all records as one array
            </label>
          )}
        </div>
      </form>
      {(isWaiting || error !== undefined) && <Waiting error={error} />}
      {value && (
        <div role="status">
          <p class="quiet">{tokens(value.answerTokens)}</p>
          <pre tabIndex={0}>{shown(value.text)}</pre>
        </div>
      )}
    </Section>
  );
}

/** The argument of each tool that holds the question. */
const ARGUMENTS: Readonly<Record<AskTool, string>> = {
  jq: "filter",
  grep: "pattern",
  sql: "query",
};

function firstQuestion(tool: AskTool, { sets = [] }: StoredArtifact): string {
  return tool === "sql" ? `SELECT * FROM ${sets[0]?.table ?? "output"} LIMIT 5` : ".";
}
