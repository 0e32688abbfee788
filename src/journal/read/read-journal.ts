import { OffloadError } from "../../errors.js";
import type { JournalReader } from "./reader.js";

/** Opens a directory of journals for reading. Nothing is read before the first question, and a directory that is not there is empty. */
export function readJournal(_directory: string): JournalReader {
  throw new OffloadError(
    "INVALID_ARGUMENTS",
    "readJournal() comes with the next commit of this branch.",
  );
}
