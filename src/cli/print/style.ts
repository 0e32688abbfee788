import type { Output, Surroundings } from "../command.js";

/** The styles that commands use, by their SGR parameters. */
const STYLES = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33" } as const;

/** Puts a style around a text; the text stays as it is where colours are not wanted. */
export type Paint = (style: keyof typeof STYLES, text: string) => string;

/**
 * Colours for an output: only on a terminal, and not when `NO_COLOR` is set to anything (no-color.org) or
 * the terminal is `dumb`.
 */
export function paintFor(output: Output, { env }: Pick<Surroundings, "env">): Paint {
  const isWanted = output.isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  return (style, text) => (isWanted ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text);
}
