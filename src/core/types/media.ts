export type MediaKind = "image" | "audio" | "video" | "pdf" | "file";

/** A file that an answer shows. */
export interface ShownMedia {
  readonly kind: MediaKind;
  /** Media type. */
  readonly type: string;
  readonly base64: string;
  /** A file name, which some providers require. */
  readonly name: string;
  /** Estimated tokens in a context. */
  readonly tokens: number;
}

/** Facts about bytes that are no text. Plain JSON data, stored with the artifact. */
export interface StoredMedia {
  readonly kind: MediaKind;
  /** Media type shown by the bytes, else the declared one, else `application/octet-stream`. */
  readonly type: string;
  /** The declared type, if the bytes show another one. */
  readonly declaredType?: string | undefined;
  /** Name or address of the file, as the tool gave it; at most 200 characters. */
  readonly name?: string | undefined;
  /** Pixels, from the header of an image. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  /** Pages of a PDF, if its page tree is not compressed. */
  readonly pages?: number | undefined;
  /** Set for an encrypted PDF, which may open without a password. */
  readonly locked?: true | undefined;
}
