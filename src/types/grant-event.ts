/** What happened to a grant. No event has its token. */
export type GrantEvent =
  | {
      /** A session lets another one read outputs of its own. */
      readonly type: "granted";
      readonly grantId: string;
      /** SHA-256 of the session that grants, in hex. */
      readonly scope: string;
      /** SHA-256 of the session that may read, in hex. */
      readonly to: string;
      /** `undefined` for all outputs of the session. */
      readonly artifactIds: readonly string[] | undefined;
      /** Unix milliseconds. */
      readonly until: number;
    }
  | {
      /** An output was found by a grant. */
      readonly type: "grant-used";
      readonly grantId: string;
      readonly artifactId: string;
      /** SHA-256 of the session that asked, in hex. */
      readonly scope: string;
      /** SHA-256 of the session that has granted it, in hex. */
      readonly from: string;
    }
  | {
      /** A call had tokens, and none of them let it look for what it named. */
      readonly type: "grant-refused";
      readonly artifactId: string;
      /** SHA-256 of the session that asked, in hex. */
      readonly scope: string;
      /** Why, token by token. */
      readonly refusals: readonly {
        readonly reason:
          | "malformed"
          | "unknown-key"
          | "wrong-signature"
          | "other-session"
          | "other-output"
          | "over"
          | "revoked";
        /** Only where the signature was right. */
        readonly grantId?: string;
      }[];
    }
  | {
      readonly type: "grant-revoked";
      readonly grantId: string;
      /** SHA-256 of the session that had granted, in hex. */
      readonly scope: string;
    };
