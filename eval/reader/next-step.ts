import type { Question } from "../question.js";
import { answerSeenIn } from "./answer-seen.js";
import { type BoundTool, findTool, fixedArguments } from "./bound-tool.js";
import type { Conversation, Exchange } from "./conversation.js";
import { nextFileStep } from "./file-steps.js";
import { nextQueryStep } from "./query-steps.js";
import { readQuestion } from "./read-question.js";
import { answerFrom, type Step } from "./step.js";
import { storedOutputIn } from "./stored-output.js";

/**
 * What a competent reader does next. It knows the conversation and the tools that are bound, nothing else: it fetches
 * the records, page after page if need be; works the answer out from records that it sees; queries what is stored.
 */
export function nextStep(conversation: Conversation, tools: readonly BoundTool[]): Step {
  const { prompt, exchanges } = conversation;
  const question = readQuestion(prompt);
  // As after a summary by the agent itself: this reader keeps no notes.
  if (question === undefined) return { text: "I do not know the question any more. ANSWER: null" };
  const named = /^Call (\w+) to get the records/.exec(prompt)?.[1];
  const source = tools.find(({ name }) => name === named);
  if (source === undefined) return { text: `There is no tool ${named}.` };
  const fetched = exchanges.filter(({ name }) => name === source.name);
  const last = fetched.at(-1);
  if (last === undefined) return fetch(source, 1);
  if ("page" in source.parameters) return nextPageStep(question, source, fetched);

  const stored = storedOutputIn(last.answer);
  if (stored === undefined) return answerSeen(question, [last]);
  const later = exchanges.slice(exchanges.indexOf(last) + 1);
  const sight = { question, stored, descriptor: last.answer, later, tools };
  return findTool(tools, /^read_file$/) === undefined ? nextQueryStep(sight) : nextFileStep(sight);
}

function nextPageStep(question: Question, source: BoundTool, fetched: readonly Exchange[]): Step {
  const nextPage = /"next_page":(\d+)/.exec(fetched.at(-1)?.answer ?? "")?.[1];
  return nextPage === undefined ? answerSeen(question, fetched) : fetch(source, Number(nextPage));
}

function fetch(source: BoundTool, page: number): Step {
  const args = { ...fixedArguments(source), ...("page" in source.parameters && { page }) };
  return { toolCalls: [{ name: source.name, args }] };
}

function answerSeen(question: Question, exchanges: readonly Exchange[]): Step {
  return answerFrom(answerSeenIn(question, exchanges.map(({ answer }) => answer).join("\n")));
}
