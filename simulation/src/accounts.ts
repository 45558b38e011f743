import type { JsonObject } from '@hawser/json';
import { type APIServiceBinding, type BoundSchema, fixedNames, readSchemaApplied } from '@hawser/kube-bind';
import type { ApiSchemas } from './api-schemas.js';
import { STRANGERS } from './connections.js';
import { CONFIG_MAPS, UNCLAIMED } from './growing-claims.js';
import { BUNDLES, ownerOf } from './installation.js';
import { clusterNamespaceOf } from './provider-site.js';
import { type Sample, sampleOf, schemaOf } from './sample.js';
import { SECRETS, secretSampleOf } from './secret-sample.js';
import type { ObjectChange } from '@hawser/apiserver';
import type { SimCluster } from './sim-cluster.js';
import type { SentRequest, SimProcess } from './sim-process.js';
import type { Trace } from './trace.js';
import { TWINS_MACHINE } from './twin.js';
import type { VirtualTime } from './virtual-time.js';
import type { Model } from './model.js';
import { RequestAccounts, count } from './request-accounts.js';
import { ShardAccounts } from './shard-accounts.js';
import type { Names } from './names.js';
import { hashOf } from './neighbours.js';
import { type Tier, tiers } from './settings.js';
import {
  type Violation,
  bindingByHandStays,
  bundledBindingStays,
  claimsAreAccepted,
  contentHasAuthor,
  deletionWasAsked,
  finalizerWaits,
  isOwn,
  originalStays,
  providerKeeps,
  readyIsKnown,
  repointedStays,
  schemaIsApproved,
  secretIsForThem,
  stepHasBegun,
} from './invariants.js';

export interface AccountsParts {
  readonly time: VirtualTime;
  readonly model: Model;
  /** Models of the claimed Secrets, if Secrets are claimed. */
  readonly secrets: { readonly credentials: Model; readonly connections: Model } | undefined;
  readonly schemas: ApiSchemas;
  readonly bindings: BindingsAsked;
  /** Roll-out step of each consumer, if schemas roll out in steps. */
  readonly rollout: readonly Tier[];
  readonly names: Names;
  readonly trace: Trace;
  readonly renewDeadlineMs: number;
  /** Whether the konnectors share the work. */
  readonly shared: boolean;
  /** The provider's copies of that resource's API, unless a person has unbound it. */
  readonly boundCopies: (resource: string) => readonly Sample[];
}

/** What people have requested of bindings. */
export interface BindingsAsked {
  readonly isDeleting: (name: string) => boolean;
  /** How long the export of that name has existed, if a person ever withdraws it; 0 while it does not exist. */
  readonly exportStandsForMs: (name: string) => number | undefined;
  /** The provider whose kubeconfig a person has put into that Secret of the konnector's namespace. */
  readonly repointedTo: (secret: string) => string | undefined;
}

const ENOUGH_VIOLATIONS = 20;
/** Resources on the provider that no person or program deletes in a run. */
const KEPT: ReadonlySet<string> = new Set(['namespaces', 'boundschemas', 'apiserviceexports', 'clusterbindings']);

