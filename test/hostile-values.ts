/** Throws, as a value here does when it is looked at. */
const fail = (message: string): never => {
  throw new Error(message);
};
const revoked = (): unknown => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};
const iterable = (next: () => unknown): unknown => ({
  [Symbol.asyncIterator]: () => ({ next }),
});
const throwing = (key: PropertyKey): object =>
  Object.defineProperty({ a: 1 }, key, { get: () => fail("get"), enumerable: true });
const cycle: Record<string, unknown> = { name: "cycle" };
cycle["self"] = cycle;

/** Values that throw when they are looked at, or that are not what they seem. */
export const HOSTILE_VALUES: readonly (readonly [string, () => unknown])[] = [
  ["a proxy whose get throws", () => new Proxy({ a: 1 }, { get: () => fail("get") })],
  [
    "a proxy whose every trap throws",
    () => new Proxy({}, new Proxy({}, { get: () => () => fail("trap") })),
  ],
  ["a revoked proxy", revoked],
  ["a list with a revoked proxy", () => [{ type: "text", text: "a" }, revoked()]],
  ["a getter of asyncIterator that throws", () => throwing(Symbol.asyncIterator)],
  ["an asyncIterator that throws", () => ({ a: 1, [Symbol.asyncIterator]: () => fail("call") })],
  ["an asyncIterator that gives nothing", () => ({ [Symbol.asyncIterator]: () => undefined })],
  ["an iterator without next", () => ({ [Symbol.asyncIterator]: () => ({}) })],
  ["an iterator whose next gives nothing", () => iterable(() => undefined)],
  ["a getter that throws", () => throwing("b")],
  ["a toJSON that throws", () => ({ toJSON: () => fail("toJSON") })],
  ["a type that throws", () => [throwing("type")]],
  [
    "a stream method that throws",
    () => ({ size: 1, arrayBuffer() {}, stream: () => fail("stream") }),
  ],
  ["a cycle", () => cycle],
  ["a big integer", () => 1n],
  ["a function", () => () => 1],
  ["nothing", () => undefined],
];
