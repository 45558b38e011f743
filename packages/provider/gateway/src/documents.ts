import type { PassedAnswer } from '@hawser/client';
import { parse, stringify } from '@hawser/json';
import { textOfAnswer } from './passed.js';
import { noSuchPath, unavailable } from './refused.js';

/** A request for the visible part of an API server's document. */
export interface DocumentRequest {
  /** The document, and everything that decides its visible part. */
  readonly key: string;
  /** Asks the API server for the document. If the entity tag still matches, the answer is 304. */
  readonly ask: (etag: string | undefined) => Promise<PassedAnswer>;
  /** The visible part. Pure. */
  readonly shown: (document: unknown) => unknown;
}

const MOST_BYTES = 32 * 1024 * 1024;

interface Kept {
  readonly etag: string;
  readonly text: Buffer;
}

/**
 * Caches the visible parts of large documents: parses each version once for all consumers with the same view.
 * Asks the API server each time, with the caller's credential. So the API server decides who gets a document, and which
 * version is current.
 */
export class Documents {
  readonly #mostBytes: number;
  /** The least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param mostBytes of cached text. Default 32 MiB. */
  constructor(mostBytes = MOST_BYTES) {
    this.#mostBytes = mostBytes;
  }

  /**
   * The document as JSON text.
   * @throws {Refused} 404 if the API server has none, 503 for any other answer but the document
   */
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
