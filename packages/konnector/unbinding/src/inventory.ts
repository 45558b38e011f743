import { type Client, type KubeObject, getIfExists, isApiError, listPages, objectKey } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import {
  type APIServiceBinding,
  type APIServiceBindingBundle,
  type CustomResourceDefinition,
  bindingOwners,
  labels,
  resources,
  servedResource,
} from '@hawser/kube-bind';

import { type ConsumerTerms, kubeBindTerms } from './consumer-terms.js';
import { type LeaseName, type LeaseReading, readLease } from './lease-holder.js';
import { listServed } from './live.js';
import { RECORD_LABEL } from './orphan-record.js';
import { isHeld } from './release-objects.js';

/** A CRD with objects that a konnector handles. */
export interface CRDFound {
  readonly crd: CustomResourceDefinition;
  /** Installed for a binding. */
  readonly ours: boolean;
  readonly objects: number;
  /** Objects with the finalizer of the dialect. */
  readonly held: number;
}

/** An object of which only the name is known. */
export interface Found {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
}

export interface OrphanRecord extends Found {
  readonly data: Readonly<Record<string, string>>;
}

/** Everything of one dialect on a consumer cluster, read live. */
export interface Inventory {
  readonly terms: ConsumerTerms;
  readonly bindings: readonly APIServiceBinding[];
  readonly bundles: readonly APIServiceBindingBundle[];
  /** CRDs installed for bindings, and others whose objects a konnector holds. */
  readonly crds: readonly CRDFound[];
  /** The CRDs of the dialect that a konnector installs. */
  readonly contractCRDs: readonly Found[];
  readonly secrets: readonly Found[];
  /** Records of orphaned objects. */
  readonly records: readonly OrphanRecord[];
  readonly lease: LeaseReading | undefined;
  /** Objects claimed from providers, `secrets team-a/x`: workloads may use them, so uninstalling never deletes them. */
  readonly claimed: readonly string[];
  /** What could not be read, and so proves nothing: one sentence each. */
  readonly unreadable: readonly string[];
}

export interface InventoryOptions {
  /** Finds the kinds of kube-bind, whatever dialect the consumer uses. */
  readonly client: Client;
  /** Default: kube-bind. */
  readonly terms?: ConsumerTerms | undefined;
  readonly clock: Clock;
  readonly lease: LeaseName;
  /** `namespace/name` of Secrets that deleted bindings named. */
  readonly formerSecrets?: ReadonlySet<string>;
}

const CRDS_AT_ONCE = 50;
/** Prefix of the Secrets that `kubectl bind` and the provider's page create in the konnector's namespace. */
const SECRET_PREFIX = 'kubeconfig-';

/** Reads the inventory live; writes nothing. */
export async function takeInventory(
  { client, terms = kubeBindTerms, clock, lease, formerSecrets = new Set() }: InventoryOptions,
  signal: AbortSignal,
): Promise<Inventory> {
  const unreadable: string[] = [];
  const bindings = await listServed<APIServiceBinding>(client, resources.apiServiceBindings, { signal });
  const bundles = terms.bundles
    ? await listServed<APIServiceBindingBundle>(client, resources.apiServiceBindingBundles, { signal })
    : [];
  const crds: CRDFound[] = [];
  const contractCRDs: Found[] = [];
  const contractNames = new Set(terms.crds.map(({ metadata }) => metadata.name));
  for await (const page of listPages<CustomResourceDefinition>(client, resources.customResourceDefinitions, {
    limit: CRDS_AT_ONCE,
    signal,
  })) {
    for (const crd of page) {
      if (contractNames.has(crd.metadata.name)) contractCRDs.push(foundOf(crd));
      if (crd.spec.group === terms.dialect.apiGroup) continue;
      const found = await readCRD(client, terms, crd, unreadable, signal);
      if (found.ours || found.held > 0) crds.push(found);
    }
  }
  const refs = new Set([...formerSecrets, ...secretRefs(bindings, bundles)]);
  return {
    terms,
    bindings,
    bundles,
    crds,
    contractCRDs,
    secrets: await findSecrets(client, terms, refs, lease.namespace, signal),
    records: (
      await listServed<KubeObject & { readonly data?: OrphanRecord['data'] }>(client, resources.configMaps, {
        labelSelector: RECORD_LABEL,
        signal,
      })
    ).map((record) => ({ ...foundOf(record), data: record.data ?? {} })),
    claimed: await findClaimed(client, terms, signal),
    lease: await readLease(client, lease, clock, signal),
    unreadable,
  };
}

