import { annotations, type Binding, connectionOf, objectSelector } from '@hawser/core-kbind';
import { releasedBecause, unbindPolicyOf } from '@hawser/kube-bind';
import { configOf, sameConfig } from './decide-api.js';
import type { APIObserved, Observed } from './observed.js';
import type { Action } from './actions.js';

/** Steps before a binding may let go of an API. */
export type EndVerdict =
  | { readonly kind: 'steps'; readonly actions: readonly Action[] }
  | { readonly kind: 'waits'; readonly message: string }
  | { readonly kind: 'done' };

/**
 * Fate of the copies of a deleted binding: by `hawser.dev/unbind-policy`, else deleted, as in the contract
 * (spec/kbind-v2.md §20.1).
 */
export function endPolicyOf(binding: Binding): 'Delete' | 'Orphan' | 'Block' | 'Release' {
  if (releasedBecause(binding.metadata) !== undefined) return 'Release';
  const policy = binding.metadata.annotations?.['hawser.dev/unbind-policy'] ?? '';
  return policy === '' ? 'Delete' : unbindPolicyOf(binding.metadata).policy;
}

/** Decides how a binding that is being deleted lets go of one API. Pure. */
export function decideEnd(api: APIObserved, observed: Observed, binding: Binding): EndVerdict {
  const { key, link } = observed;
  const { crd, name, sync, rival } = api;
  const stop: readonly Action[] = sync === undefined ? [] : [{ type: 'stopSync', key, api: name }];
  // Another binding syncs the objects, or none ever did. If the CRD is foreign by now, release objects that have
  // copies: without its marks nothing proves that a copy may go.
  const isForeign = crd !== undefined && connectionOf(crd) === undefined;
  const isUntouched = api.held === 0 && api.moving === 0;
  if (rival !== undefined || crd === undefined || (isForeign && (isUntouched || isOfOlderGeneration(crd))))
    return stop.length > 0 ? { kind: 'steps', actions: stop } : { kind: 'done' };
  const policy = endPolicyOf(binding);
  switch (policy) {
    case 'Orphan':
    case 'Release':
      if (stop.length > 0) return { kind: 'steps', actions: stop };
      return api.held === 0
        ? { kind: 'done' }
        : {
            kind: 'steps',
            actions: [{ type: 'release', key, crd, binding, leaving: false }],
          };
    case 'Block':
      if (api.held !== 0)
        return {
          kind: 'waits',
          message: `${name} still has objects, and the unbind policy is Block: delete them, or set another policy.`,
        };
      break;
    case 'Delete':
  }
  if (link === undefined)
    return {
      kind: 'waits',
      message: `The provider cannot be reached, so the copies of ${name} cannot be deleted. Repair the Connection, or let go of them by the annotation hawser.dev/release: <reason>.`,
    };
  const selector = objectSelector(binding);
  if (selector.kind === 'invalid')
    return sync?.config.draining === true
      ? { kind: 'steps', actions: stop }
      : {
          kind: 'waits',
          message: `The annotation ${annotations.objectSelector} is no label selector (${selector.message}), so no copy of ${name} is deleted. Correct it, or let go of the copies by the annotation hawser.dev/release: <reason>.`,
        };
  const mayDelete = selector.kind === 'all' && isLastOf(api, crd, binding);
  if (!mayDelete && api.held === 0 && api.moving === 0)
    return stop.length > 0 ? { kind: 'steps', actions: stop } : { kind: 'done' };
  const config = configOf(crd, api, { binding, link }, !mayDelete);
  if (config === undefined) return { kind: 'done' };
  if (sync === undefined || !sameConfig(sync.config, config))
    return { kind: 'steps', actions: [{ type: 'startSync', key, binding, config }] };
  if (mayDelete && crd.metadata.deletionTimestamp === undefined)
    return { kind: 'steps', actions: [{ type: 'deleteCRD', live: crd, key, binding }] };
  if (mayDelete) return { kind: 'waits', message: `${name} goes when the copies of its objects are gone.` };
  return {
    kind: 'waits',
    message: `Objects of ${name} that still have copies: ${api.held === undefined ? 'not counted yet' : api.held + (api.moving ?? 0)}.`,
  };
}

/** `hawser migrate` gave the CRD to an APIServiceBinding and converts the objects' marks (spec/kbind-v2.md §29.3). */
function isOfOlderGeneration({ metadata: { ownerReferences = [] } }: NonNullable<APIObserved['crd']>): boolean {
  return ownerReferences.some(({ kind }) => kind === 'APIServiceBinding');
}

/** Only this binding needs the CRD, installed for its Connection: the CRD goes with the binding, with all objects. */
function isLastOf(
  { needed, heldByOthers }: APIObserved,
  crd: NonNullable<APIObserved['crd']>,
  { metadata, spec }: Binding,
): boolean {
  return (
    metadata.namespace === undefined &&
    !needed &&
    heldByOthers === 0 &&
    connectionOf(crd) === spec.connectionRef.name &&
    crd.metadata.annotations?.[annotations.schemaHash] !== undefined
  );
}
