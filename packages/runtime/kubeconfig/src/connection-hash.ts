import { createHash } from 'node:crypto';

/** Hashes a kubeconfig: SHA-256 of its bytes in the Secret, hex. Bindings with the same bytes share a connection. */
export function connectionHash(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
