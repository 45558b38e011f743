import type { UnstructuredObject } from '@hawser/client';

import { contentDifference } from './content-difference.js';
import type { Decision } from './decision.js';
import { ADOPTED_FROM } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { isUnowned } from './ownership.js';
import { progressing } from './verdicts.js';
import { actualOf, wantedOf } from './wanted.js';

/**
 * Decides about an object that exists only on the provider. If the policy wants it, the consumer gets an equal object
 * with the finalizer, and then binds it. Only unowned objects: one with marks of any konnector, one made by a
 * controller, and one being deleted stay unchanged.
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
 * Whether the consumer's object came from this object of the provider, which only lacks its marks. Proof: the recorded
 * uid; or the dialect's mark with equal content, as left by konnectors that cannot record the uid.
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
