/** What happened, on disk: a journal that an agent's process writes and others read. */
export type {
  ContextMessage,
  ContextPart,
  EventEntry,
  JournalArtifact,
  JournalEntry,
  JournalText,
  LossEntry,
  ModelAnswerEntry,
  ModelCallEntry,
  ReadEntry,
  StayedEntry,
} from "./entry.js";
export type { JournalOptions } from "./file/file-journal.js";
export { journal } from "./journal-plugin.js";
export type { Journal, JournalledPart, JournalRedact } from "./journal.js";
export { readJournal } from "./read/read-journal.js";
export type { JournalLosses, JournalReader, JournalSession, PageRequest } from "./read/reader.js";
