/** The same object, and how often its methods were called. */
export function countingCalls<Counted extends object>(object: Counted): [Counted, () => number] {
  let calls = 0;
  const counting = new Proxy(object, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        calls += 1;
        return Reflect.apply(value, target, args);
      };
    },
  });
  return [counting, () => calls];
}
