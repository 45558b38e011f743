import { MalformedError } from './malformed-error.js';

/** Longer than any object that an API server accepts: a longer line does not come from a watch. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

const NEWLINE = 10;

/** Splits a byte stream into lines. A chunk may end inside a line or inside a character. */
export class LineSplitter {
  #pending: Buffer[] = [];
  #pendingBytes = 0;

  /**
   * Calls `onLine` for each complete line, without its newline; skips empty lines. Throws MalformedError on a line
   * beyond the limit.
   */
  push(chunk: Buffer, onLine: (line: string) => void): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const line =
        this.#pendingBytes === 0 ? chunk.toString('utf8', start, end) : this.#complete(chunk.subarray(start, end));
      start = end + 1;
      if (line !== '') onLine(line);
    }
    if (start === chunk.length) return;
    this.#pending.push(start === 0 ? chunk : chunk.subarray(start));
    this.#pendingBytes += chunk.length - start;
    if (this.#pendingBytes > MAX_LINE_BYTES) throw new MalformedError(`a line is longer than ${MAX_LINE_BYTES} bytes`);
  }

  /** Returns the text after the last newline. */
  rest(): string {
    return this.#complete(Buffer.alloc(0));
  }

  #complete(end: Buffer): string {
    const line = Buffer.concat([...this.#pending, end]).toString('utf8');
    this.#pending = [];
    this.#pendingBytes = 0;
    return line;
  }
}
