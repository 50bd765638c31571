// Limits of a JSON text, checked before JSON.parse reads it: parsing a megabyte of nested brackets takes the processor
// for hundreds of milliseconds, this scan of the octets about one. Pure. It does not check whether the text is JSON.

export interface JsonBounds {
  /** Arrays and objects within each other. */
  depth: number;
  /** Values of all kinds, including those in arrays and objects. */
  values: number;
}

/** More than any request of the API has: a batch of 1,000 changes has some 12,000 values, 4 deep. */
const REQUEST_BOUNDS: JsonBounds = { depth: 32, values: 50_000 };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * One sentence that names the limit which the text exceeds; null when it exceeds none. Ends at the first octet beyond a
 * limit.
 */
export function exceedsJson(text: Uint8Array, { depth, values }: JsonBounds = REQUEST_BOUNDS): string | null {
  let open = 0;
  // Each comma, and each opening bracket, adds at most one value.
  let valueCount = 1;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const octet = text[at];
    if (inString) {
      if (octet === QUOTE) inString = false;
      // The next octet is escaped, for example a quotation mark.
      else if (octet === BACKSLASH) at += 1;
    } else if (octet === QUOTE) {
      inString = true;
    } else if (octet === COMMA) {
      valueCount += 1;
    } else if (octet === OPEN_ARRAY || octet === OPEN_OBJECT) {
      open += 1;
      valueCount += 1;
      if (open > depth)
        return `The JSON is nested too deep: at most ${depth} arrays and objects may be within each other.`;
    } else if (octet === CLOSE_ARRAY || octet === CLOSE_OBJECT) {
      open -= 1;
    }
    if (valueCount > values) return `The JSON has too many values: at most ${values} are read.`;
  }
  return null;
}
