export function copyWith<Given extends object>(
  given: Given,
  properties: Readonly<Record<string, unknown>>,
): Given {
  const copy: Given = Object.create(given);
  for (const [key, value] of Object.entries(properties)) {
    Object.defineProperty(copy, key, { value, enumerable: typeof value !== "function" });
  }
  return new Proxy(copy, {
    // A getter may read private fields, which only the original has.
    get: (own, key): unknown => Reflect.get(Object.hasOwn(own, key) ? own : given, key),
  });
}
