import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  createClient,
  isNotFound,
} from '@hawser/client';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { type ControlPlane, type EtcdEntry, eventually, startControlPlane } from '@hawser/testenv';

/** A cluster, seen by its administrator. */
export interface Plane {
  readonly name: string;
  readonly connection: ConnectionConfig;
  /** Address for konnectors: it differs if they are pods. */
  readonly podsConnection: ConnectionConfig;
  readonly client: Client;
  readonly kubeconfigFile: string;
  /** Absent for a given cluster: its API server cannot be restarted, and its audit log is out of reach. */
  readonly controlPlane: ControlPlane | undefined;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Like `kubectl apply`; waits for kinds that the API server is about to serve. */
  apply(...objects: readonly object[]): Promise<void>;
  find<T extends KubeObject = UnstructuredObject>(resource: Resource, key: ObjectKey): Promise<T | undefined>;
  stop(): Promise<void>;
}

export type Side = 'consumer' | 'provider';

const givenClusters: Readonly<Record<Side, string>> = {
  consumer: 'HAWSER_E2E_CONSUMER_KUBECONFIG',
  provider: 'HAWSER_E2E_PROVIDER_KUBECONFIG',
};
const podServers: Readonly<Record<Side, string>> = {
  consumer: 'HAWSER_E2E_CONSUMER_POD_SERVER',
  provider: 'HAWSER_E2E_PROVIDER_POD_SERVER',
};

/** Whether the suites run on clusters that the environment names, for example of kind. */
export function onGivenClusters(): boolean {
  return Object.values(givenClusters).some((variable) => (process.env[variable] ?? '') !== '');
}

export interface PlaneOptions {
  /** Written into etcd before the API server starts. */
  readonly load?: readonly EtcdEntry[];
  /** Default true. */
  readonly controllerManager?: boolean;
  /** Enforce ResourceQuotas. Default false. */
  readonly quotas?: boolean;
}

export async function openPlane(side: Side, options: PlaneOptions = {}): Promise<Plane> {
  const file = process.env[givenClusters[side]];
  return file !== undefined && file !== ''
    ? givenPlane(side, file, process.env[podServers[side]])
    : startedPlane(side, options);
}

async function startedPlane(
  side: Side,
  { load = [], controllerManager = true, quotas = false }: PlaneOptions,
): Promise<Plane> {
  const version = process.env['HAWSER_KUBERNETES_VERSION'];
  const controlPlane = await startControlPlane({
    name: side,
    controllerManager,
    quotas,
    load,
    startTimeoutMs: 180_000,
    ...(version === undefined ? {} : { kubernetesVersion: version }),
  });
  return plane(
    side,
    controlPlane.connection,
    controlPlane.kubeconfigFile,
    (args, input) => controlPlane.kubectl(args, input === undefined ? {} : { input }),
    controlPlane,
  );
}

const run = promisify(execFile);

/** Opens an existing cluster. `podServer`: address of its API server for pods of other clusters. */
export async function givenPlane(side: string, file: string, podServer?: string): Promise<Plane> {
  const kubectl = async (args: readonly string[], input?: string): Promise<string> => {
    const child = run('kubectl', [`--kubeconfig=${file}`, ...args], { maxBuffer: 64 * 1024 * 1024 });
    child.child.stdin?.end(input ?? '');
    return (await child).stdout;
  };
  const config = JSON.parse(
    await kubectl(['config', 'view', '--raw', '--minify', '--flatten', '-o', 'json']),
  ) as GivenKubeconfig;
  const cluster = config.clusters[0]?.cluster;
  const user = config.users[0]?.user;
  if (cluster === undefined || user === undefined) throw new Error(`${file}: no current context`);
  const decode = (data: string | undefined): string => Buffer.from(data ?? '', 'base64').toString('utf8');
  const connection: ConnectionConfig = {
    server: cluster.server,
    caData: decode(cluster['certificate-authority-data']),
    credentials:
      user.token === undefined
        ? { kind: 'certificate', cert: decode(user['client-certificate-data']), key: decode(user['client-key-data']) }
        : { kind: 'token', token: user.token },
  };
  return plane(
    side,
    connection,
    file,
    kubectl,
    undefined,
    podServer === undefined ? connection : { ...connection, server: podServer },
  );
}

interface GivenKubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string };
  }[];
  readonly users: readonly {
    readonly user: {
      readonly token?: string;
      readonly 'client-certificate-data'?: string;
      readonly 'client-key-data'?: string;
    };
  }[];
}

function plane(
  name: string,
  connection: ConnectionConfig,
  kubeconfigFile: string,
  kubectl: Plane['kubectl'],
  controlPlane: ControlPlane | undefined,
  podsConnection = connection,
): Plane {
  const client = createClient({ name, connection, userAgent: 'e2e' });
  return {
    name,
    connection,
    podsConnection,
    client,
    kubeconfigFile,
    controlPlane,
    kubectl,
    async apply(...objects) {
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      // Discovery lists a kind a moment after its CRD is established, and later under load.
      const failure = await eventually(
        async () => {
          try {
            await kubectl(['apply', '--validate=false', '-f', '-'], list);
            return undefined;
          } catch (error) {
            const refusal = error instanceof Error ? error : new Error(String(error));
            if (refusal.message.includes('no matches for kind')) throw refusal;
            return refusal;
          }
        },
        { timeoutMs: 60_000, intervalMs: 200 },
      );
      if (failure !== undefined) throw failure;
    },
    async find(resource, key) {
      try {
        return await client.get(resource, key);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async stop() {
      await client.close();
      await controlPlane?.stop();
    },
  };
}
