/** What a cell is when it is no words. */
export type ValueKind = "number" | "moment" | "address" | "truth";

/** A longer value is words. */
const MAX_CHARACTERS = 80;

const NUMBER = /^[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:[eE][-+]?\d{1,4})?%?$/;
const MOMENT =
  /^(?:\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\w{3,9} \d{1,2},? \d{4}|\d{1,2}:\d\d)(?:$|[T :]\d)/;
/** An address of the web, of mail, of a machine or of a file, and what a hash or an id is written as. */
const ADDRESS =
  /^(?:\w{2,12}:\/\/\S+|[^\s@]{1,60}@[^\s@]{1,60}|\d{1,3}(?:\.\d{1,3}){3}|[^\s/]*\/\S*|(?=[a-f]{0,70}\d)[\da-f]{7,64}|[\da-f]{8}-[\da-f]{4}-[\da-f-]{14,27})$/i;
const TRUTH = /^(?:true|false|yes|no)$/i;

/** The kind of a value without blanks around it; `undefined` for words and for nothing. */
export function valueKind(value: string): ValueKind | undefined {
  if (value === "" || value.length > MAX_CHARACTERS) return undefined;
  if (/\d/.test(value) && NUMBER.test(value)) return "number";
  if (MOMENT.test(value)) return "moment";
  if (TRUTH.test(value)) return "truth";
  return ADDRESS.test(value) ? "address" : undefined;
}
