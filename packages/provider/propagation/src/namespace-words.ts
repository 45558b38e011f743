import type { KubeObject } from '@hawser/client';
import { type APIServiceExport, hawserAnnotations } from '@hawser/kube-bind';

/** Lists of hashes, which apply to a schema in any export. */
const lists = [
  hawserAnnotations.schemaApproved,
  hawserAnnotations.schemaRejected,
  hawserAnnotations.schemaProven,
] as const;

/** Annotations of a cluster namespace that decide about the schemas of its exports. */
export const namespaceWords: readonly string[] = [...lists, hawserAnnotations.schemaUpdate];

/**
 * The export with the operator's annotations of its cluster namespace added. No consumer can write to that namespace.
 * But it can write the status of an export, and fill it until no annotation fits. The policy of the namespace wins, and
 * hashes add up.
 */
export function withNamespaceWords(found: APIServiceExport, namespace: KubeObject | undefined): APIServiceExport {
  const onNamespace = namespace?.metadata.annotations ?? {};
  if (namespaceWords.every((word) => (onNamespace[word] ?? '') === '')) return found;
  const own = found.metadata.annotations ?? {};
  const annotations: Record<string, string> = { ...own };
  for (const list of lists)
    if ((onNamespace[list] ?? '') !== '')
      annotations[list] = [own[list], onNamespace[list]]
        .filter((hashes) => hashes !== undefined && hashes !== '')
        .join(',');
  const policy = onNamespace[hawserAnnotations.schemaUpdate] ?? '';
  if (policy !== '') annotations[hawserAnnotations.schemaUpdate] = policy;
  return { ...found, metadata: { ...found.metadata, annotations } };
}
