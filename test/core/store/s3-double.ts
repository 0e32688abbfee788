import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

interface S3Object {
  readonly body: Buffer;
  /** The headers that the object is stored with and answered with. */
  readonly metadata: Readonly<Record<string, string>>;
}

interface Upload {
  readonly key: string;
  readonly metadata: S3Object["metadata"];
  readonly parts: Map<number, Buffer>;
}

/** What becomes of a request: it is served, dropped, or served with its answer dropped. */
type Fate = "served" | "dropped" | "answer dropped";

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

/** A small S3 server with the bucket `test`, for what no server at hand does: conditions, uploads, faults. */
export interface S3Double {
  readonly port: number;
  readonly objects: Map<string, S3Object>;
  readonly uploads: Map<string, Upload>;
  /** Decides on each request; serves all at first. */
  decide: (request: { readonly method: string; readonly path: string }) => Fate;
  stop(): Promise<void>;
}

/** Starts the server. Without `heedsConditions` it overwrites whatever `If-None-Match` says. */
export async function startS3Double({
  heedsConditions = true,
}: { heedsConditions?: boolean } = {}): Promise<S3Double> {
  const objects = new Map<string, S3Object>();
  const uploads = new Map<string, Upload>();

  function create(key: string, object: S3Object, request: IncomingMessage): Answer {
    if (heedsConditions && request.headers["if-none-match"] === "*" && objects.has(key)) {
      return fault(412, "PreconditionFailed");
    }
    objects.set(key, object);
    return { status: 200, headers: { etag: etagOf(object.body) } };
  }

  function read(key: string, { headers }: IncomingMessage): Answer {
    const object = objects.get(key);
    if (object === undefined) return fault(404, "NoSuchKey");
    const { body, metadata } = object;
    const etag = etagOf(body);
    if ((headers["if-match"] ?? etag) !== etag) return fault(412, "PreconditionFailed");
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (first === undefined) return { status: 200, headers: { ...metadata, etag }, body };
    const start = Number(first);
    if (start >= body.length) return fault(416, "InvalidRange");
    const part = body.subarray(start, Number(last) + 1);
    const range = `bytes ${start}-${start + part.length - 1}/${body.length}`;
    return { status: 206, headers: { ...metadata, etag, "content-range": range }, body: part };
  }

  function list(query: URLSearchParams): Answer {
    const prefix = query.get("prefix") ?? "";
    const token = query.get("continuation-token");
    const after = token === null ? query.get("start-after") : Buffer.from(token, "hex").toString();
    const limit = Math.min(Number(query.get("max-keys") ?? 1000), 1000);
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > (after ?? ""));
    const page = keys.toSorted((a, b) => (a < b ? -1 : 1)).slice(0, limit);
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`);
    const more = keys.length > page.length;
    const last = Buffer.from(page.at(-1) ?? "").toString("hex");
    const next = more ? `<NextContinuationToken>${last}</NextContinuationToken>` : "";
    return xml(
      "ListBucketResult",
      `<IsTruncated>${String(more)}</IsTruncated>${contents.join("")}${next}`,
    );
  }

  function listUploads(query: URLSearchParams): Answer {
    const found = [...uploads].filter(([, { key }]) => key.startsWith(query.get("prefix") ?? ""));
    const items = found.map(
      ([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`,
    );
    return xml("ListMultipartUploadsResult", items.join(""));
  }

  function continueUpload(
    request: IncomingMessage,
    id: string,
    part: number,
    body: Buffer,
  ): Answer {
    const upload = uploads.get(id);
    if (upload === undefined) return fault(404, "NoSuchUpload");
    if (request.method === "PUT") {
      upload.parts.set(part, body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    if (request.method === "DELETE") {
      uploads.delete(id);
      return { status: 204 };
    }
    const parts = [...upload.parts].toSorted(([a], [b]) => a - b).map(([, bytes]) => bytes);
    const whole = { body: Buffer.concat(parts), metadata: upload.metadata };
    const { status } = create(upload.key, whole, request);
    if (status !== 200) return fault(status, "PreconditionFailed");
    uploads.delete(id);
    return xml("CompleteMultipartUploadResult", `<ETag>${etagOf(whole.body)}</ETag>`);
  }

  function serve(request: IncomingMessage, body: Buffer): Answer {
    const { pathname, searchParams: query } = new URL(request.url ?? "", "http://s3");
    const [, bucket, ...names] = pathname.split("/").map(decodeURIComponent);
    const key = names.join("/");
    if (bucket !== "test") return fault(404, "NoSuchBucket");
    const uploadId = query.get("uploadId");
    if (uploadId !== null) {
      return continueUpload(request, uploadId, Number(query.get("partNumber")), body);
    }
    if (query.has("uploads") && request.method === "GET") return listUploads(query);
    if (query.has("uploads")) {
      const id = `upload-${uploads.size}-${performance.now()}`;
      uploads.set(id, { key, metadata: metadataOf(request), parts: new Map() });
      return xml("InitiateMultipartUploadResult", `<UploadId>${id}</UploadId>`);
    }
    if (key === "") return list(query);
    if (request.method === "GET") return read(key, request);
    if (request.method === "PUT") {
      return create(key, { body, metadata: metadataOf(request) }, request);
    }
    objects.delete(key);
    return { status: 204 };
  }

  const server = createServer((request, response) => {
    void (async () => {
      const fate = double.decide({ method: request.method ?? "", path: request.url ?? "" });
      if (fate === "dropped") return request.socket.destroy();
      const { status, headers, body } = serve(request, await buffer(request));
      if (fate === "answer dropped") return request.socket.destroy();
      return response.writeHead(status, headers).end(body);
      // A client that goes away in the middle of its body stores nothing.
    })().catch(() => request.socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const double: S3Double = {
    port: typeof address === "object" ? (address?.port ?? 0) : 0,
    objects,
    uploads,
    decide: () => "served",
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return double;
}

function metadataOf({ headers }: IncomingMessage): S3Object["metadata"] {
  const kept = Object.entries(headers).filter(([name]) => name.startsWith("x-amz-meta-"));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function etagOf(body: Buffer): string {
  return `"${createHash("md5").update(body).digest("hex")}"`;
}

function xml(name: string, content: string): Answer {
  return { status: 200, body: `<?xml version="1.0"?><${name}>${content}</${name}>` };
}

function fault(status: number, code: string): Answer {
  return { status, body: `<?xml version="1.0"?><Error><Code>${code}</Code></Error>` };
}
