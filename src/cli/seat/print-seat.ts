import { grouped } from "../../util/amounts.js";
import type { Ledger } from "./ledger.js";
import type { SeatAnswer, SeatTool, SeenOutput } from "../../seat/seat.js";

/** One line on what an output costs. */
export function outputLine({ toolName, outcome, form, tokens, outputTokens }: SeenOutput): string {
  const whole = `${grouped(outputTokens)} tokens`;
  if (outcome === "inline") return `${toolName}: ${whole}, below the limit: it stays as it is.`;
  const kind = form === undefined ? outcome : `form ${form}`;
  return `${toolName}: ${grouped(tokens)} tokens in place of ${whole} (${kind}).`;
}

/** The same for programs. */
export function outputJsonOf(output: SeenOutput): object {
  const { toolName, outcome, form, id, tokens, outputTokens, text } = output;
  return { tool: toolName, outcome, form, id, tokens, output_tokens: outputTokens, text };
}

/** The tools as a person reads them: names, what they do, arguments. */
export function toolLines(tools: readonly SeatTool[]): string {
  return tools
    .map((tool) => [`${tool.name}: ${tool.description}`, ...argumentLines(tool)].join("\n"))
    .join("\n");
}

function argumentLines({ parameters, required }: SeatTool): string[] {
  const properties: object = Object(Reflect.get(parameters, "properties"));
  return Object.entries(properties).map(([name, schema]) => {
    const text = (key: string): string => {
      const value: unknown = Reflect.get(Object(schema), key);
      return typeof value === "string" ? value : "";
    };
    const must = required.includes(name) ? ", required" : "";
    const description = text("description");
    const colon = description === "" ? "" : ": ";
    return `  ${name} (${text("type") || "any"}${must})${colon}${description}`;
  });
}

/** What a call cost, and what the conversation has. */
export function callLine({ callTokens, answerTokens }: SeatAnswer, ledger: Ledger): string {
  return (
    `[call ${ledger.calls()}: ${grouped(callTokens)} tokens, its answer ${grouped(answerTokens)}; ` +
    `read so far ${grouped(ledger.inputTokens())}, the next step reads ${grouped(ledger.contextTokens())}]`
  );
}