/** Records what the system does, and checks it against the invariants as it happens. */
export class Accounts {
  readonly violations: Violation[] = [];
  readonly #parts: AccountsParts;
  /** Schemas that consumers have reported as served: `<namespace>/<name> <hash>`. */
  readonly #proven = new Set<string>();
  readonly #deleted = new Map<
    Model,
    { readonly originals: Map<number, number>; readonly copies: Map<number, number> }
  >();
  /** uids of consumers' objects that users have deleted, and of those whose copies were then deleted. */
  readonly #deletedByUsers = new Set<string>();
  readonly #deletedAfterUsers = new Set<string>();
  /** uids of objects of lost clusters. */
  readonly #lost = new Set<string>();
  readonly #sent: RequestAccounts;
  readonly #shards: ShardAccounts | undefined;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
    this.#shards = parts.shared ? new ShardAccounts(parts.names) : undefined;
    this.#sent = new RequestAccounts({
      ...parts,
      isHeartbeat,
      violateAll: (findings) => {
        this.violateAll(findings);
      },
    });
  }

  /**
   * Another or an older consumer cluster has replaced the former. Its Leases prove no holder until the processes have
   * had to renew them.
   */
  leasesAreOthers(downMs: number): void {
    const { time, renewDeadlineMs } = this.#parts;
    this.#shards?.forgive(time.monotonic() + downMs + renewDeadlineMs);
  }

  get requests(): number {
    return this.#sent.requests;
  }

  /** Writes carried out since the last call, except leases and heartbeats. */
  takeWrites(): readonly string[] {
    return this.#sent.takeWrites();
  }

  violate(invariant: string, what: string): void {
    if (this.violations.length >= ENOUGH_VIOLATIONS) return;
    this.violations.push({ atMs: this.#parts.time.monotonic(), invariant, what });
    this.#parts.trace.add(this.#parts.time.monotonic(), `VIOLATION ${invariant}: ${what}`);
  }

  violateAll(findings: Iterable<{ readonly invariant: string; readonly what: string }>): void {
    for (const { invariant, what } of findings) this.violate(invariant, what);
  }

  readonly onRequest = (sent: SentRequest): ((status: number) => void) => {
    const { process, cluster, request } = sent;
    const tracked = this.#sent.send(sent);
    const isOwnKonnector = isKonnector(process) && process.machine.name !== TWINS_MACHINE;
    if (isKonnector(process) && readsUnclaimed(request.path, this.#parts.secrets !== undefined))
      this.violateAll(claimsAreAccepted(`${process.machine.name} sent ${tracked.what} to ${cluster.name}`));
    if (tracked.isWrite && isOwnKonnector) this.violateAll(this.#shards?.judge(sent) ?? []);
    return (status) => {
      tracked.answered(status);
      if (status < 300 && request.method !== 'GET' && isOwnKonnector) this.#shards?.carriedOut(sent);
    };
  };

  /** Checks all changes in a cluster. */
  watch(cluster: SimCluster): void {
    this.#watchSamples(cluster);
    if (this.#parts.secrets !== undefined) this.#watchSecrets(cluster, this.#parts.secrets);
    cluster.onChange((change) => {
      this.#lookForUnclaimed(cluster, change);
      if (cluster.name === this.#parts.names.consumer) {
        this.#lookAtCrd(change);
        if (change.resource.resource === 'secrets') this.#lookAtKubeconfig(change);
        if (change.resource.resource === 'apiservicebindings') this.#lookAtBinding(cluster, change);
      } else this.#lookAtProvider(cluster.name, change);
    });
  }

  #lookForUnclaimed({ name }: SimCluster, { resource: { group, resource }, key }: ObjectChange): void {
    if (group !== '' || (resource !== SECRETS.resource && resource !== CONFIG_MAPS.resource)) return;
    const side = name === this.#parts.names.consumer ? 'consumer' : 'provider';
    if (belongsToOtherSide(side, key.name))
      this.violateAll(claimsAreAccepted(`${name} has ${resource} ${key.namespace}/${key.name}`));
  }

  #lookAtCrd({ type, resource, object, previous, key }: ObjectChange): void {
    const { names, schemas } = this.#parts;
    if (resource.resource !== 'customresourcedefinitions' || type !== 'MODIFIED' || previous === undefined) return;
    const binding = names.bindings.findIndex(({ plural, group }) => key.name === `${plural}.${group}`);
    // A newly installed schema narrows nothing. An earlier, wider one may come from a backup.
    if (binding >= 0 && schemaOf(object).limit < schemaOf(previous).limit)
      this.violateAll(
        schemaIsApproved(schemas, binding, 'consumer', `the CRD ${key.name} of the consumer`, schemaOf(object)),
      );
  }

  #lookAtKubeconfig({ object, key: { namespace, name } }: ObjectChange): void {
    const provider = namespace === fixedNames.konnectorNamespace ? this.#parts.bindings.repointedTo(name) : undefined;
    if (provider !== undefined) this.violateAll(repointedStays(`${namespace}/${name}`, provider, kubeconfigOf(object)));
  }

  #lookAtBinding({ objects }: SimCluster, { type, key: { name }, object }: ObjectChange): void {
    if (type !== 'DELETED') {
      this.violateAll(readyIsKnown(name, (object as JsonObject & APIServiceBinding).status?.conditions));
      return;
    }
    const { isDeleting, exportStandsForMs } = this.#parts.bindings;
    const owner = ownerOf(object);
    if (owner === null) this.violateAll(bindingByHandStays(name, isDeleting(name)));
    else if (!isDeleting(name)) {
      const isBundleThere = objects
        .list(BUNDLES)
        .some((bundle) => (bundle['metadata'] as { readonly uid?: string }).uid === owner);
      if (isBundleThere) this.violateAll(bundledBindingStays(name, isBundleThere, exportStandsForMs(name) ?? Infinity));
    }
  }

  #lookAtProvider(cluster: string, { type, resource, object, previous, key }: ObjectChange): void {
    const { names, schemas } = this.#parts;
    if (
      KEPT.has(resource.resource) &&
      this.#parts.bindings.exportStandsForMs(key.name) === undefined &&
      isGoing(type, object) &&
      (previous === undefined || !isGoing('MODIFIED', previous))
    )
      this.violateAll(providerKeeps(`${resource.resource} ${key.namespace}/${key.name} of ${cluster}`));
    if (type === 'DELETED') return;
    switch (resource.resource) {
      case 'boundschemas': {
        const binding = names.bindings.findIndex(({ plural, group }) => key.name === `${plural}.${group}`);
        if (binding >= 0)
          this.violateAll(
            schemaIsApproved(
              schemas,
              binding,
              'provider',
              `the BoundSchema ${key.namespace}/${key.name}`,
              schemaOf(object),
            ),
          );
        if (binding >= 0 && this.#parts.rollout.length > 0)
          this.#lookAtStep(key, object as JsonObject & BoundSchema, previous as (JsonObject & BoundSchema) | undefined);
        return;
      }
      case 'secrets':
        if (key.name === 'kubeconfig' && key.namespace.startsWith('cluster-'))
          this.violateAll(isOwn('the kubeconfig', key.namespace, consumerOf(object)));
        return;
      case 'rolebindings':
      case 'clusterrolebindings': {
        const [, clusterNamespace] = /^kube-binder:(?<namespace>[^:]+):/u.exec(key.name) ?? [];
        if (clusterNamespace !== undefined)
          this.violateAll(
            isOwn(`the ${resource.resource.slice(0, -1)} ${key.name}`, clusterNamespace, subjectsOf(object)),
          );
      }
    }
  }

  #lookAtStep({ namespace, name }: ObjectChange['key'], schema: BoundSchema, before: BoundSchema | undefined): void {
    const { names, rollout } = this.#parts;
    const hash = hashOf(schema);
    const answer = readSchemaApplied(schema.status?.conditions);
    if (answer?.kind === 'applied') this.#proven.add(`${namespace}/${name} ${answer.hash}`);
    if (before === undefined || hashOf(before) === hash) return;
    const step = (consumer: number): number => tiers.indexOf(rollout[consumer] ?? 'rest');
    const clusterNamespaces = names.consumers.map(clusterNamespaceOf);
    const earlier = clusterNamespaces.filter(
      (_, consumer) => step(consumer) < step(clusterNamespaces.indexOf(namespace)),
    );
    this.violateAll(
      stepHasBegun(
        `${namespace}/${name}`,
        earlier.filter((one) => !this.#proven.has(`${one}/${name} ${hash}`)),
      ),
    );
  }

  #watchSamples(cluster: SimCluster): void {
    const { names, model } = this.#parts;
    const kinds = new Set(names.bindings.map(({ plural }) => plural));
    cluster.onChange(({ type, resource, object, previous }) => {
      if (!kinds.has(resource.resource)) return;
      const sample = sampleOf(object);
      const before = previous === undefined ? undefined : sampleOf(previous);
      if (cluster.name === names.consumer) {
        if (isDeletion(type, sample, before) && !cluster.withdraws(resource)) this.#deletedByUsers.add(sample.uid);
        if (type !== 'DELETED' || sample.object < 0 || cluster.withdraws(resource)) return;
        this.violateAll(originalStays(model, sample.object, count(this.#deletionsOf(model).originals, sample.object)));
        this.violateAll(finalizerWaits(model, sample, this.#parts.boundCopies(resource.resource)));
        return;
      }
      if (sample.object < 0) return;
      if (isDeletion(type, sample, before) && !this.#isDeletedOnceMore(sample))
        this.violateAll(deletionWasAsked(model, sample.object, count(this.#deletionsOf(model).copies, sample.object)));
      if (type !== 'DELETED') this.violateAll(contentHasAuthor(model, sample));
    });
  }

  /** The cluster is gone. A konnector that does not know it yet may work on for the rest of its lease. */
  isLost(objects: readonly Sample[]): void {
    for (const { uid } of objects) this.#lost.add(uid);
  }

  /**
   * Whether it is the copy of an object that a user has deleted, and was deleted before: a backup of the provider has
   * restored it, or the konnector of a lost cluster has recreated it.
   */
  #isDeletedOnceMore({ standsFor = '', object }: Sample): boolean {
    if (this.#lost.has(standsFor) && this.#parts.model.of(object).wanted === undefined) return true;
    if (!this.#deletedByUsers.has(standsFor)) return false;
    const isKnown = this.#deletedAfterUsers.has(standsFor);
    this.#deletedAfterUsers.add(standsFor);
    return isKnown;
  }

  #watchSecrets(cluster: SimCluster, { credentials, connections }: NonNullable<AccountsParts['secrets']>): void {
    const { names } = this.#parts;
    const side = cluster.name === names.consumer ? 'consumer' : 'provider';
    cluster.onChange(({ type, resource, object, key, previous }) => {
      if (resource.resource !== 'secrets' || resource.group !== '') return;
      const model = [credentials, connections].find((one) => one.named(key.name) !== undefined);
      const slot = model?.named(key.name);
      if (model === undefined || slot === undefined) {
        if (key.name === STRANGERS.neighbours && previous !== undefined)
          this.violate(
            'Secrets are for nobody else',
            `${key.name} of ${cluster.name} is another consumer's, and was changed or deleted`,
          );
        return;
      }
      const isHome = side === model.home;
      const { namespace, binding } = slot;
      const namespaces =
        side === 'consumer' ? [namespace] : [namespace, `${clusterNamespaceOf(names.consumers[0])}-${namespace}`];
      const isTheirs = side === 'consumer' || names.bindings[binding]?.provider === cluster.name;
      this.violateAll(
        secretIsForThem(cluster.name, `${key.namespace}/${key.name}`, isTheirs && namespaces.includes(key.namespace)),
      );
      if (type === 'DELETED')
        this.violateAll(
          (isHome ? originalStays : deletionWasAsked)(
            model,
            slot.object,
            count(this.#deletionsOf(model)[isHome ? 'originals' : 'copies'], slot.object),
          ),
        );
      else if (!isHome) this.violateAll(contentHasAuthor(model, secretSampleOf(object)));
    });
  }

  #deletionsOf(model: Model): { readonly originals: Map<number, number>; readonly copies: Map<number, number> } {
    let deletions = this.#deleted.get(model);
    if (deletions === undefined) this.#deleted.set(model, (deletions = { originals: new Map(), copies: new Map() }));
    return deletions;
  }
}

function isKonnector({ machine: { name } }: SimProcess): boolean {
  return name.startsWith('konnector');
}

/**
 * Whether a request reads objects that no consumer has accepted a claim for: ConfigMaps, and Secrets in users'
 * namespaces if none are claimed.
 */
export function readsUnclaimed(path: string, areSecretsClaimed: boolean): boolean {
  const { groups: { namespace = '', resource = '' } = {} } =
    /^\/api\/v1\/(?:namespaces\/(?<namespace>[^/]+)\/)?(?<resource>[a-z]+)/u.exec(path) ?? {};
  if (resource === CONFIG_MAPS.resource) return true;
  // The label marks requests for kubeconfigs in all namespaces.
  const isOfUsers =
    namespace === '' ? !path.includes('labelSelector=') : /^(?:cluster-[^/]+-)?team-\d+$/u.test(namespace);
  return resource === SECRETS.resource && !areSecretsClaimed && isOfUsers;
}

/** Whether an object of that name belongs to the other side, and never comes to this one. */
function belongsToOtherSide(side: 'consumer' | 'provider', name: string): boolean {
  return side === 'consumer'
    ? name === STRANGERS.unclaimed || name === STRANGERS.neighbours
    : name === UNCLAIMED.consumer || name.startsWith('kubeconfig-');
}

/** The moment that counts as the loss of an object: it goes, or its deletion begins. */
function isDeletion(type: string, sample: Sample, before: Sample | undefined): boolean {
  if (type === 'DELETED') return before?.terminating !== true;
  return sample.terminating && before?.terminating === false;
}

function isGoing(type: string, object: JsonObject): boolean {
  return (
    type === 'DELETED' ||
    (object['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined
  );
}

/** The cluster namespaces whose tokens are in a kubeconfig Secret. */
function consumerOf(secret: JsonObject): readonly string[] {
  return [...kubeconfigOf(secret).matchAll(/token: "?(?<token>[\w.-]+)/gu)].map(({ groups }) => {
    const { sub = '' } = JSON.parse(
      Buffer.from(groups?.['token']?.split('.')[1] ?? '', 'base64url').toString() || '{}',
    ) as { readonly sub?: string };
    return sub.split(':')[2] ?? '';
  });
}

function kubeconfigOf(secret: JsonObject): string {
  return Buffer.from(
    (secret['data'] as Readonly<Record<string, string>> | undefined)?.['kubeconfig'] ?? '',
    'base64',
  ).toString();
}

function subjectsOf(binding: JsonObject): readonly string[] {
  return ((binding['subjects'] ?? []) as unknown as readonly { readonly namespace?: string }[]).map(
    ({ namespace = '' }) => namespace,
  );
}

function isHeartbeat({ path, method }: SentRequest['request']): boolean {
  return method !== 'DELETE' && /\/clusterbindings\/[^/]+\/status/u.test(path);
}
