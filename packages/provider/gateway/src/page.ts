import type { KubeObject } from '@hawser/client';
import { yieldToEventLoop } from '@hawser/informer';
import { isFields } from '@hawser/json';
import { type ListOptions, isSelected } from './options.js';
import type { ListMeta, PrintedList, Printer } from './printer.js';
import { badRequest } from './refused.js';
import type { Sight } from './sight.js';
import type { Served, Snapshot } from './source.js';

/** A part of a consumer's list. */
export interface Page {
  readonly version: string;
  readonly objects: readonly KubeObject[];
  readonly continueToken: string;
  /** Undefined if selectors make it unknown, or nothing is left. */
  readonly remaining: number | undefined;
}

/** Objects examined before other requests get their turn. */
const PER_TURN = 1_000;
/** Characters written before other requests get their turn. */
const CHARS_PER_TURN = 64 * 1024;

/** Objects of a snapshot that the consumer sees and has selected, in the order of an API server. */
export async function ownObjects(
  { objects }: Pick<Snapshot, 'objects'>,
  sight: Sight,
  options: Pick<ListOptions, 'labels' | 'fields' | 'paths'>,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const own: KubeObject[] = [];
  for (const [index, object] of objects.entries()) {
    if (index % PER_TURN === PER_TURN - 1) await yieldToEventLoop();
    // Examine all objects, whatever the namespace: the time of a list must not reveal how many objects others have
    // there.
    if (!sight.sees(object)) continue;
    if ((namespace === '' || object.metadata.namespace === namespace) && isSelected(options, object)) own.push(object);
  }
  return own.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Pure. */
export function pageOf(own: readonly KubeObject[], version: string, options: ListOptions): Page {
  const { limit, continueToken, resourceVersion, labels, fields } = options;
  const start = continueToken === '' ? '' : readToken(continueToken).start;
  const isLimited = limit > 0 && (resourceVersion !== '0' || start !== '');
  const rest = start === '' ? own : own.filter((object) => keyOf(object) > start);
  const objects = isLimited ? rest.slice(0, limit) : rest;
  const left = rest.length - objects.length;
  const last = objects.at(-1);
  const isKnown = left > 0 && labels.empty && fields.empty;
  return {
    version,
    objects,
    continueToken: left === 0 || last === undefined ? '' : tokenOf(version, keyOf(last)),
    remaining: isKnown ? left : undefined,
  };
}

/** The text of a list, piece by piece. @throws {Refused} 406 before the first piece */
export function textOf(served: Served, page: Page, printer: Printer): AsyncGenerator<string> {
  const { version, continueToken, remaining } = page;
  const meta: ListMeta = {
    ...(continueToken === '' ? {} : { continue: continueToken }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
    resourceVersion: version,
  };
  return pieces(printer.list(served, meta), page.objects);
}

async function* pieces({ head, item, tail }: PrintedList, objects: readonly KubeObject[]): AsyncGenerator<string> {
  let text = head;
  let separator = '';
  for (const object of objects) {
    text += `${separator}${item(object)}`;
    separator = ',';
    if (text.length < CHARS_PER_TURN) continue;
    yield text;
    text = '';
    await yieldToEventLoop();
  }
  yield `${text}${tail}`;
}

/** Version in a continue token that continues with the current state. */
export const ANY_VERSION = '';

/**
 * A token names only what the consumer has seen, so it needs no secret. A forged token still returns only the
 * consumer's own objects.
 */
export function tokenOf(version: string, start: string): string {
  return Buffer.from(JSON.stringify({ v: 'hawser.dev/v1', rv: version, start })).toString('base64url');
}

/** @throws {Refused} 400 for a token of another maker */
export function readToken(token: string): { readonly version: string; readonly start: string } {
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    if (isFields(value) && value['v'] === 'hawser.dev/v1') {
      const { rv, start } = value;
      if (typeof rv === 'string' && /^\d{0,40}$/u.test(rv) && typeof start === 'string' && start !== '')
        return { version: rv, start };
    }
  } catch {
    // The error follows below.
  }
  throw badRequest('invalid continue token: it is none of this gateway');
}

const keyOf = ({ metadata: { name, namespace = '' } }: KubeObject): string => `${namespace}/${name}`;
