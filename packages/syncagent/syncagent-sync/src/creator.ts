import { createHash } from 'node:crypto';
import type { UnstructuredObject } from '@hawser/client';

import { CLEANUP_FINALIZER } from './marks.js';
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

export function makerOf({
  agentName,
  publishedResource: { name, uid = name },
}: {
  readonly agentName: string;
  readonly publishedResource: { readonly name: string; readonly uid?: string | undefined };
}): Maker {
  return { agentName, publication: uid };
}

/**
 * The field manager under which the copy of a related object is written. Such a copy bears no marks, and is written down only after it was made: who was killed in
 * between knows it by this, and so does who had to leave it behind. It tells apart agents, publications, originals and places.
 */
export function creatorOf({ agentName, publication }: Maker, cluster: string, record: PairRecord): string {
  const of = [agentName, publication, originalId(cluster, record), copyId(cluster, record)];
  return `${PREFIX}${createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32)}`;
}

/**
 * The field manager under which the finalizer of a published object is set: an agent that was killed before it knew that the copy is another agent's knows by it that the finalizer is its own.
 */
export function holderOf({ agentName, publication }: Maker): string {
  return `hawser-syncagent-hold/${createHash('sha256')
    .update(JSON.stringify([agentName, publication]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** Whether this object, read live, has got the finalizer under that field manager. */
export function isHeldBy({ metadata: { managedFields = [] } }: UnstructuredObject, holder: string): boolean {
  return managedFields.some(({ manager, fieldsV1 }) => {
    const fields = fieldsV1 as { readonly 'f:metadata'?: { readonly 'f:finalizers'?: object } } | undefined;
    const finalizers = fields?.['f:metadata']?.['f:finalizers'] ?? {};
    return manager === holder && `v:${JSON.stringify(CLEANUP_FINALIZER)}` in finalizers;
  });
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
