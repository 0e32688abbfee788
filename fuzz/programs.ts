import fc from "fast-check";

/** What a program may do that a sandbox has to survive. */
const HOSTILE = [
  "while (1);",
  "for (;;) { try { while (1); } catch (e) {} }",
  "const f = () => Promise.resolve().then(f); await f()",
  "const all = []; for (;;) all.push(new Array(1000).fill(all))",
  "let s = 'ab'; for (;;) s += s",
  "throw new Error('x'.repeat(5e6))",
  "throw { get message() { while (1); } }",
  "return new Proxy({}, { get() { throw 1 }, ownKeys() { while (1); } })",
  "return { toJSON() { return 'y'.repeat(1e7) } }",
  "return { get a() { throw new Error('z'.repeat(1e6)) } }",
  "Object.prototype.toJSON = () => { throw 1 }; return {}",
  "Object.prototype.then = function (a) { a(5) }; return {}",
  "Array.prototype[Symbol.iterator] = function* () { for (;;) yield 1 }; [...[1]]",
  "JSON.stringify = JSON.parse = () => { while (1); }; return [1]",
  "Promise.prototype.then = () => { throw 2 }; await 1; return 3",
  "Error.prepareStackTrace = (e, s) => { for (const x of s) x.getFunction?.()?.(0, 'a', '{'); while (1); }; nothing.here",
  "Function.prototype.call = Function.prototype.apply = null; print(1)",
  "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "new Array(1e8).join()",
  "await new Promise(() => {})",
  "const f = () => f() + 1; f()",
  "return eval('globalThis').constructor.constructor('return this')()",
  "await import('node:fs')",
  "for (let i = 0; i < 500; i += 1) outputs.open('r').next()",
  "outputs.save('x', (function* () { for (;;) yield 'q'.repeat(1000) })())",
  "for (;;) print('p'.repeat(1000))",
  "print('\\ud800'.repeat(1e6))",
];

/** Words that generated code is made of: some of it compiles. */
const WORDS = [
  ..."(){}[];,.:?=+-*/%<>!&|^~`'\"\\\n".split(""),
  ..."const let var function return await async yield class new throw try catch finally for of in while if else typeof delete void this null undefined true false 0 1 -1 1e9 2n NaN".split(
    " ",
  ),
  ..."outputs open lines read save print console Proxy Symbol Reflect Promise Object Array Map Set JSON Error globalThis eval Function constructor prototype __proto__ toString then toJSON a b c".split(
    " ",
  ),
  "outputs.open('r')",
  "outputs.lines('t')",
  "outputs.read('t')",
  "outputs.save('x', [1])",
  "print(1)",
  "=>",
  "...",
  "?.",
  "${",
];

/** JavaScript as a hostile or a careless model might write it. */
export const programs: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE) },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.constantFrom(...HOSTILE), { minLength: 2, maxLength: 3 })
      .map((parts) =>
        parts
          .map((part) => `try { await (async () => { ${part} })() } catch (e) { print(typeof e) }`)
          .join("\n"),
      ),
  },
  {
    weight: 4,
    arbitrary: fc
      .array(fc.constantFrom(...WORDS), { maxLength: 40 })
      .map((words) => words.join(" ")),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
);
