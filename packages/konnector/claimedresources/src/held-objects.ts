import { controllerOf, type KubeObject } from '@hawser/client';
import { hawserAnnotations } from '@hawser/kube-bind';
import type { Decision } from './decision.js';
import { IDENTITY, ORIGIN, type Side, otherSide } from './marks.js';
import type { Observed, PairSettings } from './observed.js';
import { held, on } from './verdicts.js';

export function leftOver(observed: Observed, side: Side): Decision {
  const from = otherSide(side);
  return held(
    'ClaimedCopyLeftOver',
    `${on(side, observed)} is marked as the copy of an object that the ${from} no longer has. Nothing proves that a konnector made it and that it may go: it is kept. Delete it if it is not needed.`,
    'operator',
  );
}

/** Two clusters share one kubeconfig: the copy belongs to the other one, whose objects would be lost. */
export function ofAnotherCluster(
  observed: Observed,
  { consumerCluster }: PairSettings,
  { metadata: { annotations } }: KubeObject,
): Decision {
  const cluster = annotations?.[IDENTITY.consumer] ?? '';
  const [binding = '<binding>'] = [...observed.claimedBy.consumer, ...observed.claimedBy.provider];
  const accept = `kubectl annotate apiservicebinding ${binding} --overwrite ${hawserAnnotations.formerConsumerIdentity}=${cluster}`;
  const message = `${on('provider', observed)} is the copy of an object in the consumer cluster with uid ${cluster}, and this cluster has uid ${consumerCluster}. It is left alone. Two clusters use the same kubeconfig: ask the provider for one for each. If this cluster has taken the place of the other one, its administrator accepts that by: ${accept}.`;
  return held('ClaimedByAnotherCluster', message, 'operator');
}

/** Cloned objects, and children made by operators, inherit annotations: such marks say nothing about their bearer. */
export function marksOfAnother(
  observed: Observed,
  side: Side,
  object: KubeObject,
  belonging: 'clone' | 'owned',
): Decision {
  const from = otherSide(side);
  const { annotations = {} } = object.metadata;
  const of = [annotations[ORIGIN[from].namespace], annotations[ORIGIN[from].name]]
    .filter((part) => part !== undefined)
    .join('/');
  const owner = controllerOf(object);
  const why =
    belonging === 'owned'
      ? `${owner?.kind ?? 'A controller'} "${owner?.name ?? ''}" owns it as its controller`
      : `these marks belong to ${of === '' ? 'another object' : `the copy of ${of}`}`;
  const message = `${on(side, observed)} is marked as a copy, but ${why}. It is neither synced nor deleted. Remove its annotations ${ORIGIN[from].uid} and ${ORIGIN[from].namespace} and the mark that names the ${from} as its owner, or rename it.`;
  return held('ClaimedCopyMisleading', message, side);
}

export function protectedObject(observed: Observed, owner: Side, why: string): Decision {
  const message = `${on(owner, observed)} is claimed and not copied: ${why}. The provider has to claim something else.`;
  return held('ClaimedObjectProtected', message, 'provider');
}

/** Same text for all objects of a namespace: reported once. */
export function closedNamespace({ consumerNamespace, claimedBy }: Observed): Decision {
  const [binding = ''] = claimedBy.provider;
  const message = `The provider has objects for namespace "${consumerNamespace}" of the consumer. Claims bring objects only into namespaces with bound objects of this provider, or that were made for it. If they are wanted there, annotate APIServiceBinding ${binding} with "${hawserAnnotations.claimNamespaces}: ${consumerNamespace}".`;
  return held('ClaimedNamespaceClosed', message, 'operator');
}

/** Same text for each of them: reported once. */
export function tooMany({ binding, max }: NonNullable<Observed['full']>): Decision {
  const message = `The provider has more objects for the claims of APIServiceBinding ${binding} than the ${max} that may come to the consumer by the claims of one; those that are there stay and are kept in step. The provider has to claim fewer, or to delete some; or the operator of the konnector raises konnector.bounds.claimedObjectsPerBinding.`;
  return held('TooManyClaimedObjects', message, 'provider');
}

/** `adoptBy`: bindings whose conflict policy Adopt would permit a takeover; empty if no policy helps. */
export function exists(observed: Observed, side: Side, adoptBy: readonly string[] = []): Decision {
  const adopt =
    adoptBy.length === 0
      ? ''
      : ` To let Hawser make this one, and all others without an owner, copies with the content of their originals, the administrator of the consumer cluster sets the conflict policy Adopt: kubectl annotate apiservicebinding ${adoptBy.join(' ')} --overwrite ${hawserAnnotations.conflictPolicy}=Adopt.`;
  const message = `${on(side, observed)} was there before and is not a copy: it is left alone, and the object of that name on the ${otherSide(side)} is not copied. Delete or rename one of the two.${adopt}`;
  return held('ClaimedObjectExists', message, side);
}
