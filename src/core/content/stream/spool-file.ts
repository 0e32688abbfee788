import { createCipheriv, createDecipheriv, randomBytes, randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";

import { codeOf, makeDirectory } from "../../../util/files.js";

/** A file without a name, for bytes whose number is not known before the last has come. */
export interface SpoolFile {
  /** Adds bytes at the end. */
  write(bytes: Uint8Array): Promise<void>;
  /** All bytes, in blocks that are overwritten when the next one is asked for. */
  read(): AsyncGenerator<Uint8Array, void>;
  /** Gives the disk its room back. */
  close(): Promise<void>;
}

/** Where such files go, and whether what is in them may be read there. */
export interface SpoolPlace {
  readonly directory: string;
  /** With a key that this process alone has, and forgets with the file. */
  readonly isEncrypted: boolean;
}

const BLOCK_BYTES = 262_144;

/**
 * Creates a file of this user only and takes its name away at once, so that nothing stays when the
 * process is killed.
 *
 * @throws Error of the file system.
 */
export async function createSpoolFile(place: SpoolPlace): Promise<SpoolFile> {
  const file = await createPlainFile(place.directory);
  return place.isEncrypted ? encryptedFile(file) : file;
}

/** The bytes go one after the other, and are read so: a stream cipher, whose key nothing else has. */
function encryptedFile(file: SpoolFile): SpoolFile {
  const [name, key, iv] = ["aes-256-ctr", randomBytes(32), randomBytes(16)] as const;
  const cipher = createCipheriv(name, key, iv);
  return {
    write: (bytes) => file.write(cipher.update(bytes)),
    async *read() {
      const decipher = createDecipheriv(name, key, iv);
      for await (const block of file.read()) yield decipher.update(block);
    },
    close: () => file.close(),
  };
}

async function createPlainFile(directory: string): Promise<SpoolFile> {
  const path = join(directory, `.langchain-offload-${randomUUID()}.stream`);
  const create = () => open(path, "wx+", 0o600);
  const file = await create().catch(async (error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
    await makeDirectory(directory);
    return await create();
  });
  let sizeBytes = 0;
  try {
    await unlink(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    async write(bytes) {
      for (let from = 0; from < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, from, bytes.length - from, sizeBytes);
        from += bytesWritten;
        sizeBytes += bytesWritten;
      }
    },
    async *read() {
      const block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      for (let at = 0; at < sizeBytes;) {
        const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, at);
        if (bytesRead === 0) throw new Error("The spooled stream became shorter.");
        yield block.subarray(0, bytesRead);
        at += bytesRead;
      }
    },
    close: () => file.close(),
  };
}
