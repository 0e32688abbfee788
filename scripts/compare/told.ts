/** What became of one output: its outcome, what the model sees and what else the caller gets. */
export interface ToldOutput {
  readonly outcome?: string;
  readonly text?: string;
  readonly [part: string]: unknown;
}

/** What one version made of a scenario: plain JSON data, so that it can be compared. */
export interface Told {
  readonly name?: string;
  /** Why there is nothing else. */
  readonly ended?: string;
  readonly outputs?: readonly ToldOutput[];
  readonly stored?: readonly unknown[];
  readonly records?: unknown;
  readonly tools?: unknown;
  readonly answers?: unknown;
  readonly events?: unknown;
  readonly uncaught?: readonly string[];
}
