import type { Surroundings } from "../command.js";

/** Shorter work shows nothing. */
const FIRST_MS = 500;
const EVERY_MS = 200;
const ERASE_LINE = "\r\u001b[K";

/**
 * Shows a line on standard error while work takes longer than half a second, when that is a terminal,
 * and takes it away at the end.
 *
 * @param line - What is shown at the moment, at most a terminal's width, nothing of somebody's data in it.
 */
export async function withProgress<T>(
  { err }: Pick<Surroundings, "err">,
  line: () => string,
  work: () => Promise<T>,
): Promise<T> {
  if (!err.isTerminal) return await work();
  let isShown = false;
  const show = (): void => {
    isShown = true;
    void err.write(`${ERASE_LINE}${line()}`);
  };
  let repeat: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    show();
    repeat = setInterval(show, EVERY_MS);
  }, FIRST_MS);
  try {
    return await work();
  } finally {
    clearTimeout(first);
    clearInterval(repeat);
    if (isShown) await err.write(ERASE_LINE);
  }
}
