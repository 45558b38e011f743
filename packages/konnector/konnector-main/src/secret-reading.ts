import type { ConnectionConfig } from '@hawser/kubeconfig';

/** What a Secret says about the provider. */
export type SecretReading =
  | {
      readonly kind: 'valid';
      /** SHA-256 of the value's bytes, hex. */
      readonly hash: string;
      readonly config: ConnectionConfig;
      readonly clusterNamespace: string;
    }
  | { readonly kind: 'missing' }
  /** `problem`: what is refused, in words, without any of the content. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** The consumer does not let us look. */
  | { readonly kind: 'unreadable'; readonly error: string }
  /** Not looked yet. */
  | { readonly kind: 'unknown' };
