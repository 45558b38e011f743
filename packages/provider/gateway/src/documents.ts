import type { PassedAnswer } from '@hawser/client';
import { parse, stringify } from '@hawser/json';
import { textOfAnswer } from './passed.js';
import { noSuchPath, unavailable } from './refused.js';

/** What is to be shown of a document of the API server. */
export interface DocumentRequest {
  /** The document, and all that decides what is shown of it. */
  readonly key: string;
  /** Asks the API server for the document. If it is still the one with this entity tag, the answer is 304. */
  readonly ask: (etag: string | undefined) => Promise<PassedAnswer>;
  /** What is shown of it. Pure. */
  readonly shown: (document: unknown) => unknown;
}

const MOST_BYTES = 32 * 1024 * 1024;

interface Kept {
  readonly etag: string;
  readonly text: Buffer;
}

/**
 * Keeps what is shown of large documents: each version of one is parsed once for all consumers that are shown the same. The API server is asked each time, with the credential of who
 * asks, so it decides who gets a document, and what the present version is.
 */
export class Documents {
  readonly #mostBytes: number;
  /** The one that was not used for the longest time first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param mostBytes of text that is kept. Default 32 MiB. */
  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /** The document as JSON text. @throws {Refused} 404 if the API server has none, 503 for any other answer but the document */
  async get({ key, ask, shown }: DocumentRequest): Promise<Buffer> {
    const known = this.#kept.get(key);
    const answer = await ask(known?.etag);
    const document = await textOfAnswer(answer);
    if (answer.status === 304 && known !== undefined) return this.#use(key, known);
    if (answer.status === 404) throw noSuchPath();
    if (answer.status !== 200) throw unavailable('the API server does not tell of its APIs, please try again');
    const { etag } = answer.headers;
    // Another request may have parsed this version meanwhile.
    const newest = this.#kept.get(key);
    if (newest !== undefined && newest.etag === etag) return this.#use(key, newest);
    const text = Buffer.from(`${stringify(shown(parse(document)))}\n`, 'utf8');
    return etag === undefined ? text : this.#use(key, { etag, text });
  }

  #use(key: string, kept: Kept): Buffer {
    this.#forget(key);
    this.#kept.set(key, kept);
    this.#bytes += kept.text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#forget(oldest);
    }
    return kept.text;
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= kept.text.length;
  }
}
