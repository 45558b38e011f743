import { type Client, isNotFound } from '@hawser/client';
import { createSharedInformers } from '@hawser/informer';
import { apiVersion, createAppClusterClient, resources as klutch, withOwnKubeconfig } from '@hawser/klutch';
import { type Secret, resources } from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';

import { clientOf, type ProcessContext } from '@hawser/commands';
import type { Config } from '@hawser/config';

/** An app cluster served from outside, beside its provider: Klutch's control plane mode (`spec/klutch.md §13`). */
export interface AppCluster {
  /** The consumer, as a konnector inside it would see it. */
  readonly consumer: Client;
  /** The control plane, as a konnector sees a provider; built on a client of it. */
  readonly asProvider: (client: Client) => Client;
  /** Aborts when the Secret gets another kubeconfig: then everything restarts. */
  readonly changed: AbortSignal;
  close(): Promise<void>;
}

export interface AppClusterOptions {
  /** Client of the control plane, with this process's own rights. */
  readonly controlPlane: Client;
  readonly connection: () => ConnectionConfig;
  readonly config: Config['konnector'];
  readonly mode: NonNullable<Config['konnector']['controlPlaneMode']>;
  readonly context: ProcessContext;
  readonly signal: AbortSignal;
  readonly mayWrite: AbortSignal;
}

/**
 * Reads the kubeconfig of the app cluster and connects.
 * @throws Error with a message if the Secret or the app cluster cannot be used
 */
export async function openAppCluster({
  controlPlane,
  connection,
  config,
  mode: { rootNamespace, kubeconfigSecret },
  context,
  signal,
  mayWrite,
}: AppClusterOptions): Promise<AppCluster> {
  const { namespace, name, key } = kubeconfigSecret;
  const secret = await controlPlane.get<Secret>(resources.secrets, { namespace, name }, { signal });
  const data = secret.data?.[key] ?? '';
  const parsed = parseSecretKubeconfig(Buffer.from(data, 'base64'), {
    ...config.secretKubeconfigs,
    defaultNamespace: 'default',
  });
  if (!parsed.ok)
    throw new Error(
      `Secret ${namespace}/${name}, key ${key}, holds no kubeconfig of an app cluster that can be used: ${parsed.problems.map(({ message }) => message).join(' ')}`,
    );
  const app = clientOf('consumer', parsed.connection, 'konnector', context, config.limits.consumer);
  try {
    await refuseBoundCluster(app, signal);
  } catch (error) {
    await app.close();
    throw error;
  }
  const changed = new AbortController();
  const { clock, random, logger, metrics } = context;
  const informers = createSharedInformers({ client: controlPlane, clock, random, logger, metrics });
  const watched = informers.acquire<Secret>({
    resource: resources.secrets,
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  const look = (found: Secret): void => {
    if (found.data?.[key] !== data) changed.abort();
  };
  watched.addHandler({
    onAdd: look,
    onUpdate: (_, found) => {
      look(found);
    },
  });
  const own = ownKubeconfig(connection(), rootNamespace);
  const asProvider = (client: Client): Client => withOwnKubeconfig(client, rootNamespace, own);
  return {
    consumer: createAppClusterClient({
      app: app.withWriteGuard(mayWrite),
      controlPlane: asProvider(controlPlane),
      rootNamespace,
    }),
    asProvider,
    changed: changed.signal,
    async close() {
      await informers.close();
      await app.close();
    },
  };
}

/**
 * CRDs are owned by APIServiceBindings outside the app cluster. If the app cluster serves that kind, its garbage
 * collector finds the owners missing and deletes the CRDs with all their objects.
 */
async function refuseBoundCluster(app: Client, signal: AbortSignal): Promise<void> {
  const { resource } = klutch.apiServiceBindings;
  try {
    const { resources: served = [] } = (await app.raw('GET', `/apis/${apiVersion}`, undefined, { signal })) as {
      readonly resources?: readonly { readonly name: string }[];
    };
    if (served.some(({ name }) => name === resource))
      throw new Error(
        `the app cluster has the CRD ${resource}.${klutch.apiServiceBindings.group}: its garbage collector would delete CRDs that are bound from here. Unbind what is bound there, and remove that CRD`,
      );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * A kubeconfig that names the control plane and the consumer's namespace. It carries no credential: requests use that
 * of this process.
 */
function ownKubeconfig({ server, caData, tlsServerName }: ConnectionConfig, namespace: string): string {
  const name = 'control-plane';
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [
      {
        name,
        cluster: {
          server,
          ...(caData === undefined ? {} : { 'certificate-authority-data': Buffer.from(caData).toString('base64') }),
          ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
        },
      },
    ],
    users: [{ name, user: { token: 'that-of-the-konnector' } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
  });
}
