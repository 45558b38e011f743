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
  type Landing,
  type PairSettings,
  type Policies,
  type ResolvedClaim,
  type Side,
  type Verdict,
  claimedBy,
  concernsClaims,
  isNamed,
  kubeBindMarks,
  namedBy,
  namedKey,
} from '@hawser/claimedresources';
import type { ServiceNamespaces } from '@hawser/konnector-sync';

import { ClaimRehearsal } from './claim-rehearsal.js';
import type { PlannedWrite } from './preview-client.js';

const SIDES = ['consumer', 'provider'] as const;

export interface ClaimPairsOptions {
  /** Resource of the claimed objects; namespaced. */
  readonly resource: Resource;
  /** Claims of all bindings of one connection on that resource. */
  readonly claims: readonly Claim[];
  readonly settings: PairSettings;
  readonly clients: Readonly<Record<Side, Client>>;
  readonly namespaces: (provider: Client) => ServiceNamespaces;
  /** Other objects of the provider that were read and may be written. */
  readonly read: (resource: Resource, key: ObjectKey) => UnstructuredObject | undefined;
  readonly exportOwner: (binding: string) => OwnerReference | undefined;
  readonly protection: (side: Side, namespace: string, original: KubeObject) => string | undefined;
  readonly policies: Policies;
  /**
   * Consumer namespaces where claimed objects of the provider may land: those with its bound objects, those made for
   * it, and those that operators of bindings have opened.
   */
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
  /** Bindings whose claims select it. */
  readonly bindings: readonly string[];
  /** Verdict before any write. */
  readonly verdict: Verdict;
  readonly writes: readonly PlannedWrite[];
  /** Why the next write fails: the answer to a dry run, or to a read that the decision needs. */
  readonly obstacle?: ClaimedObjectProblem | undefined;
  /** Passing trouble, such as an unreachable server. */
  readonly failure?: Error | undefined;
}

/** The objects of one claimed resource on both sides, read live and judged like the konnector's controller does. */
export interface ClaimPairs {
  /**
   * Reads metadata of both sides, and the targets of the claims' references. Rejects with the ApiError of a failed
   * list.
   */
  readAll(): Promise<void>;
  /** All read objects that concern claims. */
  objects(): readonly string[];
  examine(object: string, options: { readonly dryRun: boolean }): Promise<ClaimExamination>;
}

export function createClaimPairs(options: ClaimPairsOptions): ClaimPairs {
  return new ObjectClaimPairs(options);
}

class ObjectClaimPairs implements ClaimPairs {
  readonly #options: ClaimPairsOptions;
  readonly #namespaces: ServiceNamespaces;
  /** Objects of both sides by their key on the consumer. */
  readonly #found: Readonly<Record<Side, Map<string, KubeObject>>> = { consumer: new Map(), provider: new Map() };
  /** Provider namespaces already listed. */
  readonly #seen = new Set<string>();
  #claims: readonly ResolvedClaim[] = [];
  #landing: (namespace: string, bindings: readonly string[]) => Landing = () => 'unknown';

  constructor(options: ClaimPairsOptions) {
    this.#options = options;
    this.#namespaces = options.namespaces(options.clients.provider);
  }

  async readAll(): Promise<void> {
    const { claims, clients, resource, landings, signal } = this.#options;
    const resolved: ResolvedClaim[] = [];
    for (const claim of claims) resolved.push(await this.#resolve(claim));
    this.#claims = resolved;
    for (const object of await listAll<KubeObject>(clients.consumer, resource, { representation: 'metadata', signal }))
      this.#found.consumer.set(objectKey(object), object);
    for (const { consumer, provider } of this.#namespaces.assigned()) {
      for (const object of await listAll<KubeObject>(clients.provider, resource, {
        namespace: provider,
        representation: 'metadata',
        signal,
      })) {
        this.#found.provider.set(objectKey({ namespace: consumer, name: object.metadata.name }), object);
      }
      this.#seen.add(provider);
    }
    this.#landing = await landings();
  }

  objects(): readonly string[] {
    const { marks = kubeBindMarks } = this.#options.settings;
    const keys = SIDES.flatMap((side) =>
      [...this.#found[side]]
        .filter(([key, object]) => concernsClaims(marks, side, object, this.#claimants(side, key, object)))
        .map(([key]) => key),
    );
    return [...new Set(keys)].sort();
  }

  examine(object: string, { dryRun }: { readonly dryRun: boolean }): Promise<ClaimExamination> {
    const namespace = namespaceOf(object);
    const name = object.slice(namespace.length + 1);
    const providerNamespace = this.#namespaces.toProvider(namespace);
    return new ClaimRehearsal(this.#options, {
      object,
      keys: {
        consumer: { namespace, name },
        provider: providerNamespace === undefined ? undefined : { namespace: providerNamespace, name },
      },
      found: { consumer: this.#found.consumer.get(object), provider: this.#found.provider.get(object) },
      list: (side, inNamespace) =>
        [...this.#found[side].values()].filter(({ metadata }) => metadata.namespace === inNamespace),
      isRead: (side, inNamespace) => side === 'consumer' || (inNamespace !== undefined && this.#seen.has(inNamespace)),
      claimants: (side, of) => this.#claimants(side, object, of),
      landing: this.#landing,
      dryRun,
    }).run();
  }

  async #resolve(claim: Claim): Promise<ResolvedClaim> {
    const { clients, signal } = this.#options;
    const references: ResolvedClaim['references'][number][] = [];
    for (const reference of claim.references) {
      const referring = await listAll(clients.consumer, reference.resource, { signal });
      const named = new Set(referring.flatMap((object) => namedBy(object, reference)).map(namedKey));
      references.push({ reference, names: (namespace, name) => isNamed((key) => named.has(key), namespace, name) });
    }
    return { claim, references };
  }

  #claimants(side: Side, key: string, object: KubeObject): readonly string[] {
    return claimedBy(this.#claims, this.#options.resource, side, namespaceOf(key), object);
  }
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf('/'));
