import { createHash } from 'node:crypto';

import type { UnstructuredObject } from '@hawser/client';
import { type JsonObject, canonical, createMergePatch } from '@hawser/json';
import { isReservedKey } from '@hawser/syncagent-api';

import { differencesIn } from './differences-in.js';
import { describe } from './keys.js';
import type { Decision } from './decision.js';
import { content, covers, hasSameContent, sharedContent } from './three-way.js';
import { held, waiting } from './verdicts.js';

/**
 * Result of a trial write on an object that will become the copy: how the server merges our content with the present
 * one.
 */
export interface Agreement {
  /** The object, its content, and the content to write: {@link agreementId}. */
  readonly of: string;
  /** `equal`: the write would change nothing. `refused`: the server refused it, in its words. */
  readonly kind: 'equal' | 'different' | 'refused';
  /** The fields that the write would change, or the reason for the refusal. */
  readonly message: string;
}

/** Whether both sides agree, or how to find out. */
export type Agreed =
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly fields: string }
  | { readonly kind: 'open'; readonly decision: Decision };

/**
 * Whether an object that is not ours by its history has exactly the content that we would write. Server defaults are no
 * difference: only the server knows them, so a trial write, which it does not keep, asks it. An object that lacks any
 * of our content needs no trial. Pure.
 */
export function agreed(
  destination: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
  known: Agreement | undefined,
): Agreed {
  if (hasSameContent(destination, wanted, subresources)) return { kind: 'equal' };
  if (!covers(destination, wanted, subresources)) return { kind: 'different', fields: '' };
  if (known?.of !== agreementId(destination, wanted, subresources))
    return {
      kind: 'open',
      decision: { ...waiting('proof'), actions: [{ type: 'confirmAgreement', destination, wanted, subresources }] },
    };
  switch (known.kind) {
    case 'equal':
      return { kind: 'equal' };
    case 'different':
      return { kind: 'different', fields: known.message };
    case 'refused':
      return {
        kind: 'open',
        decision: {
          ...held(
            'AdoptionUnproven',
            `On the service cluster, ${describe(destination)} stands where the copy of this object belongs. Whether both agree shows only a trial write (dry run), and that is refused: ${known.message} ${describe(destination)} is not adopted. Remove the cause, or remove ${describe(destination)}.`,
            'provider',
          ),
          requeueAfterMs: RECHECK_MS,
        },
      };
  }
}

/** Interval of trials: no event reports when a server would accept a write. */
const RECHECK_MS = 60_000;

/** Equal for the same object with the same content and the same content to write. */
export function agreementId(
  destination: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): string {
  return createHash('sha256')
    .update(
      canonical([
        destination.metadata.uid ?? '',
        sharedContent(destination, subresources),
        sharedContent(wanted, subresources),
      ]),
    )
    .digest('base64');
}

/**
 * Builds a JSON patch to the content that we would write in its place, except what each side keeps for itself. For
 * exactly this version, or a conflict.
 */
export function trialWrite(
  live: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): readonly object[] {
  const ours = content(wanted, subresources);
  const theirs = content(live, subresources);
  const { labels, annotations } = ours['metadata'] as Readonly<Record<'labels' | 'annotations', JsonObject>>;
  return [
    { op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion },
    { op: 'add', path: '/metadata/labels', value: { ...reserved(live.metadata.labels), ...labels } },
    { op: 'add', path: '/metadata/annotations', value: { ...reserved(live.metadata.annotations), ...annotations } },
    ...Object.entries(ours)
      .filter(([key]) => key !== 'metadata')
      .map(([key, value]) => ({ op: 'add', path: pointer(key), value })),
    ...Object.keys(theirs)
      .filter((key) => key !== 'metadata' && !Object.hasOwn(ours, key))
      .map((key) => ({ op: 'remove', path: pointer(key) })),
  ];
}

/** The changes of the trial write. */
export function agreementOf(
  live: UnstructuredObject,
  answer: UnstructuredObject,
  wanted: UnstructuredObject,
  subresources: readonly string[],
): Agreement {
  const of = agreementId(live, wanted, subresources);
  if (hasSameContent(live, answer, subresources)) return { of, kind: 'equal', message: '' };
  return {
    of,
    kind: 'different',
    message: differencesIn(
      (createMergePatch(sharedContent(live, subresources), sharedContent(answer, subresources)) ?? {}) as JsonObject,
    ),
  };
}

function reserved(map: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => isReservedKey(key)));
}

function pointer(key: string): string {
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
