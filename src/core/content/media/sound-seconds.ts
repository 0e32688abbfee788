/** Parts of a WAV file that are looked through for its sound. */
const MAX_CHUNKS = 64;
/** How far the first frame of an MP3 is looked for. */
const MAX_FRAME_BYTES = 65_536;
/** Longer than any sound of a tool: a header that says more is none. */
const MAX_SECONDS = 1_000_000;

/** Kilobits in a second by the index of the header, for layer III of version 1, and of 2 and 2.5. */
const BIT_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const;
const SAMPLE_RATES = [44_100, 48_000, 32_000] as const;

/**
 * Length of a WAV or MP3 in seconds, as its header says: of an MP3 whose bit rate changes only where it says how many frames it
 * has. `undefined` for other types, and for what cannot be.
 */
export function secondsOf(bytes: Uint8Array, type: string): number | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const seconds =
    type === "audio/wav" ? wavSeconds(data) : type === "audio/mpeg" ? mp3Seconds(data) : undefined;
  const isLength = seconds !== undefined && seconds > 0 && seconds <= MAX_SECONDS;
  return isLength ? Math.round(seconds * 10) / 10 || undefined : undefined;
}

function wavSeconds(data: Buffer): number | undefined {
  let bytesPerSecond: number | undefined;
  let at = 12;
  for (let chunks = 0; chunks < MAX_CHUNKS && at + 8 <= data.length; chunks += 1) {
    const name = data.toString("latin1", at, at + 4);
    const length = data.readUInt32LE(at + 4);
    if (name === "fmt " && at + 20 <= data.length) bytesPerSecond = data.readUInt32LE(at + 16);
    if (name === "data") {
      // A server that streams does not know the length, and writes the largest.
      const sound = Math.min(length, data.length - at - 8);
      return bytesPerSecond ? sound / bytesPerSecond : undefined;
    }
    at += 8 + length + (length % 2);
  }
  return undefined;
}

function mp3Seconds(data: Buffer): number | undefined {
  const from = afterTag(data);
  const end = Math.min(data.length - 4, from + MAX_FRAME_BYTES);
  for (let at = from; at < end; at += 1) {
    const header = data.readUInt32BE(at);
    const frame = (header & 0xffe60000) >>> 0 === 0xffe20000 ? frameOf(header) : undefined;
    if (frame === undefined) continue;
    const frames = framesSaid(data.subarray(at, at + 200));
    return frames === undefined
      ? ((data.length - at) * 8) / (frame.kilobits * 1_000)
      : (frames * frame.samples) / frame.sampleRate;
  }
  return undefined;
}

/** Where a tag in front of the sound ends. */
function afterTag(data: Buffer): number {
  if (data.length < 10 || data.toString("latin1", 0, 3) !== "ID3") return 0;
  const [a = 0, b = 0, c = 0, d = 0] = data.subarray(6, 10);
  return 10 + (((a & 0x7f) << 21) | ((b & 0x7f) << 14) | ((c & 0x7f) << 7) | (d & 0x7f));
}

interface Frame {
  readonly kilobits: number;
  readonly sampleRate: number;
  readonly samples: number;
}

function frameOf(header: number): Frame | undefined {
  const version = (header >>> 19) & 3;
  const rate = SAMPLE_RATES[(header >>> 10) & 3];
  const isFirst = version === 3;
  const kilobits = BIT_RATES[isFirst ? 0 : 1][(header >>> 12) & 15];
  if (version === 1 || rate === undefined || !kilobits) return undefined;
  const sampleRate = isFirst ? rate : version === 2 ? rate / 2 : rate / 4;
  return { kilobits, sampleRate, samples: isFirst ? 1_152 : 576 };
}

/** How many frames the first one says that there are. */
function framesSaid(frame: Buffer): number | undefined {
  const at = Math.max(frame.indexOf("Xing"), frame.indexOf("Info"));
  if (at === -1 || at + 12 > frame.length || (frame.readUInt32BE(at + 4) & 1) === 0)
    return undefined;
  return frame.readUInt32BE(at + 8);
}
