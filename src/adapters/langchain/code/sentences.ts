import { grouped } from "../../../util/amounts.js";

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
  nobodyToAsk: (toolName: string): string =>
    `${toolName} needs a person's approval, and nobody can be asked here. It was not called. (The application has to give the agent a checkpointer and a thread_id.)`,
  askAlone: (toolName: string): string =>
    `${toolName} needs a person's approval, and nobody can be asked while other calls of the same message go on. It was not called. Run this code in a message of its own.`,
  notKept: (toolName: string): string =>
    `${toolName} needs a person's approval, and what this run has done could not be stored, so it could not go on after the answer. It was not called. Call ${toolName} directly, outside of code.`,
  unknownEnd: (toolName: string): string =>
    `A person agreed to this call of ${toolName}, and the process ended while it ran: whether it was done is not known. It was not called again. Find out before you call it again.`,
  otherWay: (index: number, toolName: string, names: { readonly before: string }): string =>
    `The code was run again after a person's answer and took another way: call ${index + 1} was ${names.before} and is now ${toolName === names.before ? `${toolName} with other arguments` : toolName}. Nothing more was called. ` +
    "Write code that makes the same calls in the same order whenever it runs.",
  otherSave: (number: number): string =>
    `The code was run again after a person's answer and took another way: output ${number + 1} that it saved is not what it was. Nothing more was called. Write code that makes the same whenever it runs.`,
  answersGone:
    "What persons answered to this run's questions is gone, so it could not go on. Nothing more was called. Run the code again to ask again.",
  unusable: (toolName: string, why: string): string =>
    `The application's answer to the question about ${toolName} cannot be used: ${why}. The tool was not called.`,
};
