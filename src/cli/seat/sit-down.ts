import type { Surroundings } from "../command.js";
import { jsonLine } from "../print/json-line.js";
import { printable } from "../print/printable.js";
import { paintFor } from "../print/style.js";
import { counted, grouped } from "../../util/amounts.js";
import { createLedger, type Ledger } from "./ledger.js";
import { parseCall } from "./parse-call.js";
import { callLine, outputJsonOf, outputLine, toolLines } from "./print-seat.js";
import type { Seat, SeatAnswer } from "../../seat/seat.js";

/** Shows the seat, then answers calls line by line until `exit` or the end of standard input. */
export async function sitDown(
  seat: Seat,
  asJson: boolean,
  surroundings: Surroundings,
): Promise<void> {
  const shown = seat.outputs.reduce((sum, { tokens }) => sum + tokens, 0);
  const ledger = createLedger(seat.definitionTokens + shown);
  const talk = asJson
    ? jsonTalk(seat, ledger, surroundings)
    : plainTalk(seat, ledger, surroundings);
  const first = seat.outputs.find(({ id }) => id !== undefined)?.id;
  await talk.start();
  for await (const line of surroundings.input.lines(asJson ? "" : "> ")) {
    const typed = line.trim();
    if (typed === "exit" || typed === "quit") break;
    if (typed === "") continue;
    if (typed === "help") {
      await talk.help();
      continue;
    }
    const call = parseCall(typed, seat.tools, first);
    if ("problem" in call) {
      await talk.problem(call.problem);
      continue;
    }
    const answer = await seat.call(call.tool, call.args);
    ledger.add(answer.callTokens, answer.answerTokens);
    await talk.answer(answer);
  }
  await talk.end();
}

/** What is said to whoever sits there. */
interface Talk {
  start(): Promise<void>;
  help(): Promise<void>;
  problem(sentence: string): Promise<void>;
  answer(answer: SeatAnswer): Promise<void>;
  end(): Promise<void>;
}

function plainTalk(seat: Seat, ledger: Ledger, surroundings: Surroundings): Talk {
  const { out } = surroundings;
  const paint = paintFor(out, surroundings);
  const say = (text: string): Promise<void> => out.write(text.endsWith("\n") ? text : `${text}\n`);
  const data = (text: string): Promise<void> => say(out.isTerminal ? printable(text) : text);
  const note = (text: string): Promise<void> => say(paint("dim", text));
  const help = (): Promise<void> =>
    say(`${toolLines(seat.tools)}\nCalls: TOOL {"argument": …}, or short: jq length. End: exit.`);
  return {
    async start() {
      for (const output of seat.outputs) {
        await data(output.text);
        await note(`[${outputLine(output)}]`);
      }
      await help();
      const first = grouped(ledger.contextTokens());
      await note(
        `[definitions ${grouped(seat.definitionTokens)} tokens; the first step reads ${first}]`,
      );
    },
    help,
    problem: say,
    async answer(answer) {
      await data(answer.text);
      await note(callLine(answer, ledger));
    },
    end: () => note(`[${endLine(ledger)}]`),
  };
}

function endLine(ledger: Ledger): string {
  const all = ledger.inputTokens() + ledger.contextTokens();
  return `${counted(ledger.calls(), "call")}; with the step that answers, a model has read ${grouped(all)} tokens`;
}

function jsonTalk(seat: Seat, ledger: Ledger, { out }: Surroundings): Talk {
  const totals = (): object => ({
    calls: ledger.calls(),
    input_tokens: ledger.inputTokens(),
    context_tokens: ledger.contextTokens(),
  });
  const tools = seat.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
  }));
  return {
    start: () =>
      out.write(
        jsonLine({
          outputs: seat.outputs.map(outputJsonOf),
          tools,
          definition_tokens: seat.definitionTokens,
          ...totals(),
        }),
      ),
    help: () => out.write(jsonLine({ tools })),
    problem: (problem) => out.write(jsonLine({ problem })),
    answer: ({ text, failed, callTokens, answerTokens }) =>
      out.write(
        jsonLine({
          text,
          failed,
          call_tokens: callTokens,
          answer_tokens: answerTokens,
          ...totals(),
        }),
      ),
    end: async () => undefined,
  };
}
