/** What a value of records is said to be. */
export type Kind =
  | { readonly is: "text" | "integer" | "number" | "boolean" | "null" | "object" | "any" }
  | { readonly is: "date" | "date-time" | "numerals" }
  | { readonly is: "list" | "map"; readonly of: Kind }
  | {
      readonly is: "fields";
      readonly of: ReadonlyMap<string, Kind>;
      /** Marked as absent or null in some objects. */
      readonly optional: ReadonlySet<string>;
    }
  | { readonly is: "value"; readonly json: string }
  | { readonly is: "either"; readonly of: readonly Kind[] };

/** What is said of one field. */
export type Fact =
  | { readonly fact: "kind"; readonly kind: Kind }
  /** So many values are of a kind, of which something is said. */
  | { readonly fact: "of-kind"; readonly kind: Kind; readonly count: number; readonly inner?: Fact }
  | {
      readonly fact: "nulls" | "empties" | "absent" | "different" | "longest";
      readonly count: number;
    }
  | { readonly fact: "some-lack" | "unique" }
  | {
      readonly fact: "range";
      readonly of: "numbers" | "dates";
      readonly min: string;
      readonly max: string;
    }
  | { readonly fact: "lengths"; readonly min: number; readonly max: number; readonly all?: number }
  /** Of all entries of the lists. */
  | { readonly fact: "of-items"; readonly inner: Fact }
  | {
      readonly fact: "values";
      readonly values: readonly (readonly [value: string, count: number | undefined])[];
    }
  | { readonly fact: "example"; readonly text: string }
  | {
      readonly fact: "numerals";
      readonly count: number;
      readonly of: number;
      readonly word?: string;
    }
  | { readonly fact: "keys"; readonly count: number; readonly keys: readonly string[] };

/** One statement of a descriptor. `said` is what is printed and listed of it. */
export type Claim = { readonly said: string } & (
  | {
      readonly kind: "count" | "bytes" | "lines" | "sampled-of" | "columns-hidden";
      readonly value: number;
    }
  | { readonly kind: "set"; readonly path: string; readonly count: number; readonly lines?: string }
  | { readonly kind: "schema"; readonly value: unknown }
  | { readonly kind: "rest"; readonly path: string; readonly value: unknown }
  | {
      readonly kind: "next-page";
      readonly path: string;
      readonly cursor: string | number | boolean;
    }
  | { readonly kind: "incomplete" | "not-understood" | "not-checked" }
  | { readonly kind: "field"; readonly set: string; readonly name: string; readonly fact: Fact }
  | {
      readonly kind: "hidden-fields";
      readonly set: string;
      readonly names: readonly string[];
      readonly count: number;
    }
  | { readonly kind: "keys"; readonly keys: readonly string[] }
  | {
      readonly kind: "value-counts";
      readonly field?: string;
      readonly counts: ReadonlyMap<string, number>;
    }
  | { readonly kind: "outlined"; readonly shape: unknown; readonly isSample: boolean }
  | { readonly kind: "begins" | "ends" | "title" | "mentions"; readonly text: string }
  | { readonly kind: "line"; readonly line: number; readonly text: string }
  | {
      readonly kind: "place";
      readonly path: string;
      readonly line?: number;
      readonly count?: number;
      readonly facts: readonly (readonly [fact: Fact, words: string])[];
    }
  | {
      readonly kind: "heading";
      readonly line: number;
      readonly depth: number;
      readonly text: string;
      readonly lines?: number;
    }
  | { readonly kind: "first-heading"; readonly line: number }
  | {
      readonly kind: "total";
      readonly noun: string;
      readonly count: number;
    }
  | {
      readonly kind: "times";
      readonly count: number;
      readonly first: string;
      readonly last: string;
      readonly lines: readonly [number, number];
    }
  | {
      readonly kind: "levels";
      readonly counts: ReadonlyMap<string, readonly [count: number, firstLine: number]>;
    }
  | { readonly kind: "tags"; readonly counts: ReadonlyMap<string, number> }
  | {
      readonly kind: "table";
      readonly line: number;
      readonly rows: number;
      readonly headers: readonly string[];
    }
  | {
      readonly kind: "changes";
      readonly changes: number;
      readonly added: number;
      readonly removed: number;
    }
  | {
      readonly kind: "changed-file";
      readonly line: number;
      readonly path: string;
      readonly added: number;
      readonly removed: number;
    }
  | {
      readonly kind: "definition";
      readonly line: number;
      readonly text: string;
    }
);

/** A claim of one kind. */
export type ClaimOf<Wished extends Claim["kind"]> = Extract<Claim, { readonly kind: Wished }>;
