/** Printed lines that are told at once, and the time between two that are told after them. */
const TOLD_AT_ONCE = 32;
const TELL_EVERY_MS = 100;

/**
 * When a run that may have to be ended from outside tells what it has printed. Asked for each line: the first ones are told
 * `at once`, a later one `with more behind it`, and most of those not before a later one is.
 */
export function createTellingPace(): () => "at once" | "with more behind it" | "later" {
  let lines = 0;
  let toldAt = 0;
  return () => {
    const now = performance.now();
    lines += 1;
    if (lines > TOLD_AT_ONCE && now - toldAt < TELL_EVERY_MS) return "later";
    toldAt = now;
    return lines < TOLD_AT_ONCE ? "at once" : "with more behind it";
  };
}
