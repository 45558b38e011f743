import type { ConsumerView } from '@hawser/exportrbac';
import { isFields } from '@hawser/json';
import { groupResourceOf } from '@hawser/kube-bind';

/**
 * Adds the reads that the gateway answers to a SelfSubjectRulesReview: the API server knows no right to them. Pure.
 * @param review the API server's answer. Anything else is returned unchanged.
 */
export function withReads(review: unknown, { resources }: Pick<ConsumerView, 'resources'>): unknown {
  const status = isFields(review) ? review['status'] : undefined;
  if (!isFields(review) || !isFields(status) || !Array.isArray(status['resourceRules'])) return review;
  const groups = new Map<string, string[]>();
  for (const name of [...resources.keys()].sort()) {
    const { group, resource } = groupResourceOf(name);
    groups.set(group, [...(groups.get(group) ?? []), resource]);
  }
  const reads = [...groups].map(([group, names]) => ({
    verbs: ['get', 'list', 'watch'],
    apiGroups: [group],
    resources: names,
  }));
  return { ...review, status: { ...status, resourceRules: [...(status['resourceRules'] as unknown[]), ...reads] } };
}
