export type {
  JournalEntry,
  JournalLosses,
  JournalSession,
  JournalText,
  ReadEntry,
} from "./entry.js";
export { journal } from "./journal.js";
export { type JournalReader, type PageRequest, readJournal } from "./reader.js";
export type { JournalOptions } from "./writer.js";
