import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { request, type S3Bucket } from "./bucket.js";

/** Most keys that a server gives at once. */
const MAX_KEYS = 1000;
/** Ends a list that a server never ends. */
const MAX_PAGES = 100_000;

/** Which keys are wanted. */
export interface KeyRange {
  readonly prefix: string;
  /** The keys after this one; all when it is `undefined`. */
  readonly startAfter?: string | undefined;
  /** Keys a page, at most 1,000, which is the default. */
  readonly pageSize?: number;
}

/** Lists keys in their order, page by page, also those that others have put there. */
export async function* listKeys(
  bucket: S3Bucket,
  { prefix, startAfter, pageSize = MAX_KEYS }: KeyRange,
): AsyncGenerator<readonly string[]> {
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const command = new ListObjectsV2Command({
      Bucket: bucket.bucket,
      Prefix: prefix,
      StartAfter: startAfter,
      MaxKeys: Math.min(pageSize, MAX_KEYS),
      ContinuationToken: token,
      // A key of someone else may have characters that XML cannot carry.
      EncodingType: "url",
    });
    const answer = await request(bucket, "ListObjectsV2", (options) =>
      bucket.client.send(command, options),
    );
    yield (answer.Contents ?? []).flatMap(({ Key: key }) =>
      key === undefined ? [] : [decodeKey(key)],
    );
    token = answer.IsTruncated === true ? answer.NextContinuationToken : undefined;
    if (token === undefined) return;
  }
  throw new Error("S3 does not end its list.");
}

/** Keys of ours are the same encoded or not. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
