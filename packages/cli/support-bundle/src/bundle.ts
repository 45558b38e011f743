import { createHash } from 'node:crypto';

import { isApiError, messageOf } from '@hawser/client';

import type { TarFile } from './tar.js';
import { createScrub, withoutSecrets } from './without-secrets.js';

/** Description of one file of the bundle. */
export interface FileEntry {
  readonly path: string;
  readonly bytes: number;
  /** Contents of the file. */
  readonly about: string;
  /** Contents that a reader may expect, and that are missing. */
  readonly incomplete?: string | undefined;
}

/** A read that failed. */
export interface UnreadEntry {
  readonly cluster: string;
  readonly what: string;
  /** `Forbidden`, `NotFound`, `Timeout`, …; see the client's errors. */
  readonly code: string;
  readonly httpStatus?: number | undefined;
  readonly reason: string;
}

/** Read contents that found no place. */
export interface DroppedEntry {
  readonly path: string;
  readonly bytes: number;
  readonly reason: string;
}

/** Contents of a bundle before it is written. Everything passes the scrub and counts against the size limit. */
export interface Bundle {
  /** Adds text as the file shall hold it. False: no place was left. */
  add(path: string, about: string, text: string, incomplete?: string): boolean;
  /** A value as JSON. */
  addJson(path: string, about: string, value: unknown, incomplete?: string): boolean;
  /** Notes a failed read, with the reason. */
  unread(cluster: string, what: string, error: unknown): void;
  /** Adds a secret by its exact text, and removes it from all files, earlier ones included. */
  addSecret(secret: string): void;
  readonly secrets: ReadonlySet<string>;
  readonly contents: {
    readonly files: readonly FileEntry[];
    readonly unread: readonly UnreadEntry[];
    readonly dropped: readonly DroppedEntry[];
  };
  /** The files, without the known secrets. */
  finish(): readonly TarFile[];
}

/** `maxBytes`: limit of all files together, uncompressed. */
export function createBundle(maxBytes: number): Bundle {
  const texts = new Map<string, string>();
  const entries: FileEntry[] = [];
  const unread: UnreadEntry[] = [];
  const dropped: DroppedEntry[] = [];
  const secrets = new Set<string>();
  let total = 0;
  const bundle: Bundle = {
    add(path, about, given, incomplete) {
      // Escapes of a log must not reach the reader's terminal.
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
      // Reads ask for the same list with several selectors.
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

/** Turns a name into a part of a path: names from an untrusted server may hold anything. */
export function segment(name: string): string {
  const harmless = name.replaceAll(/[^\w.:-]/gu, '_').replace(/^\.+/u, '_');
  if (harmless.length <= LONGEST_SEGMENT) return harmless;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${harmless.slice(0, LONGEST_SEGMENT - hash.length - 1)}-${hash}`;
}

/** JSON that people and programs can read. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? Number(item) : item), 2)}\n`;
}
