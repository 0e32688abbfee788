/** In UTF-16 units. */
const MAX_TYPE_CHARACTERS = 100;
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,63}$/;

const SAME: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/x-wav", "audio/wav"],
  ["audio/mp3", "audio/mpeg"],
  ["application/x-zip-compressed", "application/zip"],
]);

/** In lower case without parameters; `undefined` if invalid. */
export function mediaTypeFrom(given: unknown): string | undefined {
  if (typeof given !== "string" || given.length > MAX_TYPE_CHARACTERS) return undefined;
  const [type = ""] = given.toLowerCase().split(";");
  const plain = type.trim();
  return TYPE.test(plain) ? (SAME.get(plain) ?? plain) : undefined;
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ["image/jpeg", "jpg"],
  ["image/svg+xml", "svg"],
  ["image/tiff", "tif"],
  ["image/x-icon", "ico"],
  ["audio/mpeg", "mp3"],
  ["audio/mp4", "m4a"],
  ["video/quicktime", "mov"],
  ["application/gzip", "gz"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx"],
  ["application/vnd.openxmlformats-officedocument.presentationml.presentation", "pptx"],
]);
const PLAIN_SUBTYPE = /^(?:png|gif|webp|bmp|avif|heic|wav|ogg|flac|webm|mp4|pdf|zip)$/;

export function extensionOfType(type: string): string {
  const subtype = type.slice(type.indexOf("/") + 1);
  return `.${EXTENSIONS.get(type) ?? (PLAIN_SUBTYPE.test(subtype) ? subtype : "bin")}`;
}
