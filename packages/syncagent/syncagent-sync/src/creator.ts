import { createHash } from 'node:crypto';
import type { UnstructuredObject } from '@hawser/client';

import type { PairRecord } from './pair-record.js';
import { copyId, originalId } from './related-uses.js';

/** With what field managers begin under which copies of related objects are made. */
const PREFIX = 'hawser-syncagent/';

/** Whose copies they are. */
export interface Maker {
  readonly agentName: string;
  /** The uid of the PublishedResource: no other agent, and no other service cluster, has it. */
  readonly publication: string;
}

/**
 * The field manager under which the copy of a related object is written. Such a copy bears no marks, and is written down only after it was made: who was killed in
 * between knows it by this, and so does who had to leave it behind. It tells apart agents, publications, originals and places.
 */
export function creatorOf({ agentName, publication }: Maker, cluster: string, record: PairRecord): string {
  const of = [agentName, publication, originalId(cluster, record), copyId(cluster, record)];
  return `${PREFIX}${createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32)}`;
}

export function isCreator(manager: string): boolean {
  return manager.startsWith(PREFIX);
}

/** Whether this object, read live, was written under that field manager, and none of its content by anybody else. */
export function isAsMade({ metadata: { managedFields = [] } }: UnstructuredObject, creator: string): boolean {
  const writers = managedFields.filter(hasContent);
  return writers.length > 0 && writers.every(({ manager }) => manager === creator);
}

/** Whether an entry of the account that the API server keeps is about more than metadata and subresources. */
export function hasContent({
  subresource,
  fieldsV1,
}: NonNullable<UnstructuredObject['metadata']['managedFields']>[number]): boolean {
  return (subresource ?? '') === '' && Object.keys(fieldsV1 ?? {}).some((field) => field !== 'f:metadata');
}
