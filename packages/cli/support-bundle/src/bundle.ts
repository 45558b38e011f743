import { createHash } from 'node:crypto';

import { isApiError, messageOf } from '@hawser/client';

import type { TarFile } from './tar.js';
import { createScrub, withoutSecrets } from './without-secrets.js';

/** What the bundle says of one of its files. */
export interface FileEntry {
  readonly path: string;
  readonly bytes: number;
  /** What is in it. */
  readonly about: string;
  /** What is not in it that one may look for. */
  readonly incomplete?: string | undefined;
}

/** What was asked for and could not be read. */
export interface UnreadEntry {
  readonly cluster: string;
  readonly what: string;
  /** `Forbidden`, `NotFound`, `Timeout`, …; see the client's errors. */
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly reason: string;
}

/** What was read and had no place. */
export interface DroppedEntry {
  readonly path: string;
  readonly bytes: number;
  readonly reason: string;
}

/** What a bundle holds, before it is written. Nothing gets in past the scrub, and no more than the bound. */
export interface Bundle {
  /** Text as it is to stand in the file. False: there was no place. */
  add(path: string, about: string, text: string, incomplete?: string): boolean;
  /** A value as JSON. */
  addJson(path: string, about: string, value: unknown, incomplete?: string): boolean;
  /** Notes what could not be read, with the reason. */
  unread(cluster: string, what: string, error: unknown): void;
  /** A secret that is known word for word. It is removed from all files, also from those before. */
  addSecret(secret: string): void;
  readonly secrets: ReadonlySet<string>;
  readonly contents: {
    readonly files: readonly FileEntry[];
    readonly unread: readonly UnreadEntry[];
    readonly dropped: readonly DroppedEntry[];
  };
  /** The files, without the secrets that are known. */
  finish(): readonly TarFile[];
}

/** `maxBytes`: of all files together, not compressed. */
export function createBundle(maxBytes: number): Bundle {
  const texts = new Map<string, string>();
  const entries: FileEntry[] = [];
  const unread: UnreadEntry[] = [];
  const dropped: DroppedEntry[] = [];
  const secrets = new Set<string>();
  let total = 0;
  const bundle: Bundle = {
    add(path, about, given, incomplete) {
      // The escapes of a log are not for the terminal of whoever reads it.
      const text = given.replaceAll(/[^\P{Cc}\n\t]/gu, '?');
      const bytes = Buffer.byteLength(text);
      if (total + bytes > maxBytes) {
        dropped.push({ path, bytes, reason: `The bundle holds at most ${maxBytes} bytes (--max-size).` });
        return false;
      }
      total += bytes;
      texts.set(path, text);
      entries.push({ path, bytes, about, incomplete });
      return true;
    },
    addJson(path, about, value, incomplete) {
      return bundle.add(path, about, jsonText(value), incomplete);
    },
    unread(cluster, what, error) {
      // The same list is asked for with several selectors.
      if (unread.some((one) => one.cluster === cluster && one.what === what)) return;
      unread.push({
        cluster,
        what,
        code: isApiError(error) ? error.code : error instanceof Error ? error.name : 'Error',
        httpStatus: isApiError(error) ? error.httpStatus : undefined,
        reason: withoutSecrets(messageOf(error)),
      });
    },
    addSecret(secret) {
      secrets.add(secret);
    },
    secrets,
    contents: { files: entries, unread, dropped },
    finish() {
      const scrub = createScrub(secrets);
      return [...texts].map(([path, text]) => ({ path, content: Buffer.from(scrub(text)) }));
    },
  };
  return bundle;
}

const LONGEST_SEGMENT = 80;

/** A name as a part of a path: of a server that is not to be trusted, it may be anything. */
export function segment(name: string): string {
  const harmless = name.replaceAll(/[^\w.:-]/gu, '_').replace(/^\.+/u, '_');
  if (harmless.length <= LONGEST_SEGMENT) return harmless;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${harmless.slice(0, LONGEST_SEGMENT - hash.length - 1)}-${hash}`;
}

/** For people and programs. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item), 2)}\n`;
}
