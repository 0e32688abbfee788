import { createOffloader, memoryStore } from "langchain-offload";

import type { EvaluationContext } from "../evaluate.js";
import { tableText } from "../report/table.js";
import { createTokenCounter } from "../tokens.js";
import { readWhole, type WholeReading } from "./read-whole.js";
import { licenceText, packageFile } from "../tasks/data/package-file.js";

/** A text that a model may need as a whole. */
interface WholeDocument {
  readonly name: string;
  readonly load: () => string;
}

function file(path: string): WholeDocument {
  return { name: path, load: () => packageFile(path) };
}

function licence(id: string): WholeDocument {
  return { name: `licence ${id}`, load: () => licenceText(id) };
}

/** Texts of 2,000 to 12,000 tokens: licences, pages, changelogs, source code; shortest first. */
const WHOLE_DOCUMENTS: readonly WholeDocument[] = [
  file("fastify/docs/Reference/ContentTypeParser.md"),
  licence("EPL-2.0"),
  file("fastify/docs/Reference/Decorators.md"),
  licence("MPL-2.0"),
  file("fastify/docs/Reference/Request.md"),
  file("mime-db/HISTORY.md"),
  file("qs/lib/parse.js"),
  file("fastify/lib/route.js"),
  licence("GPL-3.0-only"),
  file("fastify/docs/Reference/Hooks.md"),
  file("fastify/lib/reply.js"),
  file("fastify/docs/Reference/Validation-and-Serialization.md"),
  file("qs/README.md"),
  file("@babel/parser/CHANGELOG.md"),
];

/** Limits beside which the texts are read, in tokens. */
const LIMITS: readonly number[] = [1_600, 6_400, 12_000];

/** A text and what reading it whole took, by limit. */
interface MeasuredDocument {
  readonly name: string;
  readonly tokens: number;
  readonly readings: readonly WholeReading[];
}

/** Reads each text whole, beside each limit. */
async function measureDocuments(
  documents: readonly WholeDocument[] = WHOLE_DOCUMENTS,
  limits: readonly number[] = LIMITS,
): Promise<MeasuredDocument[]> {
  const { count } = await createTokenCounter();
  const offloaders = limits.map((tokens) =>
    createOffloader({ store: memoryStore(), threshold: { tokens } }),
  );
  const measured: MeasuredDocument[] = [];
  try {
    for (const { name, load } of documents) {
      const text = load();
      const readings: WholeReading[] = [];
      for (const offloader of offloaders) readings.push(await readWhole(text, offloader, count));
      measured.push({ name, tokens: count(text), readings });
    }
  } finally {
    await Promise.all(offloaders.map((offloader) => offloader.close()));
  }
  return measured;
}

/** Runs `npm run eval -- --whole-documents` and returns the exit code: 1 when a text was not read to its end. */
export async function wholeDocuments(
  _: readonly string[],
  { out }: EvaluationContext,
): Promise<number> {
  const measured = await measureDocuments();
  out(`${wholeTable(measured, LIMITS)}\n`);
  return measured.every(({ readings }) => readings.every(({ complete }) => complete)) ? 0 : 1;
}

/** The readings as Markdown: tokens beside those of the text itself, and calls. */
function wholeTable(measured: readonly MeasuredDocument[], limits: readonly number[]): string {
  const rows = measured.map(({ name, tokens, readings }) => [
    name,
    tokens.toLocaleString("en"),
    ...readings.map((reading) => cell(reading, tokens)),
  ]);
  const means = limits.map((_, place) => meanCell(measured, place));
  return tableText({
    title: "A whole document, inline and offloaded",
    note:
      "Tokens in the context at the end, over those of the text; in brackets tokens that all steps read, over the same, " +
      "and calls. Definitions of tools apart. A text up to the limit stays inline. Read by a script that follows the " +
      "next calls and asks for the longest answers.",
    head: ["text", "tokens", ...limits.map((limit) => `over ${limit.toLocaleString("en")}`)],
    rows: [...rows, ["mean", "", ...means]],
  });
}

function cell(
  { calls, enteredTokens, readTokens, complete }: WholeReading,
  tokens: number,
): string {
  if (calls === 0) return "inline";
  const ratio = `${(enteredTokens / tokens).toFixed(2)} (${(readTokens / tokens).toFixed(2)}; ${calls})`;
  return complete ? ratio : `${ratio} **incomplete**`;
}

/** Of all texts, those inline among them. */
function meanCell(measured: readonly MeasuredDocument[], place: number): string {
  const mean = (of: (reading: WholeReading) => number): string => {
    const ratios = measured.map(({ tokens, readings }) => {
      const reading = readings[place];
      return reading === undefined ? Number.NaN : of(reading) / tokens;
    });
    return (ratios.reduce((sum, ratio) => sum + ratio, 0) / measured.length).toFixed(2);
  };
  return `${mean(({ enteredTokens }) => enteredTokens)} (${mean(({ readTokens }) => readTokens)})`;
}
