import type { VNode } from "preact";

import type { JournalText, ReadEntry } from "../../plugins/journal/entry.js";
import { about, clock, joined, shownLine, tokens } from "./format.js";
import { bytes, duration, grouped } from "../../util/amounts.js";
import { Line } from "./parts.js";

type Words = readonly [what: string, figure: string, detail: string, output?: string | undefined];

export function EntryLine({ entry }: { readonly entry: ReadEntry }): VNode {
  const [what, figure, detail, output] = wordsOf(entry);
  return (
    <Line
      what={shownLine(what)}
      figure={figure}
      detail={shownLine(joined(clock(entry.at), detail), 240)}
      output={output}
    />
  );
}

function wordsOf(entry: ReadEntry): Words {
  switch (entry.type) {
    case "offloaded": {
      const { toolName, sizeBytes, tokensExact, id, arguments: given } = entry.artifact;
      const whole = tokensExact ? grouped(entry.artifact.tokens) : about(entry.artifact.tokens);
      const figure = `${whole} → ${tokens(entry.descriptorTokens)}`;
      return [`${toolName} was stored`, figure, calledWith(given, bytes(sizeBytes)), id];
    }
    case "stayed-inline": {
      const figure = tokens(Math.ceil(entry.sizeBytes / 4), false);
      const detail = calledWith(entry.arguments, entry.text?.text ?? bytes(entry.sizeBytes));
      return [`${entry.toolName} stayed in the context`, figure, detail];
    }
    case "drilled-in": {
      const what = joined(entry.tool, entry.failed ? "failed" : "");
      const detail = calledWith(entry.arguments, duration(entry.durationMs));
      return [what, tokens(entry.answerTokens), detail, entry.artifactId];
    }
    case "model-called": {
      const detail = `without this library ${tokens(entry.withoutTokens, false)}`;
      return ["The model was called", tokens(entry.contextTokens, false), detail];
    }
    case "model-answered": {
      const { inputTokens, outputTokens = 0, toolCalls, failed } = entry;
      const did = toolCalls.length === 0 ? "answered" : `called ${toolCalls.join(", ")}`;
      const what = failed ? "The call of the model failed" : `The model ${did}`;
      const figure = inputTokens && `${tokens(inputTokens)} in, ${grouped(outputTokens)} out`;
      return [what, figure || "", duration(entry.durationMs)];
    }
    default:
      return other(entry);
  }
}

function calledWith(given: JournalText | undefined, more: string): string {
  return joined(given?.withheld ? "arguments withheld" : (given?.text ?? ""), more);
}

const KNOWN = new Set(["v", "id", "at", "session", "type", "artifact"]);

function inWords(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll("-", " ");
}

function other(entry: ReadEntry): Words {
  const artifact = "artifact" in entry ? entry.artifact : undefined;
  const facts = Object.entries(entry)
    .filter(([name, value]) => !KNOWN.has(name) && typeof value !== "object")
    // The journal does not say which of these tokens are estimated.
    .map(([name, value]) =>
      [inWords(name), /tokens$/i.test(name) ? about(value) : value].join(" "),
    );
  const figure = artifact ? tokens(artifact.tokens, artifact.tokensExact) : "";
  const id = artifact?.id ?? ("artifactId" in entry ? entry.artifactId : undefined);
  return [joined(inWords(entry.type), artifact?.toolName ?? ""), figure, facts.join(", "), id];
}
