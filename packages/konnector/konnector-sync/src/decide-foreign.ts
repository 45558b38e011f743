import type { UnstructuredObject } from '@hawser/client';

import { defaultPolicy } from './binding-policy.js';
import type { Action, Decision } from './decision.js';
import type { PairSettings } from './observed.js';
import { type ForeignOwner, isUnowned } from './ownership.js';
import { describe, held } from './verdicts.js';

/** Decides about a foreign object in the place of the copy: leave it unchanged, and report it. */
export function decideForeign(
  consumer: UnstructuredObject,
  found: UnstructuredObject,
  owner: ForeignOwner,
  settings: PairSettings,
): Decision {
  const { policy: { conflicts } = defaultPolicy, consumerCluster, binding = '<binding>', dialect } = settings;
  const { words } = dialect;
  const there = `On the provider, ${describe(found)} already exists and ${ownerInWords(owner, consumerCluster)}; it is left alone.`;
  if (conflicts === 'Skip')
    return held(
      'ConflictSkipped',
      `${there} The conflict policy is Skip, so this object is not synced as long as that one exists.`,
      'nobody',
    );
  // Only an unowned object may be adopted.
  const adopt = !isUnowned(found, dialect)
    ? ''
    : ` To let Hawser take over this one, and all others of the binding without an owner, the administrator of this cluster sets the conflict policy Adopt: ${words.adopt(binding)}.`;
  const own = words.conflicts?.[isUnowned(found, dialect) ? 'unownedReason' : 'ownedReason'];
  const marked = conflictMark(consumer, settings, own);
  if (owner.kind !== 'cluster')
    return {
      ...held(
        own ?? 'ForeignCopy',
        `${there} Rename this object, or have the provider's owner remove that one.${adopt}`,
        'consumer',
      ),
      actions: marked,
    };
  return {
    ...held(
      own ?? 'CopyOfAnotherCluster',
      `${there} Two clusters use the same kubeconfig: ask the provider for one for each. If this cluster has taken the place of the other one, its administrator accepts that by: ${words.accept(binding, owner.uid)}.`,
      'operator',
    ),
    actions: marked,
  };
}

/** Mark on an object that is not synced because of a conflict, where the dialect has one; undefined: it is synced. */
export function conflictMark(
  consumer: UnstructuredObject,
  { dialect }: PairSettings,
  reason: string | undefined,
): readonly Extract<Action, { type: 'recordCopy' }>[] {
  const key = dialect.marks.conflict;
  if (key === undefined || consumer.metadata.annotations?.[key] === reason) return [];
  return [{ type: 'recordCopy', consumer, annotations: { [key]: reason ?? null } }];
}

function ownerInWords(owner: ForeignOwner, consumerCluster: string): string {
  switch (owner.kind) {
    case 'other':
      return `belongs to ${owner.clusterNamespace === undefined ? 'another owner' : `the consumer "${owner.clusterNamespace}"`}`;
    case 'object':
      return `bears the marks of another object, ${owner.name}, so it is a clone or a child of its copy`;
    case 'cluster':
      return `is the copy of an object in the consumer cluster with uid ${owner.uid}, and this cluster has uid ${consumerCluster}`;
    case 'controller':
      return `${controllerInWords(owner.controller)}, so it is not a copy`;
  }
}

export function controllerInWords({ kind, name }: Extract<ForeignOwner, { kind: 'controller' }>['controller']): string {
  return `is controlled by ${kind} "${name}"`;
}
