import type { KubeObject } from '@hawser/client';
import { hawserAnnotations } from './metadata.js';

/**
 * Whether a consumer gets a template only after the provider approved it. Any word but `none` requires approval: a typo
 * must not let a consumer in.
 */
export function wantsApproval({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  const word = metadata.annotations?.[hawserAnnotations.approval]?.trim() ?? '';
  return word !== '' && word !== 'none';
}

/**
 * Templates approved for a consumer, from its ClusterBinding; names, in a dialect with namespaced templates
 * `namespace/name`. The consumer cannot write them.
 */
export function approvedTemplates(clusterBinding: Pick<KubeObject, 'metadata'> | undefined): ReadonlySet<string> {
  return namesIn(clusterBinding?.metadata.annotations?.[hawserAnnotations.approvedTemplates]);
}

/**
 * Templates that a consumer may bind because a person with the right bound them for it, from its ClusterBinding. The
 * consumer cannot write them.
 */
export function grantedTemplates(clusterBinding: Pick<KubeObject, 'metadata'> | undefined): ReadonlySet<string> {
  return namesIn(clusterBinding?.metadata.annotations?.[hawserAnnotations.grantedTemplates]);
}

/** Fingerprint of a ClusterBinding's approvals and of the grants by people, to detect changes. */
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
