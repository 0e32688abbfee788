/** What happened, on disk: a journal that an agent's process writes and others read. */
export type {
  ContextMessage,
  ContextPart,
  EventEntry,
  Journal,
  JournalArtifact,
  JournalEntry,
  JournalLosses,
  JournalledPart,
  JournalRedact,
  JournalSession,
  JournalText,
  LossEntry,
  ModelAnswerEntry,
  ModelCallEntry,
  ReadEntry,
  StayedEntry,
} from "./entry.js";
export { journal } from "./journal.js";
export { type JournalReader, type PageRequest, readJournal } from "./reader.js";
export type { JournalOptions } from "./writer.js";
