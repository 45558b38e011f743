import type { Connection } from '@hawser/core-kbind';
import type { NamedReading } from '@hawser/konnector-connection';
import type { Secret } from '@hawser/kube-bind';
import {
  type ConnectionConfig,
  connectionHash,
  type KubeconfigPolicy,
  parseSecretKubeconfig,
} from '@hawser/kubeconfig';

/** The content of a Connection's Secret. */
export type KubeconfigReading =
  | { readonly kind: 'valid'; readonly hash: string; readonly config: ConnectionConfig }
  /** Reason and message for the condition. They contain no part of the Secret. */
  | { readonly kind: 'refused'; readonly reason: RefusedKubeconfigReason; readonly message: string }
  /** Not read yet. */
  | { readonly kind: 'unknown' };

export type RefusedKubeconfigReason =
  'SecretNotFound' | 'SecretNotReadable' | 'SecretNamespaceRefused' | 'KubeconfigRefused';

type SecretRef = Connection['spec']['kubeconfigSecretRef'];

/** Reads the kubeconfig from an untrusted Secret. `namespaces`: where it may be; undefined: anywhere. */
export function readKubeconfig(
  reading: NamedReading<Secret>,
  ref: SecretRef,
  policy: KubeconfigPolicy,
  namespaces: readonly string[] | undefined,
): KubeconfigReading {
  const name = `Secret ${ref.namespace}/${ref.name}`;
  const refused = (reason: RefusedKubeconfigReason, message: string): KubeconfigReading => ({
    kind: 'refused',
    reason,
    message,
  });
  if (namespaces?.includes(ref.namespace) === false)
    return refused(
      'SecretNamespaceRefused',
      `${name} is not in a namespace from which kubeconfigs are taken (${namespaces.join(', ')}). Make the Connection anew with a Secret there.`,
    );
  switch (reading.kind) {
    case 'unknown':
      return reading;
    case 'missing':
      return refused('SecretNotFound', `${name} does not exist. It is used as soon as it does.`);
    case 'denied':
      return refused(
        'SecretNotReadable',
        `${name} cannot be read: ${reading.error.message}. The operator has to let the konnector list and watch it.`,
      );
    case 'found':
      return readValue(reading.object, ref.key ?? '', policy, name);
  }
}

/** Each version of a Secret is parsed once per key. */
const known = new WeakMap<Secret, Map<string, KubeconfigReading>>();

function readValue(secret: Secret, key: string, policy: KubeconfigPolicy, name: string): KubeconfigReading {
  const readings = known.get(secret) ?? new Map<string, KubeconfigReading>();
  known.set(secret, readings);
  const reading = readings.get(key) ?? parse(secret, key === '' ? 'kubeconfig' : key, policy, name);
  readings.set(key, reading);
  return reading;
}

function parse(secret: Secret, key: string, policy: KubeconfigPolicy, name: string): KubeconfigReading {
  const value = secret.data !== undefined && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (value === undefined || value === '')
    return { kind: 'refused', reason: 'SecretNotFound', message: `${name} has no kubeconfig under key "${key}".` };
  const bytes = Buffer.from(value, 'base64');
  // The namespace of the context has no meaning here (spec/kbind-v2.md §10).
  const parsed = parseSecretKubeconfig(bytes, { defaultNamespace: 'default', ...policy });
  return parsed.ok
    ? { kind: 'valid', hash: connectionHash(bytes), config: parsed.connection }
    : {
        kind: 'refused',
        reason: 'KubeconfigRefused',
        message: `The kubeconfig in ${name} is refused: ${parsed.problems.map(({ message }) => message).join(' ')}`,
      };
}
