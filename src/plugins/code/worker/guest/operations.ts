/** What a guest asks its host for: the first argument of the host function that its prelude holds. */
export const OPERATIONS = {
  /** (reference, JSON of `[fields, set]`) → number of a reader */
  open: 0,
  /** (reference) → number of a reader of lines */
  lines: 1,
  /** (number of a reader) → JSON array of the next records, or the next lines as text; null at the end */
  pull: 2,
  /** (number of a reader, how much of its last batch was not taken) */
  close: 3,
  /** (reference) → number of a reader of one text in pieces */
  read: 4,
  /** (number of a reader) → json, records, lines or text, as what its batches are to be taken */
  kind: 5,
  /** (piece of text) */
  print: 6,
  /** (form, piece of text) */
  return: 7,
  /** (name, form) → number of what is saved */
  save: 8,
  /** (number, piece of text) */
  push: 9,
  /** (number) → id */
  saved: 10,
  /** (number) */
  unsave: 11,
  /** (name, JSON of the arguments) → number of the call */
  call: 12,
} as const;

/** How the result of a call is handed to the guest. */
export const CALLED = { json: 0, error: 1, reader: 2 } as const;
