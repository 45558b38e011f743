import type { UnstructuredObject } from '@hawser/client';
import { hawserAnnotations } from '@hawser/kube-bind';

import { defaultPolicy } from './binding-policy.js';
import type { Decision } from './decision.js';
import type { PairSettings } from './observed.js';
import { type ForeignOwner, isUnowned } from './ownership.js';
import { describe, held } from './verdicts.js';

/** In the place of the copy stands an object that is not ours: it is left alone, and that is told. */
export function decideForeign(found: UnstructuredObject, owner: ForeignOwner, settings: PairSettings): Decision {
  const { policy: { conflicts } = defaultPolicy, consumerCluster, binding = '<binding>', dialect } = settings;
  const there = `On the provider, ${describe(found)} already exists and ${ownerInWords(owner, consumerCluster)}; it is left alone.`;
  if (conflicts === 'Skip')
    return held(
      'ConflictSkipped',
      `${there} The conflict policy is Skip, so this object is not synced as long as that one exists.`,
      'nobody',
    );
  // Only what belongs to nobody would be taken over.
  const adopt = !isUnowned(found, dialect)
    ? ''
    : ` To let Hawser take over this one, and all others of the binding without an owner, the administrator of this cluster sets the conflict policy Adopt: kubectl annotate apiservicebinding ${binding} --overwrite ${hawserAnnotations.conflictPolicy}=Adopt.`;
  if (owner.kind !== 'cluster')
    return held(
      'ForeignCopy',
      `${there} Rename this object, or have the provider's owner remove that one.${adopt}`,
      'consumer',
    );
  const accept = `kubectl annotate apiservicebinding ${binding} --overwrite ${hawserAnnotations.formerConsumerIdentity}=${owner.uid}`;
  return held(
    'CopyOfAnotherCluster',
    `${there} Two clusters use the same kubeconfig: ask the provider for one for each. If this cluster has taken the place of the other one, its administrator accepts that by: ${accept}.`,
    'operator',
  );
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
