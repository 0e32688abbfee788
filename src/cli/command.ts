/** What a command has from the process it runs in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Standard input. */
  readonly input: Input;
  /** Standard output: what was asked for. */
  readonly out: Output;
  /** Standard error: problems, notes and progress. */
  readonly err: Output;
}

/** The stream that a command reads from: once, as bytes or as lines. */
export interface Input {
  /**
   * Everything until it ends.
   *
   * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for more than `maxBytes`.
   */
  bytes(maxBytes: number): Promise<Uint8Array>;
  /**
   * Its lines as they come.
   *
   * @param prompt - Shown for each line where a person types.
   */
  lines(prompt: string): AsyncIterable<string>;
}

/** One of the two streams that a command writes to. */
export interface Output {
  /** Whether a person may be looking: control characters must not reach it then. */
  readonly isTerminal: boolean;
  /**
   * Resolves when the data are handed over.
   *
   * @throws The stream's error, such as `EPIPE` when its reader has ended.
   */
  write(data: string | Uint8Array): Promise<void>;
}

/** 0: done. 1: what was asked for is not there. 2: wrong usage, or a fault. */
export type ExitCode = 0 | 1 | 2;

/** One option of a command, as `parseArgs` of `node:util` takes it. */
export interface CommandOption {
  readonly type: "string" | "boolean";
  readonly short?: string;
  readonly multiple?: boolean;
}

/** One command: a file in `commands/`, and a line of the table in `commands.ts`. */
export interface Command {
  /** Printed by `--help`; fits 80 columns and 24 lines. */
  readonly help: string;
  /** By their long names; `--help` is there for every command. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** What must stand beside the options, in order. */
  readonly operands: readonly string[];
  /** Takes what it gets after the last operand too, such as another program's command line. */
  readonly takesMore?: boolean;
  /**
   * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` for wrong usage, `ARTIFACT_NOT_FOUND` or
   * `ARTIFACT_EXPIRED` for what is not there; whatever else it throws is printed as a fault.
   */
  run(given: Given, surroundings: Surroundings): Promise<ExitCode>;
}

/** A line of the table of commands: the command itself is loaded when it is run. */
export interface CommandEntry {
  readonly name: string;
  /** What the program's help says of it; at most 60 characters. */
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** What a command was given. */
export interface Given {
  readonly operands: readonly string[];
  /** Whether `--` ended the options. */
  readonly hasEnd: boolean;
  text(option: string): string | undefined;
  flag(option: string): boolean;
  /** The values of an option that may stand several times. */
  list(option: string): readonly string[];
  /**
   * A whole number.
   *
   * @throws {@link OffloadError} with code `INVALID_ARGUMENTS` when it is none, or is below `min`.
   */
  number(option: string, min?: number): number | undefined;
}
