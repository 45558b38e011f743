import type { KubeObject } from '@hawser/client';
import { hawserAnnotations } from './metadata.js';

/** Whether a template is given to a consumer only once the provider has approved that. Any word but `none` asks for it, so that a slip of the pen lets nobody in. */
export function wantsApproval({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const word = metadata.annotations?.[hawserAnnotations.approval]?.trim() ?? '';
  return word !== '' && word !== 'none';
}

/** The templates that a consumer is approved for, as its ClusterBinding says; their names, in a dialect with namespaced templates `namespace/name`. Its consumer cannot write them. */
export function approvedTemplates(clusterBinding: Pick<KubeObject, 'metadata'> | undefined): ReadonlySet<string> {
  return new Set(
    (clusterBinding === undefined ? '' : approvalWords(clusterBinding))
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  );
}

/** What tells whether the approvals of a ClusterBinding have changed. */
export function approvalWords({ metadata }: Pick<KubeObject, 'metadata'>): string {
  return metadata.annotations?.[hawserAnnotations.approvedTemplates] ?? '';
}
