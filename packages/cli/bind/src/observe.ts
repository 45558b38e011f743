import { type Client, type KubeObject, type Resource, getIfExists, isApiError, listAll } from '@hawser/client';
import { type APIServiceExport as InlineExport, resources as klutch } from '@hawser/klutch';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type ClusterBinding,
  type CustomResourceDefinition,
  type GroupResource,
  type Secret,
  fixedNames,
  labels,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { equal } from '@hawser/json';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { KubeconfigSecret, Observed } from './observed.js';
import { readKonnectorRole } from './konnector-role.js';
import { type BindingWish, dialectOf, isInline } from './wish.js';

/** Both clusters, and how long to wait for them. */
export interface Sides {
  readonly consumer: Client;
  /**
   * Client with the konnector's future credential, or a stronger one. Undefined: no credential exists yet, so the
   * provider's state is unknown.
   */
  readonly provider: Client | undefined;
  readonly signal: AbortSignal;
}

/** Reads both sides. Writes nothing. @throws ApiError if a read fails */
export async function observe({ consumer, provider, signal }: Sides, wish: BindingWish): Promise<Observed> {
  const { name, offer } = wish;
  const { names } = dialectOf(wish);
  const template =
    offer.kind === 'template' && provider !== undefined
      ? await getIfExists<APIServiceExportTemplate>(
          provider,
          resources.apiServiceExportTemplates,
          { name: offer.name },
          { signal },
        )
      : undefined;
  const bindings = await bindingsOf(consumer, signal);
  const wanted = wantedResources(offer, template);
  const crds: CustomResourceDefinition[] = [];
  for (const resource of wanted) {
    const crd = await getIfExists<CustomResourceDefinition>(
      consumer,
      resources.customResourceDefinitions,
      { name: resourceGroupName(resource) },
      { signal },
    );
    if (crd !== undefined) crds.push(crd);
  }
  const consumerNamespace = await getIfExists<KubeObject>(
    consumer,
    resources.namespaces,
    { name: names.konnectorNamespace },
    { signal },
  );
  const parsed = parseSecretKubeconfig(wish.kubeconfig, lenient);
  return {
    ...(provider === undefined ? notAsked : await onProvider(provider, wish, signal)),
    template,
    isServed: bindings !== undefined,
    namespace: consumerNamespace,
    secrets: consumerNamespace === undefined ? [] : await secretsOf(consumer, wish, signal),
    bindings: bindings ?? [],
    konnectorRole:
      wish.grantsKonnector === true && !isInline(wish) ? await readKonnectorRole(consumer, name, signal) : 'unknown',
    crds,
    server: parsed.ok ? parsed.connection.server : '',
  };
}

type OnProvider = Pick<Observed, 'clusterBinding' | 'request' | 'export' | 'claims'>;

const notAsked: OnProvider = { clusterBinding: 'unknown', request: undefined, export: undefined, claims: [] };

async function onProvider(provider: Client, wish: BindingWish, signal: AbortSignal): Promise<OnProvider> {
  const { name, clusterNamespace: namespace } = wish;
  const read = <T extends KubeObject>(resource: Resource, named: string): Promise<T | undefined> =>
    getIfExists<T>(provider, resource, { namespace, name: named }, { signal });
  // The shape of kube-bind holds no claims: the claims that a binding accepts count.
  const inline = isInline(wish) ? await read<InlineExport>(klutch.apiServiceExports, name) : undefined;
  return {
    clusterBinding: await read<ClusterBinding>(resources.clusterBindings, dialectOf(wish).names.clusterBinding),
    request: await read<APIServiceExportRequest>(resources.apiServiceExportRequests, name),
    export: await read<APIServiceExport>(resources.apiServiceExports, name),
    claims: inline?.spec.permissionClaims ?? [],
  };
}

function wantedResources(
  offer: BindingWish['offer'],
  template: APIServiceExportTemplate | undefined,
): readonly GroupResource[] {
  switch (offer.kind) {
    case 'resources':
      return offer.resources;
    case 'request':
      return offer.spec.resources;
    case 'template':
      return template?.spec.resources ?? [];
  }
}

/** Undefined: the CRD of bindings is missing. */
export async function bindingsOf(
  consumer: Client,
  signal: AbortSignal,
): Promise<readonly APIServiceBinding[] | undefined> {
  try {
    return await listAll<APIServiceBinding>(consumer, resources.apiServiceBindings, { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Reads the server of a kubeconfig, whether or not a konnector would use it. */
const lenient = { allowInsecureSkipTlsVerify: true, allowProxyUrl: true };

async function secretsOf(
  consumer: Client,
  wish: BindingWish,
  signal: AbortSignal,
): Promise<readonly KubeconfigSecret[]> {
  const wanted = parseSecretKubeconfig(wish.kubeconfig, lenient);
  const found = await listAll<Secret>(consumer, resources.secrets, {
    namespace: dialectOf(wish).names.konnectorNamespace,
    signal,
  });
  return found.flatMap(({ metadata, data }): readonly KubeconfigSecret[] => {
    const encoded = data?.[fixedNames.kubeconfigKey];
    const parsed = encoded === undefined ? undefined : parseSecretKubeconfig(Buffer.from(encoded, 'base64'), lenient);
    return [
      {
        name: metadata.name,
        resourceVersion: metadata.resourceVersion,
        uid: metadata.uid,
        reaches:
          parsed?.ok === true ? { server: parsed.connection.server, clusterNamespace: parsed.namespace } : undefined,
        // Not compared byte by byte: the konnector stores the provider's text there, which may word the same kubeconfig
        // differently.
        isSame: parsed?.ok === true && wanted.ok && equal(parsed.connection, wanted.connection),
        isLabelled: metadata.labels?.[labels.providerKubeconfig] === 'true',
      },
    ];
  });
}
