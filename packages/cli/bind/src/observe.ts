import { type Client, type KubeObject, getIfExists, isApiError, listAll } from '@hawser/client';
import { type APIServiceExport as InlineExport, resources as klutch } from '@hawser/klutch';
import {
  type APIServiceBinding,
  type APIServiceExport,
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type ClusterBinding,
  type CustomResourceDefinition,
  type Secret,
  fixedNames,
  labels,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import { equal } from '@hawser/json';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { KubeconfigSecret, Observed } from './observed.js';
import { type BindingWish, dialectOf, isInline } from './wish.js';

/** Both clusters, and how long to wait for them. */
export interface Sides {
  readonly consumer: Client;
  /** With the credential that the konnector will have, or a stronger one. */
  readonly provider: Client;
  readonly signal: AbortSignal;
}

/** Reads both sides. Writes nothing. @throws ApiError for what cannot be read */
export async function observe({ consumer, provider, signal }: Sides, wish: BindingWish): Promise<Observed> {
  const { name, offer, clusterNamespace: namespace } = wish;
  const { names } = dialectOf(wish);
  const template =
    offer.kind === 'template'
      ? await getIfExists<APIServiceExportTemplate>(
          provider,
          resources.apiServiceExportTemplates,
          { name: offer.name },
          { signal },
        )
      : undefined;
  const bindings = await bindingsOf(consumer, signal);
  const wanted = offer.kind === 'resources' ? offer.resources : (template?.spec.resources ?? []);
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
  // In kube-bind's shape it has no claims: those count that a binding accepts.
  const inline = isInline(wish)
    ? await getIfExists<InlineExport>(provider, klutch.apiServiceExports, { namespace, name }, { signal })
    : undefined;
  const parsed = parseSecretKubeconfig(wish.kubeconfig, lenient);
  return {
    clusterBinding: await getIfExists<ClusterBinding>(
      provider,
      resources.clusterBindings,
      { namespace, name: names.clusterBinding },
      { signal },
    ),
    template,
    request: await getIfExists<APIServiceExportRequest>(
      provider,
      resources.apiServiceExportRequests,
      { namespace, name },
      { signal },
    ),
    export: await getIfExists<APIServiceExport>(provider, resources.apiServiceExports, { namespace, name }, { signal }),
    claims: inline?.spec.permissionClaims ?? [],
    isServed: bindings !== undefined,
    namespace: consumerNamespace,
    secrets: consumerNamespace === undefined ? [] : await secretsOf(consumer, wish, signal),
    bindings: bindings ?? [],
    crds,
    server: parsed.ok ? parsed.connection.server : '',
  };
}

/** Undefined: their CRD is not there. */
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

/** Where a kubeconfig leads is looked at, whether or not a konnector would use it. */
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
        // Not by its bytes: the konnector keeps there what the provider has written, which may say the same in other words.
        isSame: parsed?.ok === true && wanted.ok && equal(parsed.connection, wanted.connection),
        isLabelled: metadata.labels?.[labels.providerKubeconfig] === 'true',
      },
    ];
  });
}
