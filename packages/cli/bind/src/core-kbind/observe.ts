import { type Client, type KubeObject, getIfExists, isApiError, isForbidden, listAll } from '@hawser/client';
import { type Binding, type Connection, fixedNames, resources } from '@hawser/core-kbind';
import { equal } from '@hawser/json';
import { type CustomResourceDefinition, type Secret, resources as kubeResources } from '@hawser/kube-bind';
import { parseSecretKubeconfig } from '@hawser/kubeconfig';

/** A requested binding in the terms of `core.kbind.io`. */
export interface CoreKbindWish {
  /** Name of the ClusterBinding or Binding. */
  readonly name: string;
  /** Namespace of a Binding, which covers the objects there; undefined: a ClusterBinding. */
  readonly namespace: string | undefined;
  /** Names of the provider's CRDs. */
  readonly apis: readonly string[];
  /** Kubeconfig of the provider, as the konnector will use it. Holds a credential. */
  readonly kubeconfig: string;
  /** Default: a Connection with this kubeconfig, else one with the name of the binding. */
  readonly connection?: string | undefined;
  /** In the namespace of the Secrets. Default: the Secret of the Connection, else `kubeconfig-<connection>`. */
  readonly secretName?: string | undefined;
}

/** The relevant parts of a Secret; no credential. */
export interface SecretSeen {
  readonly metadata: Secret['metadata'];
  /** It holds the same kubeconfig as the wish, credential included. */
  readonly isSame: boolean;
  /** Server of its kubeconfig; undefined: the kubeconfig is unreadable. */
  readonly server: string | undefined;
}

/** Both sides, read live, as far as they matter to one wish. */
export interface CoreKbindObserved {
  /** The consumer serves `core.kbind.io`. */
  readonly isServed: boolean;
  readonly hasNamespace: boolean;
  readonly connections: readonly Connection[];
  /** Secrets in the namespace of the konnector. */
  readonly secrets: readonly SecretSeen[];
  readonly binding: Binding | undefined;
  /** CRDs on the provider; `unknown`: no right to read them. */
  readonly offered: ReadonlyMap<string, CustomResourceDefinition | 'unknown' | undefined>;
  /** CRDs with those names on the consumer. */
  readonly installed: ReadonlyMap<string, CustomResourceDefinition>;
  /** Server of the wish's kubeconfig. */
  readonly server: string;
}

/** Compares kubeconfigs whether or not a konnector would use them. The namespace of a context means nothing here. */
const lenient = { allowInsecureSkipTlsVerify: true, allowProxyUrl: true, defaultNamespace: 'default' };

/** Reads both sides. Writes nothing. @throws ApiError for what cannot be read */
export async function observeCoreKbind(
  sides: { readonly consumer: Client; readonly provider: Client; readonly signal: AbortSignal },
  wish: CoreKbindWish,
): Promise<CoreKbindObserved> {
  const { consumer, provider, signal } = sides;
  const connections = await connectionsOf(consumer, signal);
  const { name, namespace } = wish;
  const offered = new Map<string, CustomResourceDefinition | 'unknown' | undefined>();
  const installed = new Map<string, CustomResourceDefinition>();
  const crd = (client: Client, api: string): Promise<CustomResourceDefinition | undefined> =>
    getIfExists<CustomResourceDefinition>(client, kubeResources.customResourceDefinitions, { name: api }, { signal });
  for (const api of wish.apis) {
    offered.set(api, await orUnknown(crd(provider, api)));
    const here = await crd(consumer, api);
    if (here !== undefined) installed.set(api, here);
  }
  const key = { name: fixedNames.namespace };
  const home = await getIfExists<KubeObject>(consumer, kubeResources.namespaces, key, { signal });
  const wanted = parseSecretKubeconfig(wish.kubeconfig, lenient);
  return {
    isServed: connections !== undefined,
    hasNamespace: home !== undefined,
    connections: connections ?? [],
    secrets: home === undefined ? [] : await secretsOf(consumer, wanted, signal),
    binding:
      connections === undefined
        ? undefined
        : await getIfExists<Binding>(
            consumer,
            namespace === undefined ? resources.clusterBindings : resources.bindings,
            { name, namespace },
            { signal },
          ),
    offered,
    installed,
    server: wanted.ok ? wanted.connection.server : '',
  };
}

/** Undefined: the CRD of Connections is missing. */
async function connectionsOf(consumer: Client, signal: AbortSignal): Promise<readonly Connection[] | undefined> {
  try {
    return await listAll<Connection>(consumer, resources.connections, { signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function orUnknown<T>(reading: Promise<T>): Promise<T | 'unknown'> {
  try {
    return await reading;
  } catch (error) {
    if (isForbidden(error)) return 'unknown';
    throw error;
  }
}

async function secretsOf(
  consumer: Client,
  wanted: ReturnType<typeof parseSecretKubeconfig>,
  signal: AbortSignal,
): Promise<readonly SecretSeen[]> {
  const { namespace } = fixedNames;
  const found = await listAll<Secret>(consumer, kubeResources.secrets, { namespace, signal });
  return found.map(({ metadata, data }): SecretSeen => {
    const encoded = data?.[fixedNames.kubeconfigKey];
    const parsed = encoded === undefined ? undefined : parseSecretKubeconfig(Buffer.from(encoded, 'base64'), lenient);
    return {
      metadata,
      isSame: parsed?.ok === true && wanted.ok && equal(parsed.connection, wanted.connection),
      server: parsed?.ok === true ? parsed.connection.server : undefined,
    };
  });
}