/** `namespace/name` of the named Secrets. */
export function secretRefs(
  bindings: readonly APIServiceBinding[],
  bundles: readonly APIServiceBindingBundle[],
): readonly string[] {
  return [...bindings, ...bundles].flatMap(({ spec }) =>
    spec?.kubeconfigSecretRef === undefined
      ? []
      : [`${spec.kubeconfigSecretRef.namespace}/${spec.kubeconfigSecretRef.name}`],
  );
}

async function readCRD(
  client: Client,
  { dialect }: ConsumerTerms,
  crd: CustomResourceDefinition,
  unreadable: string[],
  signal: AbortSignal,
): Promise<CRDFound> {
  const resource = servedResource(crd.spec);
  let objects = 0;
  let held = 0;
  try {
    if (resource !== undefined) {
      for await (const items of listPages<KubeObject>(client, resource, { representation: 'metadata', signal })) {
        objects += items.length;
        held += items.filter((item) => isHeld(item, dialect)).length;
      }
    }
  } catch (error) {
    // Not served: just deleted, or never established; either way it has no objects.
    if (!isApiError(error)) throw error;
    if (error.code !== 'NotFound')
      unreadable.push(`Objects of ${crd.metadata.name} cannot be listed: ${error.message}.`);
  }
  return { crd, ours: bindingOwners(crd, dialect.apiVersion).length > 0, objects, held };
}

async function findClaimed(client: Client, { marks }: ConsumerTerms, signal: AbortSignal): Promise<readonly string[]> {
  const labelSelector = Object.entries(marks.ownerMark('provider').labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const found: string[] = [];
  for (const resource of [resources.namespaces, resources.secrets, resources.configMaps, resources.serviceAccounts]) {
    const objects = await listServed<KubeObject>(client, resource, {
      ...(labelSelector === '' ? {} : { labelSelector }),
      representation: 'metadata',
      signal,
    });
    found.push(
      ...objects
        .filter((object) => marks.markedOwner(object) === 'provider')
        .map((object) => `${resource.resource} ${objectKey(object)}`),
    );
  }
  return found;
}

async function findSecrets(
  client: Client,
  { labelledSecrets }: ConsumerTerms,
  refs: ReadonlySet<string>,
  konnectorNamespace: string,
  signal: AbortSignal,
): Promise<readonly Found[]> {
  const found = new Map<string, Found>();
  const take = (secret: KubeObject): void => {
    found.set(objectKey(secret), foundOf(secret));
  };
  for (const ref of refs) {
    const [namespace = '', name = ''] = ref.split('/');
    const secret = await getIfExists<KubeObject>(client, resources.secrets, { namespace, name }, { signal });
    if (secret !== undefined) take(secret);
  }
  if (labelledSecrets)
    for (const secret of await listServed<KubeObject>(client, resources.secrets, {
      labelSelector: `${labels.providerKubeconfig}=true`,
      representation: 'metadata',
      signal,
    }))
      take(secret);
  for (const secret of await listServed<KubeObject>(client, resources.secrets, {
    namespace: konnectorNamespace,
    representation: 'metadata',
    signal,
  })) {
    if (secret.metadata.name.startsWith(SECRET_PREFIX)) take(secret);
  }
  return [...found.values()];
}

function foundOf({ metadata: { namespace = '', name, uid } }: KubeObject): Found {
  return { namespace, name, uid };
}
