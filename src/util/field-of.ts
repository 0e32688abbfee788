/** Own or inherited. */
export function fieldOf(value: unknown, name: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

export function ownFieldOf(value: unknown, name: string): unknown {
  return Object.hasOwn(Object(value), name) ? fieldOf(value, name) : undefined;
}
