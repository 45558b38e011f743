import type { InformerHandle } from '@hawser/informer';
import {
  type NamedWatches,
  type ProviderConnection,
  type SecretKeyRef,
  deniedError,
} from '@hawser/konnector-connection';
import { type ClusterBinding, type Secret, fixedNames, malformation } from '@hawser/kube-bind';
import type { Destinations } from './destinations.js';
import type { HeartbeatPlan } from './heartbeat.js';
import type { ClusterBindingReading, ConsumerSecret, Observed, ProviderSecretReading } from './observed.js';

export interface Observer {
  readonly connection: ProviderConnection;
  readonly version: string;
  readonly clusterBindings: InformerHandle<ClusterBinding>;
  readonly providerSecrets: NamedWatches<Secret>;
  readonly consumerSecrets: NamedWatches<Secret>;
  /** Why this Secret value (base64) allows no connection; undefined if it does. */
  readonly refusal: (kubeconfig: string) => string | undefined;
  readonly destinations: Destinations;
}

/** Reads everything that decides about the connection from caches. Opens watches as needed. */
export function observe(observer: Observer, heartbeat: HeartbeatPlan, nowMs: number): Observed {
  const clusterBinding = readClusterBinding(observer);
  const providerSecret = readProviderSecret(observer, clusterBinding);
  return {
    clusterBinding,
    providerSecret,
    consumerSecrets: readConsumerSecrets(observer, providerSecret),
    version: observer.version,
    heartbeat,
    nowMs,
  };
}

function readClusterBinding({ connection, clusterBindings }: Observer): ClusterBindingReading {
  const denied = deniedError(clusterBindings);
  if (denied !== undefined) return { kind: 'unreadable', error: denied.message };
  const object = clusterBindings.get({ namespace: connection.clusterNamespace, name: fixedNames.clusterBinding });
  if (object === undefined) return { kind: 'missing' };
  const malformed = malformation('ClusterBinding', object);
  if (malformed !== undefined)
    return {
      kind: 'unreadable',
      error: `ClusterBinding ${fixedNames.clusterBinding} of the provider is malformed: ${malformed.path} ${malformed.message}. Provider: put it right; until then no heartbeat is reported.`,
    };
  return { kind: 'found', object };
}

function readProviderSecret(
  { connection, providerSecrets, refusal }: Observer,
  clusterBinding: ClusterBindingReading,
): ProviderSecretReading {
  if (clusterBinding.kind !== 'found') return { kind: 'unknown' };
  const { name, key } = clusterBinding.object.spec.kubeconfigSecretRef;
  const at = { namespace: connection.clusterNamespace, name };
  providerSecrets.want([at]);
  const reading = providerSecrets.read(at);
  switch (reading.kind) {
    case 'missing':
      return { kind: 'missing' };
    case 'denied':
      return { kind: 'denied', error: reading.error.message };
    case 'unknown':
      return { kind: 'unknown' };
    case 'found': {
      const kubeconfig = reading.object.data?.[key];
      return {
        kind: 'found',
        secret: reading.object,
        kubeconfig,
        refusal: kubeconfig === undefined || kubeconfig === '' ? undefined : refusal(kubeconfig),
      };
    }
  }
}

/** Keys whose kubeconfig leads to another provider. A value equal to the provider's costs one comparison. */
function otherProviderKeysIn(
  { data = {} }: Secret,
  provided: ProviderSecretReading,
  destinations: Destinations,
): readonly string[] {
  if (provided.kind !== 'found') return [];
  const { kubeconfig } = provided;
  if (kubeconfig !== undefined && kubeconfig !== '' && provided.refusal === undefined)
    destinations.handedOut(kubeconfig);
  return Object.entries(data).flatMap(([key, value]) =>
    value !== kubeconfig && value !== provided.secret.data?.[key] && destinations.isOtherDestination(value)
      ? [key]
      : [],
  );
}

function readConsumerSecrets(
  { connection, consumerSecrets, destinations }: Observer,
  providerSecret: ProviderSecretReading,
): readonly ConsumerSecret[] {
  const targets = new Map<string, SecretKeyRef[]>();
  for (const ref of connection.secrets()) {
    const id = `${ref.namespace}/${ref.name}`;
    targets.set(id, [...(targets.get(id) ?? []), ref]);
  }
  const refs = [...targets.values()];
  consumerSecrets.want(
    refs.flatMap(([first]) => (first === undefined ? [] : [{ namespace: first.namespace, name: first.name }])),
  );
  return refs.flatMap((same): readonly ConsumerSecret[] => {
    const [first] = same;
    if (first === undefined) return [];
    const { namespace, name } = first;
    const reading = consumerSecrets.read({ namespace, name });
    const keys = [...new Set(same.map((ref) => ref.key))];
    if (reading.kind === 'found')
      return [
        {
          namespace,
          name,
          keys,
          reading: {
            kind: 'found',
            secret: reading.object,
            otherProviderKeys: otherProviderKeysIn(reading.object, providerSecret, destinations),
          },
        },
      ];
    return [{ namespace, name, keys, reading: { kind: reading.kind === 'missing' ? 'missing' : 'unknown' } }];
  });
}
