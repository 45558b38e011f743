import type { NamedReading, SecretKeyRef } from '@hawser/konnector-connection';
import type { Secret } from '@hawser/kube-bind';
import {
  type ConnectionConfig,
  type KubeconfigPolicy,
  connectionHash,
  parseSecretKubeconfig,
} from '@hawser/kubeconfig';
import { fingerprintOf } from './fingerprint.js';

/** Content of a Secret for a provider connection. */
export type SecretReading =
  | ValidSecret
  | { readonly kind: 'missing' }
  /** `problem`: sentences with the refused part and the remedy, without any of the content. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** The consumer refuses the read. */
  | { readonly kind: 'unreadable'; readonly error: string }
  /** Not read yet. */
  | { readonly kind: 'unknown' };

export interface ValidSecret {
  readonly kind: 'valid';
  /** From {@link connectionHash}. */
  readonly hash: string;
  readonly config: ConnectionConfig;
  readonly clusterNamespace: string;
  /**
   * Equal for kubeconfigs that differ only in their token, from {@link fingerprintOf}; absent: none can replace this one
   * in place.
   */
  readonly fingerprint?: string | undefined;
}

/** Reads kubeconfigs from Secrets; parses each version of a Secret once. */
export class SecretReader {
  readonly #policy: KubeconfigPolicy;
  readonly #known = new WeakMap<Secret, Map<string, SecretReading>>();

  constructor(policy: KubeconfigPolicy) {
    this.#policy = policy;
  }

  read(reading: NamedReading<Secret>, key: SecretKeyRef['key']): SecretReading {
    switch (reading.kind) {
      case 'unknown':
      case 'missing':
        return { kind: reading.kind };
      case 'denied':
        return { kind: 'unreadable', error: reading.error.message };
      case 'found':
        return this.#readSecret(reading.object, key);
    }
  }

  #readSecret(secret: Secret, key: string): SecretReading {
    const known = this.#known.get(secret) ?? new Map<string, SecretReading>();
    this.#known.set(secret, known);
    const reading = known.get(key) ?? readValue(secret, key, this.#policy);
    known.set(key, reading);
    return reading;
  }
}

function readValue(secret: Secret, key: string, policy: KubeconfigPolicy): SecretReading {
  const value = secret.data !== undefined && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (value === undefined) return { kind: 'invalid', problem: 'There is no such key.' };
  const bytes = Buffer.from(value, 'base64');
  const parsed = parseSecretKubeconfig(bytes, policy);
  if (!parsed.ok) return { kind: 'invalid', problem: parsed.problems.map(({ message }) => message).join(' ') };
  return {
    kind: 'valid',
    hash: connectionHash(bytes),
    config: parsed.connection,
    clusterNamespace: parsed.namespace,
    fingerprint: fingerprintOf(parsed.connection, parsed.namespace),
  };
}
