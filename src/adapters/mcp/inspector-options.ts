import type { Offloader } from "../../core/pipeline/offloader.js";
import type { ResourceDeskOptions } from "./resources/resource-desk.js";

/** What an inspector works with. */
export interface InspectorOptions {
  readonly offloader: Offloader;
  /** Stored outputs belong to it. Without one they belong to the connection, whose drill-ins reach no other. */
  readonly sessionId?: string | undefined;
  /** A `proxy` tells the server that it is one; both stand back when their client is one. */
  readonly role: "proxy" | "server";
  /** `false` where the client cannot read what is stored: results are redacted, and nothing else. @defaultValue `true` */
  readonly offloads?: boolean;
  /** Stored outputs are resources; without it they are none. */
  readonly resources?: Omit<ResourceDeskOptions, "offloader" | "scope" | "warn"> | undefined;
  /** Told in a sentence of what the user can change. */
  readonly warn: (sentence: string) => void;
}
