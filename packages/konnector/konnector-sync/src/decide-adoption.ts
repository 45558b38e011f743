import type { UnstructuredObject } from '@hawser/client';

import { contentDifference } from './content-difference.js';
import type { Decision } from './decision.js';
import { ADOPTED_FROM } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { isUnowned } from './ownership.js';
import { progressing } from './verdicts.js';
import { actualOf, wantedOf } from './wanted.js';

/**
 * An object that was made on the provider, of which the consumer has nothing: where that is wanted, the consumer gets one like it, finalizer included, and binds it after
 * that. Nobody's object alone: one that anybody's konnector has marked, or that a controller has made, stays where it is; so does one that is going.
 */
export function decideAdoption({ consumerKey }: Observed, found: UnstructuredObject, settings: PairSettings): Decision {
  const { dialect, adoptsFromProvider = false, isolation } = settings;
  // Under None every object of the provider is in the place of a copy.
  const mayCome =
    adoptsFromProvider &&
    isolation !== 'None' &&
    isolation !== 'Identity' &&
    found.metadata.deletionTimestamp === undefined &&
    isUnowned(found, dialect);
  if (!mayCome) return { actions: [], verdict: { kind: 'absent' } };
  const { labels, annotations, fields } = wantedOf(found);
  const object: UnstructuredObject = {
    ...fields,
    apiVersion: found.apiVersion,
    kind: found.kind,
    metadata: {
      ...consumerKey,
      ...(Object.keys(labels).length === 0 ? {} : { labels: labels as Record<string, string> }),
      annotations: {
        ...(annotations as Record<string, string>),
        ...dialect.marks.ofObject,
        [ADOPTED_FROM]: found.metadata.uid ?? '',
      },
      finalizers: [dialect.finalizer],
    },
  };
  return { actions: [{ type: 'createConsumerObject', object }], verdict: progressing('write') };
}

/**
 * Whether the consumer's object came from this object of the provider, which only has to be marked yet: by the uid that was noted, or because it bears the dialect's
 * mark and has the same content, as konnectors leave it that cannot write down the uid.
 */
export function isHalfAdopted(
  consumer: UnstructuredObject,
  found: UnstructuredObject,
  { dialect, adoptsFromProvider = false }: PairSettings,
): boolean {
  if (!adoptsFromProvider || !isUnowned(found, dialect)) return false;
  const annotations = consumer.metadata.annotations ?? {};
  if (annotations[ADOPTED_FROM] === found.metadata.uid) return true;
  const marks = Object.entries(dialect.marks.ofObject);
  return (
    marks.length > 0 &&
    marks.every(([key, value]) => annotations[key] === value) &&
    contentDifference(wantedOf(consumer), actualOf(found)).wrong.length === 0
  );
}
