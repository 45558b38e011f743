import type { Secret } from '@hawser/kube-bind';
import type { ConsumerSecret } from './observed.js';

/** Action for one consumer Secret. Contains Secret data: never log it. */
export type MirrorAction =
  | { readonly kind: 'none'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'create'; readonly namespace: string; readonly name: string; readonly secret: Secret }
  /** `data`: a merge patch; `null` removes a key. */
  | {
      readonly kind: 'update';
      readonly namespace: string;
      readonly name: string;
      readonly uid: string;
      readonly resourceVersion: string;
      readonly data: Readonly<Record<string, string | null>>;
    };

/**
 * Plans how to match a consumer Secret to the provider's: all its data, and its kubeconfig under each key that bindings
 * name. Labels, annotations and the type (immutable) of an existing Secret stay. Never overwrites a kubeconfig for
 * another provider; under a key that bindings name, it protects the whole Secret.
 */
export function mirror(target: ConsumerSecret, source: Secret, kubeconfig: string): MirrorAction {
  const { namespace, name, reading } = target;
  const wanted: Readonly<Record<string, string>> = {
    ...source.data,
    ...Object.fromEntries(target.keys.map((key) => [key, kubeconfig])),
  };
  switch (reading.kind) {
    case 'unknown':
      return { kind: 'none', namespace, name };
    case 'missing':
      return {
        kind: 'create',
        namespace,
        name,
        secret: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { namespace, name },
          type: creatableType(source.type),
          data: wanted,
        },
      };
    case 'found': {
      const { otherProviderKeys = [] } = reading;
      if (target.keys.some((key) => otherProviderKeys.includes(key))) return { kind: 'none', namespace, name };
      const data = Object.fromEntries(
        Object.entries(difference(reading.secret.data ?? {}, wanted)).filter(
          ([key]) => !otherProviderKeys.includes(key),
        ),
      );
      if (Object.keys(data).length === 0) return { kind: 'none', namespace, name };
      const { uid = '', resourceVersion = '' } = reading.secret.metadata;
      return { kind: 'update', namespace, name, uid, resourceVersion, data };
    }
  }
}

/** A token Secret belongs to its cluster's ServiceAccount: other API servers refuse it, or fill in their own token. */
function creatableType(type: string | undefined): string {
  return type === undefined || type === 'kubernetes.io/service-account-token' ? 'Opaque' : type;
}

function difference(
  now: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const changed = Object.entries(wanted).filter(([key, value]) => now[key] !== value);
  const removed = Object.keys(now)
    .filter((key) => !Object.hasOwn(wanted, key))
    .map((key): [string, null] => [key, null]);
  return Object.fromEntries<string | null>([...changed, ...removed]);
}
