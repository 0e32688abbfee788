import { AIMessage, type BaseMessage } from "@langchain/core/messages";
import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";

/** What a notebook draws: representations by media type. */
export interface Drawing {
  readonly [display: symbol]: () => Readonly<Record<string, string>>;
}

type Row = Readonly<Record<string, string | number>>;

const encoding = new Tiktoken(o200k);
const counted = new WeakMap<BaseMessage, number>();

/** What differs from run to run: ids, names of temporary folders, and how long code took. */
const BY_CHANCE = [
  [/(?<![A-Z0-9])[0-9A-HJKMNP-TV-Z]{26}(?![A-Z0-9])/g, "01M81JAZCMHBA7QXMHVDSY36F4"],
  [/(?<=\/tmp\/\w+-)\w{6}(?=\/)/g, "TxZLCa"],
  [/(?<=records\)\. )[\d.]+ s(?=\.)/g, "2.4 s"],
] as const;

/** Tokens of a text in o200k_base, counted to the last; the same in every run, with these always the same. */
export function tokensOf(text: string): number {
  const fixed = BY_CHANCE.reduce((left, [pattern, other]) => left.replace(pattern, other), text);
  return encoding.encode(fixed, [], []).length;
}

/** Tokens of these messages: their texts and the calls of tools. */
export function tokensIn(messages: readonly BaseMessage[]): number {
  let sum = 0;
  for (const message of messages) {
    const tokens = counted.get(message) ?? tokensOf(said(message));
    counted.set(message, tokens);
    sum += tokens;
  }
  return sum;
}

/** Tokens that each call of the model was sent, in order; the last one also when the model refused it. */
export function tokensOfCalls(messages: readonly BaseMessage[]): number[] {
  const sent = messages.flatMap((message, index) => (AIMessage.isInstance(message) ? [index] : []));
  if (messages.at(-1)?.type !== "ai") sent.push(messages.length);
  return sent.map((end) => tokensIn(messages.slice(0, end)));
}

function said(message: BaseMessage): string {
  const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
  return message.text + calls.map(({ name, args }) => name + JSON.stringify(args)).join("");
}

/** A conversation line by line, long texts by their beginning. */
export function conversation(messages: readonly BaseMessage[], maxCharacters = 300): Drawing {
  return text(transcript(messages, maxCharacters));
}

/** The text of {@link conversation}. */
export function transcript(messages: readonly BaseMessage[], maxCharacters = 300): string {
  const lines = messages.flatMap((message) => {
    const who = message.type.padEnd(7);
    const calls = AIMessage.isInstance(message) ? (message.tool_calls ?? []) : [];
    return [
      ...(message.text === "" ? [] : [who + shorten(message.text, maxCharacters)]),
      ...calls.map(({ name, args }) => `${who}→ ${name}(${JSON.stringify(args)})`),
    ];
  });
  return lines.join("\n");
}

function shorten(text: string, maxCharacters: number): string {
  const line = text.trimEnd().replaceAll("\n", "\n       ");
  if (line.length <= maxCharacters) return line;
  return `${line.slice(0, maxCharacters)}… (${text.length.toLocaleString("en-US")} characters)`;
}

/** A table; numbers with separators, to the right. */
export function table(rows: readonly Row[]): Drawing {
  const names = Object.keys(rows[0] ?? {});
  const head = names.map((name) => `<th>${escape(name)}</th>`).join("");
  const body = rows.map((row) => `<tr>${names.map((name) => cell(row[name])).join("")}</tr>`);
  const lines = [names, ...rows.map((row) => names.map((name) => shown(row[name])))];
  return drawing({
    "text/html": `<table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table>`,
    "text/plain": lines.map((line) => line.join(" | ")).join("\n"),
  });
}

/** Text as it is. */
export function text(plain: string): Drawing {
  return drawing({ "text/plain": plain });
}

/** Indented JSON. */
export function json(value: unknown): Drawing {
  return text(JSON.stringify(value, null, 2));
}

/** What the cell's value is drawn as. Outside a notebook all of it is printed, as a line of JSON. */
export function drawing(representations: Readonly<Record<string, string>>): Drawing {
  if (process.env["NOTEBOOK_OUTPUT"] === "print") console.log(JSON.stringify(representations));
  return { [Symbol.for("Jupyter.display")]: () => representations };
}

function cell(value: string | number | undefined): string {
  const align = typeof value === "number" ? ' align="right"' : "";
  return `<td${align}>${escape(shown(value))}</td>`;
}

function shown(value: string | number | undefined): string {
  return typeof value === "number" ? value.toLocaleString("en-US") : (value ?? "");
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
