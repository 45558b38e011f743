import type { KubeObject } from '@hawser/client';
import { type APIServiceExport, hawserAnnotations } from '@hawser/kube-bind';

/** Lists of hashes, which say the same of a schema whichever export it is for. */
const lists = [
  hawserAnnotations.schemaApproved,
  hawserAnnotations.schemaRejected,
  hawserAnnotations.schemaProven,
] as const;

/** Annotations of a cluster namespace that say what becomes of the schemas of its exports. */
export const namespaceWords: readonly string[] = [...lists, hawserAnnotations.schemaUpdate];

/**
 * The export as the operator has decided about it: with what the annotations of its cluster namespace say, too. No consumer writes anything of that namespace; of an export it can write the
 * status, and fill it until no annotation goes in any more. The policy of the namespace comes first, and hashes add up.
 */
export function withNamespaceWords(found: APIServiceExport, namespace: KubeObject | undefined): APIServiceExport {
  const said = namespace?.metadata.annotations ?? {};
  if (namespaceWords.every((word) => (said[word] ?? '') === '')) return found;
  const own = found.metadata.annotations ?? {};
  const annotations: Record<string, string> = { ...own };
  for (const list of lists)
    if ((said[list] ?? '') !== '')
      annotations[list] = [own[list], said[list]].filter((hashes) => hashes !== undefined && hashes !== '').join(',');
  const policy = said[hawserAnnotations.schemaUpdate] ?? '';
  if (policy !== '') annotations[hawserAnnotations.schemaUpdate] = policy;
  return { ...found, metadata: { ...found.metadata, annotations } };
}
