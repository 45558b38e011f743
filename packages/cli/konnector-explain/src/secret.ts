import type { Client } from '@hawser/client';
import { type APIServiceBinding, type Secret, resources } from '@hawser/kube-bind';
import type { SecretKeyRef } from '@hawser/konnector-connection';
import { type SecretReading, SecretReader } from '@hawser/konnector-main';
import type { KubeconfigPolicy } from '@hawser/kubeconfig';
import { read } from '@hawser/preview';

/** Place of a binding's kubeconfig; undefined if it names none. */
export function secretOf({ spec }: APIServiceBinding): SecretKeyRef | undefined {
  return spec?.kubeconfigSecretRef;
}

/** Contents of a binding's Secret about its provider, and its annotations; nothing else. */
export interface SecretView {
  readonly ref: SecretKeyRef | undefined;
  readonly reading: SecretReading;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Reads the Secret that a binding names, as the konnector does with this policy. */
export async function readSecret(
  consumer: Client,
  binding: APIServiceBinding,
  policy: KubeconfigPolicy,
  signal: AbortSignal,
): Promise<SecretView> {
  const ref = secretOf(binding);
  if (ref === undefined) return { ref, reading: { kind: 'missing' }, annotations: {} };
  const live = await read<Secret>(
    consumer,
    resources.secrets,
    { namespace: ref.namespace, name: ref.name },
    { signal },
  );
  const reader = new SecretReader(policy);
  switch (live.kind) {
    case 'found':
      return { ref, reading: reader.read(live, ref.key), annotations: live.object.metadata.annotations ?? {} };
    case 'missing':
      return { ref, reading: { kind: 'missing' }, annotations: {} };
    case 'failed':
      return { ref, reading: { kind: 'unreadable', error: live.error.message }, annotations: {} };
  }
}
