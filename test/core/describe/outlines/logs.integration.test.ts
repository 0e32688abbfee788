import { describe, expect, it } from "vitest";

import { linesOf } from "./lines-of.js";

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
    [
      "2026-01-02 10:00:00 - app - WARNING - a",
      "2026-01-02 10:00:00 - app - ERROR - b",
      "WARN 3, ERROR 1",
    ],
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
