import type { KubeObject } from '@hawser/client';
import { type APIServiceBinding, formatTime } from '@hawser/kube-bind';

import type { ResourceLeft } from './observed.js';

/** Label of every ConfigMap that records objects orphaned by an unbinding. */
export const RECORD_LABEL = 'hawser.dev/record';
const RECORD_OF_ORPHANS = 'orphans';

/** A ConfigMap may have 1 MiB: this many names, namespaces and uids always fit. */
const MAX_OBJECTS = 1_000;
const NAME_PREFIX = 'hawser-orphans-';

/** The name of the ConfigMap for one binding. */
export function orphanRecordName({ metadata: { name, uid = '' } }: APIServiceBinding): string {
  // The uid prevents a later binding of that name from replacing the record.
  return `${NAME_PREFIX}${name.slice(0, 200).replace(/[-.]+$/u, '')}-${uid.slice(0, 8)}`;
}

/** Builds the record of released objects, for the cleanup on the provider. */
export function orphanRecord(
  binding: APIServiceBinding,
  reason: string,
  left: readonly ResourceLeft[],
  namespace: string,
  nowMs: number,
): KubeObject & { readonly data: Readonly<Record<string, string>> } {
  const lines = left.flatMap(({ crd, objects }) =>
    objects.map(({ name, uid, copy }) => `${crd.name} ${name} uid=${uid ?? ''} copy=${copy ?? 'unknown'}`),
  );
  const more = lines.length > MAX_OBJECTS ? [`and ${lines.length - MAX_OBJECTS} more`] : [];
  const { namespace: secretNamespace = '', name: secretName = '' } = binding.spec?.kubeconfigSecretRef ?? {};
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace,
      name: orphanRecordName(binding),
      labels: { 'app.kubernetes.io/managed-by': 'hawser', [RECORD_LABEL]: RECORD_OF_ORPHANS },
    },
    data: {
      binding: binding.metadata.name,
      bindingUid: binding.metadata.uid ?? '',
      kubeconfigSecret: `${secretNamespace}/${secretName}`,
      reason: reason.slice(0, 1_000),
      time: formatTime(nowMs),
      count: String(lines.length),
      objects: [...lines.slice(0, MAX_OBJECTS), ...more].join('\n'),
    },
  };
}
