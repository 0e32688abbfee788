/** Tells which lines of code begin within a string that goes over lines. */
export interface OpenStrings {
  /** Reads a line; `true` when it begins within a string. In a remark, none begins. */
  readonly take: (line: string, isRemark: boolean) => boolean;
  readonly reset: () => void;
}

const MARKS = ['"""', "'''", "`"];
/** After so many lines, what was taken for the beginning of a string was none. */
const MAX_LINES = 400;

/** Strings in three quotes and in backticks, in whatever language. */
export function createOpenStrings(): OpenStrings {
  let open = "";
  let lines = 0;
  return {
    take(line, isRemark) {
      const wasOpen = open !== "";
      if (isRemark && !wasOpen) return false;
      lines = wasOpen ? lines + 1 : 0;
      open = lines > MAX_LINES ? "" : openAfter(line, open);
      return wasOpen;
    },
    reset() {
      open = "";
    },
  };
}

/** The mark of the string that is open at the end of a line; empty for none. */
function openAfter(line: string, before: string): string {
  let open = before;
  for (let at = 0; at < line.length;) {
    if (open !== "") {
      const end = endOf(line, open, at);
      if (end === -1) return open;
      open = "";
      at = end;
    } else if (line.startsWith("//", at) || line.startsWith(" # ", at)) return "";
    else {
      const mark = MARKS.find((one) => line.startsWith(one, at));
      if (mark === undefined) at = afterQuoted(line, at);
      else {
        open = mark;
        at += mark.length;
      }
    }
  }
  return open;
}

/** After a string of one line that begins here, if one does. */
function afterQuoted(line: string, at: number): number {
  const quote = line[at] ?? "";
  const end = quote === '"' || quote === "'" ? endOf(line, quote, at + 1) : -1;
  return end === -1 ? at + 1 : end;
}

/** After the mark that ends a string; -1 when it does not end here. */
function endOf(line: string, mark: string, from: number): number {
  for (let at = from; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line.startsWith(mark, at)) return at + mark.length;
  }
  return -1;
}
