/** One fault put into the source on purpose. A test has to fail for it. */
export interface Fault {
  /** What is wrong with it, in a few words. */
  readonly fault: string;
  /** Below `src`. */
  readonly file: string;
  /** Text that stands once in the file. */
  readonly find: string;
  /** What stands there instead. */
  readonly put: string;
}

/** A fault against a rule of the LRO specification, whose test's title begins with its number. */
export interface Mutant extends Fault {
  readonly rule: number;
}

/** A fault against one of the ten rules that hold for the library as a whole. */
export interface WholeMutant extends Fault {
  readonly whole: number;
  /** A file whose tests find it, below `test`. */
  readonly test: string;
}
