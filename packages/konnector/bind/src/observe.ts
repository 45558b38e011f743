import { type Client, type KubeObject, getIfExists, isApiError, listAll } from '@hawser/client';
import {
  type APIServiceBinding, type APIServiceExport, type APIServiceExportRequest, type APIServiceExportTemplate, type ClusterBinding, type CustomResourceDefinition, type Secret,
  fixedNames, labels, resourceGroupName, resources,
} from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { KubeconfigSecret, Observed } from './observed.js';
import type { BindingWish } from './wish.js';

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
  const template = offer.kind === 'template' ? await getIfExists<APIServiceExportTemplate>(provider, resources.apiServiceExportTemplates, { name: offer.name }, { signal }) : undefined;
  const bindings = await bindingsOf(consumer, signal);
  const wanted = offer.kind === 'resources' ? offer.resources : (template?.spec.resources ?? []);
  const crds: CustomResourceDefinition[] = [];
  for (const resource of wanted) {
    const crd = await getIfExists<CustomResourceDefinition>(consumer, resources.customResourceDefinitions, { name: resourceGroupName(resource) }, { signal });
    if (crd !== undefined) crds.push(crd);
  }
  const consumerNamespace = await getIfExists<KubeObject>(consumer, resources.namespaces, { name: fixedNames.konnectorNamespace }, { signal });
  const parsed = parseSecretKubeconfig(wish.kubeconfig, lenient);
  return {
    clusterBinding: await getIfExists<ClusterBinding>(provider, resources.clusterBindings, { namespace, name: fixedNames.clusterBinding }, { signal }),
    template,
    request: await getIfExists<APIServiceExportRequest>(provider, resources.apiServiceExportRequests, { namespace, name }, { signal }),
    export: await getIfExists<APIServiceExport>(provider, resources.apiServiceExports, { namespace, name }, { signal }),
    isServed: bindings !== undefined,
    namespace: consumerNamespace,
    secrets: consumerNamespace === undefined ? [] : await secretsOf(consumer, wish.kubeconfig, signal),
    bindings: bindings ?? [],
    crds,
    server: parsed.ok ? parsed.connection.server : '',
  };
}

/** Undefined: their CRD is not there. */
export async function bindingsOf(consumer: Client, signal: AbortSignal): Promise<readonly APIServiceBinding[] | undefined> {
  try {
    return await listAll<APIServiceBinding>(consumer, resources.apiServiceBindings, { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

/** Where a kubeconfig leads is looked at, whether or not a konnector would use it. */
const lenient = { allowInsecureSkipTlsVerify: true, allowProxyUrl: true };

async function secretsOf(consumer: Client, kubeconfig: string, signal: AbortSignal): Promise<readonly KubeconfigSecret[]> {
  const wanted = Buffer.from(kubeconfig).toString('base64');
  const found = await listAll<Secret>(consumer, resources.secrets, { namespace: fixedNames.konnectorNamespace, signal });
  return found.flatMap(({ metadata, data }): readonly KubeconfigSecret[] => {
    const encoded = data?.[fixedNames.kubeconfigKey];
    const parsed = encoded === undefined ? undefined : parseSecretKubeconfig(Buffer.from(encoded, 'base64'), lenient);
    return [{
      name: metadata.name, resourceVersion: metadata.resourceVersion, uid: metadata.uid,
      reaches: parsed?.ok === true ? { server: parsed.connection.server, clusterNamespace: parsed.namespace } : undefined,
      isSame: encoded === wanted,
      isLabelled: metadata.labels?.[labels.providerKubeconfig] === 'true',
    }];
  });
}
