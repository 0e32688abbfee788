/** What runs, asks or hides when a page takes it for more than text. */
export const HOSTILE: readonly string[] = [
  "<script>globalThis.pwned=1</script>",
  '"><img src=http://evil.example/x onerror="globalThis.pwned=1">',
  "<svg/onload=globalThis.pwned=1>",
  "javascript:globalThis.pwned=1",
  "</style><style>*{display:none}</style>",
  "{{constructor.constructor('globalThis.pwned=1')()}}",
  "\u202Eexe.txt\u202C\u0000\u001b[2J\u200b",
  "__proto__",
  "constructor",
  `${"<b>".repeat(200)}\uD800`,
  "url(http://evil.example/y)",
  "$&$`$'",
];

/** A text with all of it. */
export const ALL_HOSTILE: string = HOSTILE.join(" ");
