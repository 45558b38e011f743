import { createHash } from 'node:crypto';
import type { UnstructuredObject } from '@hawser/client';

import { CLEANUP_FINALIZER } from './marks.js';
import type { PairRecord } from './pair-record.js';
import { copyId, originalId } from './related-uses.js';

/** Prefix of the field managers that create copies of related objects. */
const PREFIX = 'hawser-syncagent/';

/** The owner of the copies. */
export interface Maker {
  readonly agentName: string;
  /** uid of the PublishedResource: no other agent or service cluster has it. */
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
 * Field manager for writing the copy of a related object. Such a copy has no marks, and is recorded only after its
 * creation. An agent that was killed in between, or had to leave it behind, recognises it by this. Distinguishes
 * agents, publications, originals and places.
 */
export function creatorOf({ agentName, publication }: Maker, cluster: string, record: PairRecord): string {
  const of = [agentName, publication, originalId(cluster, record), copyId(cluster, record)];
  return `${PREFIX}${createHash('sha256').update(JSON.stringify(of)).digest('hex').slice(0, 32)}`;
}

/**
 * Field manager for setting the finalizer of a published object. An agent that was killed before it learned that the
 * copy is another agent's recognises its own finalizer by this.
 */
export function holderOf({ agentName, publication }: Maker): string {
  return `hawser-syncagent-hold/${createHash('sha256')
    .update(JSON.stringify([agentName, publication]))
    .digest('hex')
    .slice(0, 32)}`;
}

/** Whether this object, read live, got the finalizer by that field manager. */
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

/** Whether only that field manager wrote the content of this object, read live. */
export function isAsMade({ metadata: { managedFields = [] } }: UnstructuredObject, creator: string): boolean {
  const writers = managedFields.filter(hasContent);
  return writers.length > 0 && writers.every(({ manager }) => manager === creator);
}

/** Whether a managedFields entry covers more than metadata and subresources. */
export function hasContent({
  subresource,
  fieldsV1,
}: NonNullable<UnstructuredObject['metadata']['managedFields']>[number]): boolean {
  return (subresource ?? '') === '' && Object.keys(fieldsV1 ?? {}).some((field) => field !== 'f:metadata');
}
