import { type Offloader } from "langchain-offload/core";

/** What reading a text to its end brought into the context, without the tools' definitions. */
export interface WholeReading {
  /** Calls that were made; none for a text that stayed inline. */
  readonly calls: number;
  /** Tokens that stand in the context at the end: descriptor, calls and answers, or the text itself. */
  readonly enteredTokens: number;
  /** Tokens that all steps have read, each with everything before it. */
  readonly readTokens: number;
  /** Whether every line of the text was in an answer. */
  readonly complete: boolean;
}

/** Enough for any text here; a reader that is sent in circles ends. */
const MAX_CALLS = 40;
/** What a model asks for that wants all: the most that the tool may give. */
const MAX_TOKENS = 8_000;
const NEXT_CALL = /Next call: (\w+) (\{.*\})/;

/** Reads a text as a model without mistakes would: at once when it is inline, or by reading on as each answer says. */
export async function readWhole(
  text: string,
  offloader: Offloader,
  count: (text: string) => number,
): Promise<WholeReading> {
  const sessionId = "whole";
  const result = await offloader.offload({ toolName: "read_document", value: text, sessionId });
  if (result.outcome !== "offloaded") {
    const tokens = count(text);
    return { calls: 0, enteredTokens: tokens, readTokens: tokens, complete: true };
  }
  const { toolNames } = offloader.options;
  const tools = offloader.tools(sessionId);
  let entered = count(result.text);
  let read = entered;
  let seen = "";
  let calls = 0;
  let next: NextCall | undefined = firstCall(tools, toolNames.read, result.storedArtifact.id);
  while (next !== undefined && calls < MAX_CALLS) {
    const { name, args } = next;
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) break;
    const answer = await tool.run(args);
    calls += 1;
    entered += count(JSON.stringify({ name, args })) + count(answer.text);
    read += entered;
    seen += `${answer.text}\n`;
    next = answer.failed ? undefined : nextCall(answer.text);
  }
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const complete = lines.every((line) => seen.includes(line.trimEnd()));
  return { calls, enteredTokens: entered, readTokens: read, complete };
}

interface NextCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

function firstCall(
  tools: ReturnType<Offloader["tools"]>,
  name: string | undefined,
  id: string,
): NextCall | undefined {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return undefined;
  const isDeclared = Object.hasOwn(Object(tool.parameters["properties"]), "max_tokens");
  const wants = isDeclared ? { max_tokens: MAX_TOKENS } : {};
  return { name: tool.name, args: { id, ...wants } };
}

function nextCall(answer: string): NextCall | undefined {
  const [, name = "", args = ""] = NEXT_CALL.exec(answer) ?? [];
  return name === "" ? undefined : { name, args: JSON.parse(args) as NextCall["args"] };
}
