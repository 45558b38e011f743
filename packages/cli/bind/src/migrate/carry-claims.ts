import { getIfExists, isConflict, isNotFound, keyOf, type Resource } from '@hawser/client';
import { type Binding, type Connection, fieldManagers, resources as coreKbind } from '@hawser/core-kbind';
import { otherSide } from '@hawser/kbind-binding';
import { fieldManager } from '@hawser/kube-bind';
import { forEach } from '@hawser/unbinding';

import { type ClaimPair, type ClaimPatches, claimSwapOf } from './claim-pairs.js';
import { foundOf, textOf } from './claim-refusals.js';
import type { MigrationObserved, MigrationSides } from './observe.js';
import { observeClaims } from './observe-claims.js';
import type { MigrationStep } from './plan.js';

/** Leaves an object that changes all the time to the next run. */
const ATTEMPTS = 5;

/** Turns the marks of the claimed objects of one resource. Returns what is left, if anything is. */
export async function swapClaims(
  sides: MigrationSides,
  observed: MigrationObserved,
  { of, to }: Extract<MigrationStep, { kind: 'swapClaims' }>,
): Promise<string | undefined> {
  let left = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { pairs, terms } = await readLive(sides, observed, of);
    if (to === 'v2' && terms.bindingUid === '') return 'the ClusterBinding, which is gone again';
    const pending = pairs
      .map((pair) => ({ pair, patches: claimSwapOf(pair, to, terms) }))
      .filter(({ patches }) => patches.original !== undefined || patches.copy !== undefined);
    left = pending.length;
    if (left === 0) return undefined;
    await forEach(pending, async ({ pair, patches }) => {
      await swapOne(sides, { group: '', version: 'v1', resource: of }, pair, patches, to === 'v2');
    });
  }
  return `${left} claimed ${of} that change all the time`;
}

async function readLive(
  sides: MigrationSides,
  { binding, clusterNamespaceUid, namespaces }: MigrationObserved,
  kind: string,
) {
  const { consumer, signal } = sides;
  const clusterBinding =
    binding === undefined
      ? undefined
      : await getIfExists<Binding>(consumer, coreKbind.clusterBindings, { name: binding.metadata.name }, { signal });
  const connections = await consumer.list<Connection>(coreKbind.connections, { signal });
  const claims = await observeClaims(sides, {
    binding,
    clusterBinding,
    connections: connections.items,
    clusterNamespaceUid,
    namespaces: [...namespaces.values()].filter((one) => one !== undefined),
  });
  return { terms: claims.terms, pairs: foundOf(claims).find((one) => one.kind === kind)?.pairs ?? [] };
}

/** Swaps the copy first: until its original follows, both generations leave the pair alone or take it for the same. */
async function swapOne(
  { consumer, provider, signal }: MigrationSides,
  resource: Resource,
  { owner, original, copy }: ClaimPair,
  patches: ClaimPatches,
  isNewer: boolean,
): Promise<void> {
  const clients = { consumer, provider };
  const options = { representation: 'metadata', signal } as const;
  try {
    if (patches.copy !== undefined)
      await clients[otherSide(owner)].patch(
        resource,
        keyOf(copy),
        { type: 'merge', patch: patches.copy },
        // The other generation deletes a copy only if its marks are a konnector's.
        { ...options, fieldManager: isNewer ? fieldManagers.related : fieldManager },
      );
    if (original !== undefined && patches.original !== undefined)
      await clients[owner].patch(
        resource,
        keyOf(original),
        { type: 'merge', patch: patches.original },
        { ...options, fieldManager },
      );
  } catch (error) {
    // The object changed, or is gone: the next look shows which.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

/** Adds the rules to the ClusterBinding: from then on its konnector serves the objects. Returns what it waits for. */
export async function relate(
  { consumer, signal }: MigrationSides,
  { name, rules }: Extract<MigrationStep, { kind: 'relate' }>,
): Promise<string | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const live = await consumer.get<Binding>(coreKbind.clusterBindings, { name }, { signal });
    const { uid, resourceVersion } = live.metadata;
    const there = live.spec.relatedResources ?? [];
    const known = new Set(there.map(textOf));
    const relatedResources = [...there, ...rules.filter((rule) => !known.has(textOf(rule)))];
    const patch = { metadata: { uid, resourceVersion }, spec: { relatedResources } };
    try {
      await consumer.patch(coreKbind.clusterBindings, { name }, { type: 'merge', patch }, { signal });
      return undefined;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return `ClusterBinding "${name}", which changes all the time`;
}
