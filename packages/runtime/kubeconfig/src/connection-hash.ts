import { createHash } from 'node:crypto';

/** SHA-256 of the kubeconfig's bytes as they are in the Secret, hex: bindings with the same bytes share a connection. */
export function connectionHash(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
