import { CleanFault, withheldSentence } from "../../../core/content/clean/cleaner.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";

/** Of which call a text is. */
interface AboutText {
  readonly toolName: string;
  readonly toolCallId?: string | undefined;
}

/** What the plug-ins leave of a text, or that it is withheld. */
export async function cleanText(
  offloader: Offloader,
  text: string,
  about: AboutText,
): Promise<{ readonly text: string; readonly isWithheld: boolean }> {
  const cleaner = internals(offloader).host.cleanerOf(about);
  if (cleaner === undefined) return { text, isWithheld: false };
  try {
    return { text: await cleaner.text(text, "output"), isWithheld: false };
  } catch (error) {
    if (!(error instanceof CleanFault)) throw error;
    return { text: withheldSentence(about.toolName), isWithheld: true };
  }
}
