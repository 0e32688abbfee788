/** The number has ended before the character that was looked at. */
export const NUMBER_END = 14;
/** What was read is no JSON number. */
const NUMBER_INVALID = 15;

const E = NUMBER_END;
const X = NUMBER_INVALID;
/** Columns: 0, 1 to 9, minus, plus, dot, e, anything else. */
const STATES: readonly (readonly number[])[] = [
  [2, 3, 1, X, X, X, X], // 0: nothing yet
  [2, 3, X, X, X, X, X], // 1: minus
  [X, X, E, E, 4, 6, E], // 2: zero
  [3, 3, E, E, 4, 6, E], // 3: integer
  [5, 5, X, X, X, X, X], // 4: dot
  [5, 5, E, E, E, 6, E], // 5: fraction
  [8, 8, 7, 7, X, X, X], // 6: e
  [8, 8, X, X, X, X, X], // 7: sign of the exponent
  [8, 8, E, E, E, E, E], // 8: exponent
];

/**
 * The state after one more byte, at `(state << 8) | byte`: a state below 14, or how the number has
 * ended. One look-up a byte, because numbers are read in the innermost loop.
 */
export const NUMBER_STATES: Uint8Array = fillStates();

function fillStates(): Uint8Array {
  const table = new Uint8Array(STATES.length << 8);
  for (const [state, columns] of STATES.entries()) {
    for (let byte = 0; byte < 256; byte += 1) {
      table[(state << 8) | byte] = columns[columnOf(byte)] ?? NUMBER_INVALID;
    }
  }
  return table;
}

function columnOf(byte: number): number {
  if (byte === 0x30) return 0;
  if (byte >= 0x31 && byte <= 0x39) return 1;
  const sign = [0x2d, 0x2b, 0x2e].indexOf(byte);
  if (sign !== -1) return 2 + sign;
  return byte === 0x45 || byte === 0x65 ? 5 : 6;
}
