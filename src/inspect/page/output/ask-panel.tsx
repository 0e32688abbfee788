import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import type { StoredArtifact } from "../../../core/types/artifact.js";
import type { AskAnswer, AskTool } from "../../wire.js";
import { type Asked, ask, sentenceOf } from "../api.js";
import { duration, grouped, shown, shownLine, tokens } from "../format.js";
import { Section, Waiting } from "../parts/note.js";
import { Tabs } from "../parts/tabs.js";
import { argumentsOf, firstQuestion } from "./questions.js";

/** Asks an output as the model does, and shows what it would get. */
export function AskPanel(props: {
  readonly artifact: StoredArtifact;
  readonly tools: readonly AskTool[];
}): VNode {
  const { artifact, tools } = props;
  const [tool, setTool] = useState<AskTool>(tools[0] ?? "read");
  const [typed, setTyped] = useState<Readonly<Partial<Record<AskTool, string>>>>({});
  const [slurp, setSlurp] = useState(false);
  const [answer, setAnswer] = useState<Asked<AskAnswer> & { readonly isWaiting?: boolean }>({});
  const running = useRef<AbortController>(undefined);
  const question = typed[tool] ?? firstQuestion(tool, artifact);
  const run = (text = question, isSlurped = slurp): void => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setAnswer({ isWaiting: true });
    Promise.resolve()
      .then(() => ({ tool, args: argumentsOf(tool, text, isSlurped) }))
      .then((call) => ask<AskAnswer>(`/api/outputs/${artifact.id}/ask`, call, controller.signal))
      .then((value) => setAnswer({ value }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setAnswer({ error: sentenceOf(error) });
      });
  };
  return (
    <Section title="Ask it" about="The answer is what the model would get, with its limits.">
      <Tabs label="Tool" names={tools} chosen={tool} onChoose={setTool} />
      {tool === "jq" && artifact.recipes.length > 0 && (
        <label class="field">
          <span>Suggestion</span>
          <select
            onChange={({ currentTarget }) => {
              const recipe = artifact.recipes[Number(currentTarget.value)];
              if (recipe === undefined) return;
              setTyped((old) => ({ ...old, jq: recipe.shellFilter ?? recipe.filter }));
              setSlurp(recipe.slurp);
            }}
          >
            <option value="">that the model was given …</option>
            {artifact.recipes.map(({ description }, place) => (
              <option key={description} value={place}>
                {shownLine(description, 80)}
              </option>
            ))}
          </select>
        </label>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        <textarea
          aria-label={`Question for ${tool}`}
          rows={tool === "code" ? 6 : 3}
          spellcheck={false}
          value={question}
          onInput={({ currentTarget }) =>
            setTyped((old) => ({ ...old, [tool]: currentTarget.value }))
          }
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
              run(event.currentTarget.value);
          }}
        />
        <div class="buttons">
          <button type="submit" class="strong">
            Ask
          </button>
          {tool === "jq" && (
            <label class="choice">
              <input
                type="checkbox"
                checked={slurp}
                onChange={({ currentTarget }) => setSlurp(currentTarget.checked)}
              />{" "}
              all records as one array
            </label>
          )}
          <span class="quiet small">Ctrl+Enter asks too</span>
        </div>
      </form>
      {answer.isWaiting && <Waiting />}
      {answer.error !== undefined && <Waiting error={answer.error} />}
      {answer.value && <Answer answer={answer.value} />}
    </Section>
  );
}

function Answer({ answer }: { readonly answer: AskAnswer }): VNode {
  const { text, failed, callTokens, answerTokens, durationMs } = answer;
  return (
    <div role="status">
      <p class="quiet small">
        {failed ? "The model is told what is wrong" : "The answer"}: {tokens(answerTokens)}; the
        call {grouped(callTokens)} tokens; {duration(durationMs)}
      </p>
      <pre tabIndex={0} class={failed ? "failed" : ""}>
        {shown(text)}
      </pre>
    </div>
  );
}
