import { type Client, type ObjectKey, type OwnerReference, type Resource, type UnstructuredObject, getIfExists, isApiError } from '@hawser/client';
import type { Problem } from '@hawser/controller';
import { kubeBindDialect } from '@hawser/kube-bind';
import {
  type ActResult, type Copies, type Decision, type DeletionProof, type HeldSchema, type Observed, type PairMemory, type PairSettings, type ServiceNamespaces, type Verdict,
  createAct, createKeyMapper, decide, decidedOrHeld, parseKey, problemOf, stringKey,
} from '@hawser/konnector-sync';
import { list } from '@hawser/preview';

import { type PlannedWrite, previewClient } from './preview-client.js';

/** More passes than any sequence of steps needs. */
const MAX_STEPS = 12;

export interface PairsOptions {
  readonly resource: Resource;
  readonly settings: PairSettings;
  /** The change of the resource's schema that this consumer does not have. */
  readonly heldSchema?: HeldSchema | undefined;
  /** May copies be listed in the whole cluster? Else namespace by namespace. */
  readonly everywhere: boolean;
  readonly consumer: Client;
  readonly provider: Client;
  readonly namespaces: (client: Client) => ServiceNamespaces;
  readonly exportOwner: OwnerReference;
  readonly prove: () => Promise<DeletionProof>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What a konnector would do about one object, and how it stands until then. */
export interface Examination extends Snapshot {
  /** `namespace/name`, or `name`. */
  readonly object: string;
  /** Before anything is written. */
  readonly verdict: Verdict;
  readonly writes: readonly PlannedWrite[];
  /** What keeps the next write from being done: the answer to a dry run, or to a read that the decision needs. */
  readonly obstacle?: Problem | undefined;
  /** Passing trouble, such as a server that cannot be reached. */
  readonly failure?: Error | undefined;
}

interface Snapshot {
  readonly consumer: UnstructuredObject | undefined;
  readonly copy: UnstructuredObject | undefined;
}

/** The objects of one bound resource with their copies, read live, and decided about as a sync does. */
export interface Pairs {
  /** Reads all objects of both sides. Rejects with the ApiError of the side that cannot be listed. */
  readAll(): Promise<void>;
  /** Reads one object and its copy. */
  readOne(object: string): Promise<void>;
  /** Of everything that was read: consumer objects, and copies of ours without one. */
  objects(): readonly string[];
  examine(object: string, options: { readonly dryRun: boolean }): Promise<Examination>;
}

export function createPairs(options: PairsOptions): Pairs {
  const { resource, settings, signal } = options;
  const { marks } = settings.dialect ?? kubeBindDialect;
  const namespaces = options.namespaces(options.provider);
  const mapper = createKeyMapper(settings.isolation, settings.clusterNamespace, namespaces);
  const consumers = new Map<string, UnstructuredObject>();
  const copies = new Map<string, UnstructuredObject>();
  /** Provider namespaces (empty: all) and single places that were read. */
  const seen = new Set<string>();

  async function listCopies(namespace: string | undefined): Promise<void> {
    const listed = await list(options.provider, resource, { signal, ...(namespace === undefined ? {} : { namespace }) });
    if (listed.kind === 'failed') throw listed.error;
    for (const copy of listed.items) copies.set(stringKey(copy.metadata), copy);
    seen.add(namespace ?? '');
  }

  /** The uid that the copy notes, if that is not the one of the object in its place. */
  const otherUid = ({ consumer, copy }: Snapshot): string | undefined => {
    const uid = copy?.metadata.annotations?.[marks.consumerUID] ?? '';
    return uid === '' || uid === consumer?.metadata.uid ? undefined : uid;
  };
  const originalElsewhere = (at: Snapshot): ObjectKey | undefined => {
    const uid = otherUid(at);
    return uid === undefined ? undefined : [...consumers.values()].find(({ metadata }) => metadata.uid === uid)?.metadata;
  };

  async function listConsumers(): Promise<void> {
    const listed = await list(options.consumer, resource, { signal });
    if (listed.kind === 'failed') throw listed.error;
    for (const object of listed.items) consumers.set(stringKey(object.metadata), object);
  }

  function observe(object: string, at: Pick<Snapshot, 'consumer' | 'copy'>, memory: PairMemory, deletionProof: DeletionProof | undefined): Observed {
    const consumerKey = parseKey(object);
    const placement = mapper.toProvider(consumerKey);
    const place = placement.kind === 'placed' ? placement.key : undefined;
    return {
      consumerKey,
      consumer: at.consumer,
      placement,
      copy: at.copy,
      originalElsewhere: originalElsewhere(at),
      copyCacheReady: place !== undefined && (seen.has('') || seen.has(place.namespace ?? '') || seen.has(stringKey(place))),
      deletionProof,
      memory,
      now: options.now(),
    };
  }

  async function readAll(): Promise<void> {
    await listConsumers();
    switch (settings.isolation) {
      case 'None':
      case 'Prefixed':
        await listCopies(undefined);
        return;
      case 'Namespaced':
        await listCopies(settings.clusterNamespace);
        return;
      case 'ServiceNamespace':
        if (options.everywhere) await listCopies(undefined);
        else for (const { provider } of namespaces.assigned()) await listCopies(provider);
    }
  }

  async function readOne(object: string): Promise<void> {
    const get = async (client: Client, key: ObjectKey, into: Map<string, UnstructuredObject>): Promise<void> => {
      const object = await getIfExists(client, resource, key, { signal });
      if (object !== undefined) into.set(stringKey(key), object);
    };
    const placement = mapper.toProvider(parseKey(object));
    await get(options.consumer, parseKey(object), consumers);
    if (placement.kind !== 'placed') return;
    await get(options.provider, placement.key, copies);
    seen.add(stringKey(placement.key));
    // Whether that uid is another object's, only a list tells.
    if (otherUid({ consumer: consumers.get(object), copy: copies.get(stringKey(placement.key)) }) !== undefined) await listConsumers();
  }

  async function examine(object: string, { dryRun }: { readonly dryRun: boolean }): Promise<Examination> {
    const placement = mapper.toProvider(parseKey(object));
    const place = placement.kind === 'placed' ? stringKey(placement.key) : undefined;
    const first: Snapshot = { consumer: consumers.get(object), copy: place === undefined ? undefined : copies.get(place) };
    /** As it would be after the writes so far. */
    let now: Snapshot = first;
    const planned: PlannedWrite[] = [];
    let withheld = false;
    const knownCopies: Copies = {
      get: () => now.copy,
      ready: () => true,
      observe: (copy) => { now = { ...now, copy }; },
      share: () => undefined,
      list: () => (now.copy === undefined ? [] : [now.copy]),
      states: () => [],
      close: () => undefined,
    };
    const client = (side: PlannedWrite['side']): Client => previewClient(options[side], {
      side,
      known: (asked) => (asked.resource === resource.resource && asked.group === resource.group ? (side === 'consumer' ? now.consumer : now.copy) : undefined),
      planned: (write) => { planned.push(withheld ? { ...write, withheld: true } : write); },
      dryRun,
    });
    const provider = client('provider');
    const act = createAct({
      consumer: client('consumer'),
      provider,
      resource,
      observeConsumer: (consumer) => { now = { ...now, consumer }; },
      copies: knownCopies,
      namespaces: options.namespaces(provider),
      exportOwner: options.exportOwner,
      prove: options.prove,
      statusSubresource: settings.statusSubresource,
      dialect: settings.dialect,
    });
    let memory: PairMemory = {};
    let proof: DeletionProof | undefined;
    /** As it stands before the first write. */
    let standing: Verdict | undefined;
    const finish = (verdict: Verdict, trouble: Pick<Examination, 'obstacle' | 'failure'> = {}): Examination => ({ object, ...first, verdict: standing ?? verdict, writes: planned, ...trouble });

    for (let step = 0; step < MAX_STEPS; step++) {
      const present = { now, memory, proof };
      const decision: Decision = decidedOrHeld(() => decide(observe(object, present.now, present.memory, present.proof), settings));
      const [action] = decision.actions;
      if (action === undefined) {
        withheld = true;
        // Each by itself: what one of them would change is not carried on to the next.
        for (const one of decision.withheld ?? []) await act(one, signal).catch((error: unknown) => { if (!isApiError(error)) throw error; });
        return finish(decision.verdict);
      }
      const before = planned.length;
      let result: ActResult;
      try {
        result = await act(action, signal);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return finish(decision.verdict, { obstacle: problemOf(error, action, settings.dialect?.finalizer, options.heldSchema), failure: error });
      }
      if (planned.length > before) {
        standing ??= decision.verdict;
        const write = planned.at(-1);
        if (write?.verb === 'delete' && write.side === 'provider') now = { ...now, copy: undefined };
      }
      proof = result.proof ?? proof;
      memory = { ...memory, ...result.memory };
      if (result.wait === true) return finish(decision.verdict);
    }
    return finish({ kind: 'progressing', waitingFor: 'write' });
  }

  return {
    readAll,
    readOne,
    objects() {
      const orphans = [...copies.values()].flatMap((copy) => {
        const key = mapper.toConsumer(copy.metadata);
        return key === undefined ? [] : [stringKey(key)];
      });
      return [...new Set([...consumers.keys(), ...orphans])].sort();
    },
    examine,
  };
}
