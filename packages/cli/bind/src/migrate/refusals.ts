import { type KubeObject, objectKey } from '@hawser/client';
import { annotations, finalizers, moveAnnotations } from '@hawser/core-kbind';
import { type APIServiceBinding, hawserAnnotations, kubeBindDialect } from '@hawser/kube-bind';

import { planCoreKbind } from '../core-kbind/plan.js';
import type { Refusal } from '../refusal.js';
import { claimRefusals } from './claim-refusals.js';
import { coreWish, withoutForeign } from './core-wish.js';
import type { MigratedAPI, MigrationObserved, MigrationWish } from './observe.js';
import type { Generation } from './pair-swap.js';
import { isPause } from './pause-reason.js';

/** Why hawser does not migrate a binding; empty: it may. Pure. */
export function refusalsOf(
  binding: APIServiceBinding,
  wish: MigrationWish,
  observed: MigrationObserved,
): readonly Refusal[] {
  return [
    ...refusalsOfBoth(binding, observed, wish.to),
    ...(wish.to === 'v2' ? refusalsToV2(wish, observed) : refusalsToV1(observed)),
    ...claimRefusals(binding, observed, wish.to),
  ];
}

function refusalsOfBoth(
  binding: APIServiceBinding,
  { apis, missing }: MigrationObserved,
  to: Generation,
): readonly Refusal[] {
  const paused = binding.metadata.annotations?.[hawserAnnotations.paused];
  return [
    ...(binding.metadata.deletionTimestamp === undefined
      ? []
      : [
          refusal(
            'BindingTerminating',
            `APIServiceBinding "${binding.metadata.name}" is being deleted.`,
            'waits until it is gone',
          ),
        ]),
    ...(paused === undefined || isPause(paused)
      ? []
      : [
          refusal(
            'BindingPaused',
            `APIServiceBinding "${binding.metadata.name}" is paused: "${paused}".`,
            `removes the annotation ${hawserAnnotations.paused} first`,
          ),
        ]),
    ...missing.map((api) =>
      refusal('CRDNotFound', `The consumer has no CRD ${api}.`, 'waits until the binding is Ready'),
    ),
    ...apis
      .filter(({ owner }) => owner === undefined)
      .map(({ name }) =>
        refusal(
          'ForeignCRD',
          `The CRD ${name} belongs neither to this binding nor to its ClusterBinding.`,
          'looks at its owner references and labels',
        ),
      ),
    ...apis.flatMap((api) => terminating(api, to)),
  ];
}

/**
 * The konnector that began a deletion must end it: an object in deletion can get no finalizer of the other generation.
 */
function terminating({ name, pairs }: MigratedAPI, to: Generation): readonly Refusal[] {
  const finalizer = to === 'v2' ? kubeBindDialect.finalizer : finalizers.syncer;
  const going = pairs.filter(
    ({ object: { metadata } }) =>
      metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true,
  );
  const [first] = going;
  if (first === undefined) return [];
  const back = to === 'v2' ? 'v1' : 'v2';
  return [
    refusal(
      'ObjectsTerminating',
      `${going.length} objects of ${name} are being deleted, among them ${first.object.metadata.name}.`,
      `waits until they are gone; if this migration was broken off, hawser migrate --to ${back} lets them go`,
    ),
  ];
}

/**
 * An APIServiceBinding leads to one provider. It would make new copies of objects at other providers, and nothing would
 * lead to the old copies any more.
 */
function refusalsToV1({ apis, clusterBinding }: MigrationObserved): readonly Refusal[] {
  const home = clusterBinding?.spec.connectionRef.name;
  return apis.flatMap(({ name, pairs }) => {
    const atOtherConnections = pairs.filter(
      ({ object }) => home !== undefined && isHeld(object) && (servedAt(object) ?? home) !== home,
    );
    const moving = pairs.filter(
      ({ object }) => isHeld(object) && isMoving(object) && !atOtherConnections.some((one) => one.object === object),
    );
    const [away] = atOtherConnections;
    const [underWay] = moving;
    return [
      ...(away === undefined
        ? []
        : [
            refusal(
              'ObjectsElsewhere',
              `${atOtherConnections.length} objects of ${name} have their copies at another Connection than ${home ?? ''}, among them ${objectKey(away.object)} at ${servedAt(away.object) ?? ''}.`,
              `moves them back first: hawser move ${objectKey(away.object)} --to ${home ?? ''}`,
            ),
          ]),
      ...(underWay === undefined
        ? []
        : [
            refusal(
              'MoveUnderWay',
              `${moving.length} objects of ${name} are being moved, among them ${objectKey(underWay.object)}.`,
              'ends the move, or takes it back with hawser move --undo',
            ),
          ]),
    ];
  });
}

function isHeld({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(finalizers.syncer) === true;
}

function servedAt({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.[annotations.servedBy];
}

function isMoving({ metadata: { annotations: found = {} } }: KubeObject): boolean {
  return Object.values(moveAnnotations).some((key) => Object.hasOwn(found, key));
}

function refusalsToV2(wish: MigrationWish, observed: MigrationObserved): readonly Refusal[] {
  const { apis, export: exported, isSameProvider } = observed;
  return [
    ...(apis.length > 0
      ? []
      : [refusal('NothingBound', `APIServiceBinding "${wish.name}" has bound no API.`, 'waits until it is Ready')]),
    ...(isSameProvider
      ? []
      : [
          refusal(
            'OtherProvider',
            'The kubeconfig leads to a cluster that does not have the copies of this binding.',
            'gives the kubeconfig of the same provider',
          ),
        ]),
    ...apis.flatMap((api) => placementRefusals(api, exported?.spec.isolation, observed)),
    ...planCoreKbind(coreWish(wish, observed), withoutForeign(observed)).refusals,
  ];
}

/** In the newer generation, names and namespaces are the same on both sides. Only copies in such places can stay. */
function placementRefusals(
  { name, crd, pairs }: MigratedAPI,
  isolation: string | undefined,
  { namespaces }: MigrationObserved,
): readonly Refusal[] {
  const remedy =
    'keeps this binding; or lets go of it (hawser unbind, policy Orphan), binds anew, and has the provider remove the copies at the old place';
  if (crd.spec.scope === 'Cluster')
    return isolation === 'None'
      ? []
      : [
          refusal(
            'PlaceDiffers',
            `Copies of ${name} have other names than their objects: the isolation of the export is ${isolation ?? 'not known'}.`,
            remedy,
          ),
        ];
  const renamedNamespaces = [...new Set(pairs.map(({ object }) => object.metadata.namespace ?? ''))].filter(
    (namespace) => namespaces.get(namespace) !== namespace,
  );
  const [first] = renamedNamespaces;
  return first === undefined
    ? []
    : [
        refusal(
          'PlaceDiffers',
          `Copies of ${name} in namespace ${first} are in namespace ${namespaces.get(first) ?? '(none assigned yet)'} of the provider${renamedNamespaces.length > 1 ? `, and ${renamedNamespaces.length - 1} further namespaces differ` : ''}.`,
          remedy,
        ),
      ];
}

function refusal(reason: Refusal['reason'], message: string, remedy: string): Refusal {
  return { reason, message, actor: 'operator', remedy };
}
