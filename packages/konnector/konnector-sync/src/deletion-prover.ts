import { type Client, type KubeObject, type Resource, getIfExists } from '@hawser/client';
import { holdsObjects, isOwnedByBinding, unbindingUnder } from '@hawser/kube-bind';

import type { DeletionProof } from './observed.js';

export interface DeletionProverOptions {
  readonly consumer: Client;
  readonly bindings: Resource;
  readonly customResourceDefinitions: Resource;
  readonly binding: {
    readonly name: string;
    readonly uid: string;
    /** Default: as {@link isOwnedByBinding} has it. */ readonly apiVersion?: string | undefined;
  };
  /** Of the CRD, which has to be the one that the binding owns. */
  readonly crdName: string;
}

/** Answers whether a deletion that has been seen is the user's wish, from live reads only. */
export interface DeletionProver {
  /**
   * Every caller gets an answer from reads that began after its call; callers that come while reads are under way share the next ones,
   * so a thousand deletions cost a few reads. Rejects with the ApiError of a read that failed.
   */
  prove(): Promise<DeletionProof>;
}

export function createDeletionProver(options: DeletionProverOptions): DeletionProver {
  return { prove: shareReadings(() => readProof(options)) };
}

/** `read` for many callers: each gets an answer that was begun after its call, and those that come while one is under way share the next. */
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
  if (liveBinding?.metadata.uid !== binding.uid || !holdsObjects(liveBinding.metadata)) return { kind: 'unbinding' };
  // Who unbinds under Delete wants the objects gone on both sides, also those that go with the CRD.
  const withCrd = unbindingUnder(liveBinding.metadata) === 'Delete';
  if (crd === undefined || (crd.metadata.deletionTimestamp !== undefined && !withCrd))
    return { kind: 'crdTerminating' };
  return isOwnedByBinding(crd, { apiVersion: binding.apiVersion, metadata: binding })
    ? { kind: 'byUser' }
    : { kind: 'crdForeign' };
}
