export type MediaKind = "image" | "audio" | "video" | "pdf" | "file";

/** A file that an answer shows. */
export interface ShownMedia {
  readonly kind: MediaKind;
  /** Media type. */
  readonly type: string;
  readonly base64: string;
  /** A file name, which some providers ask for. */
  readonly name: string;
  /** What it costs in a context, estimated. */
  readonly tokens: number;
}

/** What is known of bytes that are no text of a tool. Plain JSON data: it is kept beside the body. */
export interface StoredMedia {
  readonly kind: MediaKind;
  /** Media type: that of the bytes where they say one, else the declared one, else `application/octet-stream`. */
  readonly type: string;
  /** What was said of them, where the bytes say otherwise. */
  readonly declaredType?: string | undefined;
  /** Name of the file, or its address, as the tool gave it; at most 200 characters. */
  readonly name?: string | undefined;
  /** Pixels, as the header of an image says. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Pages of a PDF, where its page tree can be read without unpacking it. */
  readonly pages?: number | undefined;
  /** A PDF that asks for a password. */
  readonly locked?: true | undefined;
}
