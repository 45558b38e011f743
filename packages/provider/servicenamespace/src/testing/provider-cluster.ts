import {
  type Client,
  type KubeObject,
  type ObjectKey,
  type Resource,
  type UnstructuredObject,
  createClient,
  isNotFound,
} from '@hawser/client';
import { systemClock } from '@hawser/clock';
import type { Controller } from '@hawser/controller';
import { createSharedInformers } from '@hawser/informer';
import { installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import {
  type EventMessage,
  type EventRecorder,
  type ObjectReference,
  noMetrics,
  silentLogger,
} from '@hawser/telemetry';

import {
  type AuditEntry,
  type ControlPlane,
  type ControlPlaneOptions,
  settled,
  startControlPlane,
  uniqueNamespace,
} from '@hawser/testenv';

/** A running controller. */
export interface Running {
  readonly events: readonly { readonly regarding: ObjectReference; readonly event: EventMessage }[];
  stop(): Promise<void>;
}

/** Rights as in a ClusterRole. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A provider cluster of its own, with the CRDs of the contract. */
export interface ProviderCluster {
  readonly plane: ControlPlane;
  readonly client: Client;
  /**
   * Starts controllers like the process: with caches of their own, and as a user with the granted rights and no others.
   */
  run(...controllers: readonly Controller<'provider'>[]): Promise<Running>;
  /** As {@link run}, over its own connection to the API server. */
  runThrough(way: ControlPlane['connection'], ...controllers: readonly Controller<'provider'>[]): Promise<Running>;
  /** Connection of the controllers' user. */
  readonly connection: ControlPlane['connection'];
  read<T extends KubeObject>(resource: Resource, key: ObjectKey): Promise<T | undefined>;
  /** Gives the controllers more rights. */
  grant(rules: readonly Rule[]): Promise<void>;
  /** Writes and attempted writes of the controllers since the cluster was opened. */
  writes(): Promise<readonly AuditEntry[]>;
  /** {@link writes}, once no more come. */
  settledWrites(): Promise<readonly AuditEntry[]>;
  close(): Promise<void>;
}

const user = 'hawser-under-test';

/** @param rights of the controllers. */
export async function openProviderCluster(
  rights: readonly Rule[],
  options: ControlPlaneOptions = {},
): Promise<ProviderCluster> {
  const plane = await startControlPlane({ name: 'provider', ...options });
  const client = createClient({ name: 'provider', connection: plane.connection });
  await installCRDs(client, providerCRDs, { clock: systemClock });
  const running = new Set<Running>();
  const writes = (): Promise<readonly AuditEntry[]> => plane.auditLog().writes({ user });
  const { connection } = await plane.userAccess(user);
  const grant = async (rules: readonly Rule[]): Promise<void> => {
    const name = uniqueNamespace(user);
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await client.create(resources.clusterRoles, {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name },
      rules,
    } as UnstructuredObject);
    await client.create(resources.clusterRoleBindings, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name },
      subjects,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    } as UnstructuredObject);
  };
  const runThrough: ProviderCluster['runThrough'] = async (way, ...controllers) => {
    const own = createClient({ name: 'provider', connection: way });
    const informers = createSharedInformers({
      client: own,
      clock: systemClock,
      random: Math.random,
      logger: silentLogger,
      metrics: noMetrics,
    });
    const recorded: { regarding: ObjectReference; event: EventMessage }[] = [];
    const events: EventRecorder = {
      record: (regarding, event) => {
        recorded.push({ regarding, event });
      },
      flush: () => Promise.resolve(),
    };
    const provider = { name: 'provider', client: own, informers, events };
    const ending = new AbortController();
    const ctx = {
      clusters: { provider },
      logger: silentLogger,
      metrics: noMetrics,
      clock: systemClock,
      random: Math.random,
      signal: ending.signal,
    };
    await Promise.all(controllers.map((controller) => controller.start(ctx)));
    const one: Running = {
      events: recorded,
      async stop() {
        running.delete(one);
        await Promise.all(controllers.map((controller) => controller.stop()));
        ending.abort();
        await informers.close();
        await own.close();
      },
    };
    running.add(one);
    return one;
  };
  await grant(rights);
  return {
    plane,
    grant,
    client,
    connection,
    run: (...controllers) => runThrough(connection, ...controllers),
    runThrough,
    async read<T extends KubeObject>(resource: Resource, key: ObjectKey) {
      try {
        return await client.get<T>(resource, key);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    writes,
    settledWrites: () => settled(writes, { quiet: 5, intervalMs: 100 }),
    async close() {
      await Promise.all([...running].map((one) => one.stop()));
      await client.close();
      await plane.stop();
    },
  };
}
