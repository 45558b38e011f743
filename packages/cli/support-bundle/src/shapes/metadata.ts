import { annotations as coreKbindAnnotations, labels as coreKbindLabels, moveAnnotations } from '@hawser/core-kbind';
import { isFields } from '@hawser/json';
import { annotations as klutchAnnotations, labels as klutchLabels } from '@hawser/klutch';
import { annotations, hawserAnnotations, hawserPrefix, labels } from '@hawser/kube-bind';
import {
  annotations as syncagentAnnotations,
  hawserAnnotations as syncagentHawserAnnotations,
  labels as syncagentLabels,
} from '@hawser/syncagent-api';

import { type Shape, fields, list, mention, plain, prose, word } from '../shape.js';

/** Identities and notes of people: no investigation needs them. */
const personal: ReadonlySet<string> = new Set([
  annotations.identity,
  annotations.legacyIdentity,
  annotations.author,
  annotations.clusterPrettyName,
  klutchAnnotations.identity,
]);

/** Labels that our charts set. */
const chartLabels = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
];

/** Annotations in which a role records its progress. */
const bookkeeping = [
  'created-by',
  'credential-expires',
  'credential-issued',
  'credential-previous-expires',
  'rewritten-hash',
  'template-hash',
].map((name) => `${hawserPrefix}${name}`);

const own: ReadonlySet<string> = new Set([
  ...[annotations, labels, hawserAnnotations, klutchAnnotations, klutchLabels].flatMap((keys) => Object.values(keys)),
  ...[syncagentAnnotations, syncagentHawserAnnotations, syncagentLabels].flatMap((keys) => Object.values(keys)),
  ...[coreKbindAnnotations, coreKbindLabels, moveAnnotations].flatMap((keys) => Object.values(keys)),
  ...chartLabels,
  ...bookkeeping,
]);

/** Keeps the values of keys that Hawser and its peers define; of other requested ones, only the key. */
const ownKeys: Shape = (value) => {
  if (!isFields(value)) return undefined;
  const kept = Object.entries(value)
    .filter(([key]) => own.has(key))
    .map(([key, text]) => [key, personal.has(key) ? mention(text) : prose(text)] as const);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
};

const ownerReferences = list(
  fields({ apiVersion: word, kind: word, name: word, uid: word, controller: plain, blockOwnerDeletion: plain }),
);

/** Who writes, without the fields. */
const managedFields = list(fields({ manager: word, operation: word, subresource: word, apiVersion: word, time: word }));

const metadataFields = {
  name: word,
  generateName: word,
  namespace: word,
  uid: word,
  generation: plain,
  resourceVersion: word,
  creationTimestamp: word,
  deletionTimestamp: word,
  finalizers: list(word),
  ownerReferences,
  labels: ownKeys,
  annotations: ownKeys,
};

/** Metadata of kinds that Hawser serves or writes. */
export const metadata: Shape = (value) => {
  if (!isFields(value)) return undefined;
  const foreign = ['labels', 'annotations'].flatMap((field) => {
    const map = value[field];
    return isFields(map) ? Object.keys(map).filter((key) => !own.has(key)) : [];
  });
  return {
    ...(fields({ ...metadataFields, managedFields })(value) as object),
    // Which tools touch the object; their values are not ours.
    ...(foreign.length === 0 ? {} : { otherLabelsAndAnnotations: list(word)(foreign) }),
  };
};

/** Metadata of all other kinds. */
export const briefMetadata: Shape = fields(metadataFields);
