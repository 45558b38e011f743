import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type OwnerReference,
  type Resource,
  type UnstructuredObject,
  listAll,
  objectKey,
} from '@hawser/client';
import {
  type Claim,
  type ClaimedObjectProblem,
  ClaimMemories,
  ClaimRole,
  type Landing,
  type PairSettings,
  type Policies,
  type ResolvedClaim,
  type Side,
  type Verdict,
  claimedBy,
  concernsClaims,
  createAct,
  createCopyCounts,
  isNamed,
  kubeBindMarks,
  namedBy,
  namedKey,
  noMissing,
} from '@hawser/claimedresources';
import type { ServiceNamespaces } from '@hawser/konnector-sync';

import { clockOf } from './clock-of.js';
import { type PlannedWrite, previewClient } from './preview-client.js';
import { rehearse } from './rehearse.js';

const SIDES = ['consumer', 'provider'] as const;

export interface ClaimPairsOptions {
  /** Of the claimed objects; namespaced. */
  readonly resource: Resource;
  /** Of all bindings of one connection, on that resource. */
  readonly claims: readonly Claim[];
  readonly settings: PairSettings;
  readonly clients: Readonly<Record<Side, Client>>;
  readonly namespaces: (provider: Client) => ServiceNamespaces;
  /** What else was read of the provider and may be written. */
  readonly read: (resource: Resource, key: ObjectKey) => UnstructuredObject | undefined;
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  readonly protection: (side: Side, namespace: string, original: KubeObject) => string | undefined;
  readonly policies: Policies;
  /** Namespaces of the consumer in which it has bound objects of the provider, or that were made for it, and what operators of bindings have opened. */
  readonly landings: () => Promise<(namespace: string, bindings: readonly string[]) => Landing>;
  /** The konnector holds deletions of copies whose originals are missing. */
  readonly deletionsHeld: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What a konnector would do about one claimed object, and how it stands until then. */
export interface ClaimExamination {
  /** `namespace/name` on the consumer. */
  readonly object: string;
  readonly found: Readonly<Record<Side, KubeObject | undefined>>;
  /** Whose claims select it. */
  readonly bindings: readonly string[];
  /** Before anything is written. */
  readonly verdict: Verdict;
  readonly writes: readonly PlannedWrite[];
  /** What keeps the next write from being done: the answer to a dry run, or to a read that the decision needs. */
  readonly obstacle?: ClaimedObjectProblem | undefined;
  /** Passing trouble, such as a server that cannot be reached. */
  readonly failure?: Error | undefined;
}

/** The objects of one claimed resource on both sides, read live, and decided about as the konnector's controller does. */
export interface ClaimPairs {
  /** Reads metadata of both sides, and what the claims' references name. Rejects with the ApiError of whatever cannot be listed. */
  readAll(): Promise<void>;
  /** Of everything that was read: what has to do with claims. */
  objects(): readonly string[];
  examine(object: string, options: { readonly dryRun: boolean }): Promise<ClaimExamination>;
}

export function createClaimPairs(options: ClaimPairsOptions): ClaimPairs {
  const { resource, settings, clients, signal } = options;
  const namespaces = options.namespaces(clients.provider);
  /** By the key on the consumer. */
  const found: Readonly<Record<Side, Map<string, KubeObject>>> = { consumer: new Map(), provider: new Map() };
  /** Provider namespaces that were listed. */
  const seen = new Set<string>();
  let claims: readonly ResolvedClaim[] = [];
  let landing: (namespace: string, bindings: readonly string[]) => Landing = () => 'unknown';

  async function resolve(claim: Claim): Promise<ResolvedClaim> {
    const references: ResolvedClaim['references'][number][] = [];
    for (const reference of claim.references) {
      const referring = await listAll(clients.consumer, reference.resource, { signal });
      const named = new Set(referring.flatMap((object) => namedBy(object, reference)).map(namedKey));
      references.push({ reference, names: (namespace, name) => isNamed((key) => named.has(key), namespace, name) });
    }
    return { claim, references };
  }

  async function readAll(): Promise<void> {
    const resolved: ResolvedClaim[] = [];
    for (const claim of options.claims) resolved.push(await resolve(claim));
    claims = resolved;
    for (const object of await listAll<KubeObject>(clients.consumer, resource, { representation: 'metadata', signal }))
      found.consumer.set(objectKey(object), object);
    for (const { consumer, provider } of namespaces.assigned()) {
      for (const object of await listAll<KubeObject>(clients.provider, resource, {
        namespace: provider,
        representation: 'metadata',
        signal,
      })) {
        found.provider.set(objectKey({ namespace: consumer, name: object.metadata.name }), object);
      }
      seen.add(provider);
    }
    landing = await options.landings();
  }

  const claimants = (side: Side, key: string, object: KubeObject): readonly string[] =>
    claimedBy(claims, resource, side, namespaceOf(key), object);

  async function examine(object: string, { dryRun }: { readonly dryRun: boolean }): Promise<ClaimExamination> {
    const namespace = namespaceOf(object);
    const name = object.slice(namespace.length + 1);
    const place = namespaces.toProvider(namespace);
    const keys = {
      consumer: { namespace, name },
      provider: place === undefined ? undefined : { namespace: place, name },
    };
    const first = { consumer: found.consumer.get(object), provider: found.provider.get(object) };
    /** As it would be after the writes so far. */
    let now: Readonly<Record<Side, KubeObject | undefined>> = first;
    const writes: PlannedWrite[] = [];
    let withheld = false;
    const preview = (side: Side): Client =>
      previewClient(clients[side], {
        side,
        known: (asked, key) =>
          asked.resource === resource.resource && asked.group === resource.group
            ? (now[side] as UnstructuredObject | undefined)
            : side === 'provider'
              ? options.read(asked, key)
              : undefined,
        planned: (write) => {
          writes.push(withheld ? { ...write, withheld: true } : write);
        },
        dryRun,
      });
    const noting = { consumer: preview('consumer'), provider: preview('provider') };
    const known = options.namespaces(noting.provider);
    const clock = clockOf(options.now);
    const memories = new ClaimMemories();
    // Long enough for the copy to go.
    memories.remember(object, { missingSince: 0 });
    const { exportOwner, policies, protection } = options;
    const role = new ClaimRole({
      resource,
      settings,
      clients: noting,
      namespaces: known,
      memories,
      exportOwner,
      protection,
      landing,
      clock,
      caches: {
        keysFor: () => keys,
        get: (side) => now[side],
        list: (side, inNamespace) =>
          [...found[side].values()].filter(({ metadata }) => metadata.namespace === inNamespace),
        isReady: (side, inNamespace) => side === 'consumer' || (inNamespace !== undefined && seen.has(inNamespace)),
      },
      selection: { claimedBy: (side, _, of) => claimants(side, object, of) },
      // How many there are already, and how many may come, only the process knows.
      counts: createCopyCounts(() => undefined),
      copies: () => 0,
      maxObjects: Infinity,
      missing: { ...noMissing, answer: () => (options.deletionsHeld ? 'held' : 'allowed') },
      act: createAct({
        clients: noting,
        resource,
        settings,
        namespaces: known,
        exportOwner,
        observe: (side, seenNow) => {
          now = { ...now, [side]: seenNow };
        },
        forget: (side) => {
          now = { ...now, [side]: undefined };
        },
      }),
      policies: () => policies,
      kind: () => undefined,
    });
    const before = role.observe(object, role.nothingLearned);
    const bindings = [...new Set([...before.claimedBy.consumer, ...before.claimedBy.provider])];
    const { verdict, obstacle, failure } = await rehearse({
      key: object,
      role,
      writes,
      withholding: () => {
        withheld = true;
      },
      clock,
      signal,
    });
    // What is refused is told in words of claims, whatever passes.
    return {
      object,
      found: first,
      bindings,
      verdict,
      writes,
      ...(obstacle === undefined ? {} : { obstacle: obstacle as ClaimedObjectProblem }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  return {
    readAll,
    objects() {
      const keys = SIDES.flatMap((side) =>
        [...found[side]]
          .filter(([key, object]) =>
            concernsClaims(settings.marks ?? kubeBindMarks, side, object, claimants(side, key, object)),
          )
          .map(([key]) => key),
      );
      return [...new Set(keys)].sort();
    },
    examine,
  };
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));
