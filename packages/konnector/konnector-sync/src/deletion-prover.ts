import { type Client, type KubeObject, type Resource, getIfExists } from '@hawser/client';
import { awaitsRecord, holdsObjects, isOwnedByBinding, unbindingUnder } from '@hawser/kube-bind';

import type { DeletionProof } from './observed.js';

export interface DeletionProverOptions {
  readonly consumer: Client;
  readonly bindings: Resource;
  readonly customResourceDefinitions: Resource;
  readonly binding: {
    readonly name: string;
    readonly uid: string;
    /** Default: as in {@link isOwnedByBinding}. */ readonly apiVersion?: string | undefined;
  };
  /** The CRD that the binding must own. */
  readonly crdName: string;
}

/** Proves from live reads whether an observed deletion is the user's wish. */
export interface DeletionProver {
  /**
   * Every caller gets an answer from reads that began after its call. Callers during a read share the next one, so a
   * thousand deletions cost a few reads. Rejects with the ApiError of a failed read.
   */
  prove(): Promise<DeletionProof>;
}

export function createDeletionProver(options: DeletionProverOptions): DeletionProver {
  return { prove: shareReadings(() => readProof(options)) };
}

/**
 * Shares `read` among callers: each gets a result that began after its call, and callers during a read share the next
 * one.
 */
export function shareReadings<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    const reading = read().finally(() => {
      if (running === reading) running = undefined;
    });
    running = reading;
    return reading;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running
      .then(
        () => undefined,
        () => undefined,
      )
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

async function readProof({
  consumer,
  bindings,
  customResourceDefinitions,
  binding,
  crdName,
}: DeletionProverOptions): Promise<DeletionProof> {
  const [liveBinding, crd] = await Promise.all([
    getIfExists<KubeObject>(consumer, bindings, { name: binding.name }, { representation: 'metadata' }),
    getIfExists<KubeObject>(consumer, customResourceDefinitions, { name: crdName }, { representation: 'metadata' }),
  ]);
  if (liveBinding?.metadata.uid !== binding.uid) return { kind: 'unbinding' };
  if (awaitsRecord(liveBinding.metadata)) return { kind: 'bindingStands' };
  if (!holdsObjects(liveBinding.metadata)) return { kind: 'unbinding' };
  // Unbinding under Delete removes the objects on both sides, also those that go with the CRD.
  const withCrd = unbindingUnder(liveBinding.metadata) === 'Delete';
  if (crd === undefined || (crd.metadata.deletionTimestamp !== undefined && !withCrd))
    return { kind: 'crdTerminating' };
  return isOwnedByBinding(crd, { apiVersion: binding.apiVersion, metadata: binding })
    ? { kind: 'byUser' }
    : { kind: 'crdForeign' };
}
