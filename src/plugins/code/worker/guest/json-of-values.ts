/**
 * The part of the prelude that says what stands in JSON for values that it has no word for, or a wrong one; `told` gives it
 * of a value that is shown.
 */
export const JSON_OF_VALUES: string = `// What JSON has no word for.
add(Map.prototype, "toJSON", function toJSON() {
  const object = { __proto__: null };
  for (const [key, value] of this) {
    const name = typeof key === "object" ? stringify(key) : text(key);
    // Names that are numbers would be sorted, and of two equal ones the last would stay.
    if (name in object || text(name >>> 0) === name) return [...this];
    object[name] = value;
  }
  return object;
});
for (const kind of [Error, RegExp]) add(kind.prototype, "toJSON", function toJSON() { return text(this); });
for (const kind of [Promise.prototype, asyncIterators])
  add(kind, "toJSON", function toJSON() {
    throw new makeType(kind === asyncIterators
      ? "an asynchronous generator has no JSON: take its values by for await"
      : "a promise has no JSON: write await before it, or await Promise.all([...]) for several");
  });
add(Set.prototype, "toJSON", function toJSON() { return [...this]; });
add(BigInt.prototype, "toJSON", function toJSON() {
  const number = Number(this);
  return Number.isSafeInteger(number) ? number : text(this);
});

// A reader, and what its own methods make of one, is a list in JSON. Where it is taken for an array it says so.
let isTaken = false;
add(prototypeOfRows, "toJSON", function toJSON() { isTaken = true; return [...this]; });
for (const name of ["length", "0"])
  assign(prototypeOfRows, name, {
    configurable: true,
    get() { throw new makeType("this is an iterator, with no " + (name === "0" ? "[0]" : name) + ": make an array of it, such as [...outputs.open(id)], or count in a loop"); },
    set(value) { assign(this, name, { value, writable: true, configurable: true, enumerable: true }); },
  });

// A number that is none would be null, which reads as no data. What can be read only once is not read again.
const told = (value) => {
  isTaken = false;
  const json = stringify(value);
  if (json === undefined || isTaken || !includes(json, "null")) return json;
  return stringify(value, (key, member) =>
    typeof member === "number" && !isFinite(member) ? text(member) : member);
};`;
