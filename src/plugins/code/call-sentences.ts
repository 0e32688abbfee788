import { grouped } from "../../util/amounts.js";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** How code writes the function of a tool. */
export function calledAs(toolName: string): string {
  return IDENTIFIER.test(toolName) ? `tools.${toolName}` : `tools[${JSON.stringify(toolName)}]`;
}

/** What the code, or the model that wrote it, is told. */
export const callSentences = {
  unknownTool: (toolName: string, names: readonly string[]): string =>
    names.length === 0
      ? "Code can call no tool here."
      : `Code cannot call ${JSON.stringify(toolName)}. It can call ${names.join(", ")}.`,
  tooMany: (max: number): string =>
    `One run makes at most ${grouped(max)} calls of tools. Do the rest in another run.`,
  noObject: (toolName: string): string =>
    `${toolName} takes one object with its arguments, as in await ${calledAs(toolName)}({ … }).`,
  longArguments: (toolName: string, bytes: number, max: number): string =>
    `The arguments of ${toolName} have ${grouped(bytes)} bytes, and ${grouped(max)} are allowed.`,
  timeOver: (timeoutMs: number): string =>
    `The time for calls of tools, ${grouped(Math.ceil(timeoutMs / 1000))} s, is over. Do the rest in another run.`,
  needsApproval: (toolName: string): string =>
    `${toolName} needs a person's approval, which code cannot ask for. ${callDirectly(toolName)}`,
  interrupts: (toolName: string): string =>
    `${toolName} asks a person, which it cannot do in code. ${callDirectly(toolName)}`,
  changesState: (toolName: string): string =>
    `${toolName} changes the state of the agent, which code cannot hand on: the change was not made. ${callDirectly(toolName)}`,
  noText: (toolName: string): string =>
    `The result of ${toolName} has no text, only images or files, which code cannot read. ${callDirectly(toolName)}`,
  longResult: (toolName: string, bytes: number, max: number): string =>
    `The result of ${toolName} has ${grouped(bytes)} bytes, and ${grouped(max)} are allowed. Ask it for less.`,
  answerWaits:
    "A person's answer to another call of this message waits here, so code can call no tool now. Run it again in a message of its own.",
};

function callDirectly(toolName: string): string {
  return `Call ${toolName} directly, outside of code.`;
}
