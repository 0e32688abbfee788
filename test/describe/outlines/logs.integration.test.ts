import { describe, expect, it } from "vitest";

import { linesOf } from "./lines-of.js";

const padded = (number: number): string => String(number).padStart(2, "0");

/** Lines three minutes apart, from eight in the evening to the next morning. */
function overMidnight(line: (day: number, clock: string) => string): string {
  return Array.from({ length: 200 }, (_, n) => {
    const minutes = 20 * 60 + 3 * n;
    const hour = Math.floor(minutes / 60);
    return line(Math.floor(hour / 24), `${padded(hour % 24)}:${padded(minutes % 60)}:00`);
  }).join("\n");
}

describe("the times of a log", () => {
  it.each([
    ["clocks alone", (_: number, clock: string) => `${clock} INFO a`, "20:00:00", "05:57:00"],
    [
      "clocks after a word",
      (_: number, clock: string) => `[main] ${clock} INFO a`,
      "20:00:00",
      "05:57:00",
    ],
    [
      "klog",
      (day: number, clock: string) => `I010${2 + day} ${clock}.000000 1 a.go:1] a`,
      "0102 20:00:00.000000",
      "0103 05:57:00.000000",
    ],
    [
      "Android",
      (day: number, clock: string) => `01-0${2 + day} ${clock}.000  1  2 I a: a`,
      "01-02 20:00:00.000",
      "01-03 05:57:00.000",
    ],
    [
      "a date without dashes",
      (day: number, clock: string) => `2026010${2 + day} ${clock} INFO a`,
      "20260102 20:00:00",
      "20260103 05:57:00",
    ],
    [
      "the day first",
      (day: number, clock: string) => `0${2 + day}.01.2026 ${clock} INFO a`,
      "02.01.2026 20:00:00",
      "03.01.2026 05:57:00",
    ],
  ])("are those of its first line and its last: %s", async (_name, line, first, last) => {
    const lines = await linesOf("log", overMidnight(line));
    expect(lines[0]).toBe(`first line ${first}, last line ${last}`);
  });

  it.each(["1/5/2024 ", "1/5/2024, ", "2024-01-05 ", ""])(
    "have the half of the day, after %j",
    async (date) => {
      const log = Array.from({ length: 200 }, (_, n) => {
        const hour = 8 + Math.floor(n / 20);
        return `${date}${hour % 12 || 12}:${padded((n * 3) % 60)}:00 ${hour < 12 ? "AM" : "PM"} INFO a`;
      }).join("\n");
      const [range] = await linesOf("log", log);
      expect(range).toBe(`first line ${date}8:00:00 AM, last line ${date}5:57:00 PM`);
    },
  );

  it("are not told where a clock stands behind a date that is not read", async () => {
    const log = overMidnight((day, clock) => `${2 + day}Jan2026 ${clock} INFO a`);
    expect((await linesOf("log", log))[0]).toBe("INFO 200");
  });

  it("have a zone only where one is written", async () => {
    expect((await linesOf("log", "2026-01-02 10:00:00 Zebra\n".repeat(3)))[0]).toBe(
      "2026-01-02 10:00:00 to 2026-01-02 10:00:00",
    );
  });
});

describe("the levels of a log", () => {
  it.each([
    ["warning: unused", "error[E0308]: no", "WARN 3, ERROR 1"],
    ["src/a.c:1:5: warning: unused", "src/a.c:1:5: fatal error: no", "WARN 3, ERROR 1"],
    ["a.cs(1,2): warning CS0168: unused", "a.cs(1,2): error CS1002: ; expected", "WARN 3, ERROR 1"],
    ["  2:7  warning  Unexpected", "  1:5  error    'x' is not defined", "WARN 3, ERROR 1"],
    ["npm warn deprecated a@1: no", "npm error code E1", "WARN 3, ERROR 1"],
    ["[02-Jan-2026 10:00:00 UTC] PHP Warning:  a", "PHP Fatal error:  b", "WARN 3, ERROR 1"],
    [
      "2026-01-02T10:00:00Z 0 [Warning] [MY-1] a",
      "2026-01-02T10:00:00Z 0 [ERROR] b",
      "WARN 3, ERROR 1",
    ],
    ["[Wed Jan 02 10:00:00 2026] [core:warn] a", "PHP Fatal error:  b", "WARN 3, ERROR 1"],
    [
      "2026-01-02T10:00:00Z\tinfo\ta.go:1\ta",
      "2026-01-02T10:00:00Z\terror\ta.go:1\tb",
      "INFO 3, ERROR 1",
    ],
    ["[10:00:00 WRN] a", "[10:00:00 ERR] b", "WARN 3, ERROR 1"],
    ["info: Microsoft.A[0]", "fail: Microsoft.A[0]", "INFO 3, ERROR 1"],
    ["WARN[0001] a", "ERRO[0002] b", "WARN 3, ERROR 1"],
    ["time=2026-01-02T10:00:00Z level=INFO msg=a", "level=ERROR msg=b", "INFO 3, ERROR 1"],
    [
      "[2026-01-02T10:00:00,123][WARN ][o.e.N] a",
      "[2026-01-02T10:00:00,123][ERROR][o.e.N] b",
      "WARN 3, ERROR 1",
    ],
    ["2026-01-02T10:00:00Z ##[warning]a", "2026-01-02T10:00:00Z ##[error]b", "WARN 3, ERROR 1"],
    ["2026/01/02 10:00:00 [error] a", "2026/01/02 10:00:00 [crit] b", "ERROR 3, CRITICAL 1"],
    ["│ Warning: a", "│ Error: b", "WARN 3, ERROR 1"],
    ["Warning: a", "Error: b", "WARN 3, ERROR 1"],
    [
      "2026-01-02 10:00:00 INFO a",
      "2026-01-02 10:00:00 ERROR a\nError: a\n    at f (a.js:1:2)",
      "INFO 3, ERROR 1",
    ],
    ["INFO the warning of an error is no level", "INFO trace id, alert sent", "INFO 4"],
  ])("are those of %j and %j", async (often, once, levels) => {
    expect(await linesOf("log", `${often}\n`.repeat(3) + once)).toContain(levels);
  });
});
