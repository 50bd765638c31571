// Splits a byte stream into lines.

/** Larger than any object that the API server stores (etcd's limit is 1.5 MiB a request), with room for escapes. */
const LONGEST_LINE = 32 * 1024 * 1024;

interface LineSplitter {
  /** The lines that this chunk completes, without their line ends; empty lines are omitted. @throws {RangeError} */
  push(chunk: Uint8Array): string[];
  /** The bytes of a line that has begun and not ended. */
  pending(): number;
}

/** Bytes are kept, not text, so that a character that two chunks share is whole again in its line. */
export function createLineSplitter(longest: number = LONGEST_LINE): LineSplitter {
  let parts: Uint8Array[] = [];
  let heldBytes = 0;
  return {
    push: (chunk) => {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        const piece = chunk.subarray(start, end);
        const line = heldBytes === 0 ? toText(piece) : toText(Buffer.concat([...parts, piece]));
        parts = [];
        heldBytes = 0;
        if (line !== '') lines.push(line);
        start = end + 1;
      }
      if (start < chunk.length) {
        parts.push(chunk.subarray(start));
        heldBytes += chunk.length - start;
        if (heldBytes > longest) throw new RangeError(`A line is longer than ${longest} bytes`);
      }
      return lines;
    },
    pending: () => heldBytes,
  };
}

const NEWLINE = 0x0a;

function toText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
