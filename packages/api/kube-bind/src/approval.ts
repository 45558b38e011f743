import type { KubeObject } from '@hawser/client';
import { hawserAnnotations } from './metadata.js';

/** Whether a template is given to a consumer only once the provider has approved that. Any word but `none` asks for it, so that a typing error lets no consumer in. */
export function wantsApproval({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const word = metadata.annotations?.[hawserAnnotations.approval]?.trim() ?? '';
  return word !== '' && word !== 'none';
}

/** The templates that a consumer is approved for, as its ClusterBinding says; their names, in a dialect with namespaced templates `namespace/name`. Its consumer cannot write them. */
export function approvedTemplates(clusterBinding: Pick<KubeObject, 'metadata'> | undefined): ReadonlySet<string> {
  return namesIn(clusterBinding?.metadata.annotations?.[hawserAnnotations.approvedTemplates]);
}

/** The templates that a consumer may bind by the right of a person who has bound them for it, as its ClusterBinding says. Its consumer cannot write them. */
export function grantedTemplates(clusterBinding: Pick<KubeObject, 'metadata'> | undefined): ReadonlySet<string> {
  return namesIn(clusterBinding?.metadata.annotations?.[hawserAnnotations.grantedTemplates]);
}

/** What tells whether the approvals of a ClusterBinding, or what people have bound for it, have changed. */
export function approvalWords({ metadata: { annotations } }: Pick<KubeObject, 'metadata'>): string {
  const { approvedTemplates: approved, grantedTemplates: granted } = hawserAnnotations;
  return `${annotations?.[approved] ?? ''} ${annotations?.[granted] ?? ''}`;
}

function namesIn(words = ''): ReadonlySet<string> {
  return new Set(
    words
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== ''),
  );
}
