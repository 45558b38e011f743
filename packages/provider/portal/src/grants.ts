import { type Client, type Resource, isConflict } from '@hawser/client';
import {
  type ClusterBinding,
  approvedTemplates,
  fixedNames,
  grantedTemplates,
  hawserAnnotations,
} from '@hawser/kube-bind';
import { Refusal } from './answer.js';

/** Tries after conflicts: the konnector writes reports meanwhile, and other people bind for it. */
const MOST_TRIES = 5;

/** A list of templates in a ClusterBinding. */
type TemplateList = 'grantedTemplates' | 'approvedTemplates';

const read = { grantedTemplates, approvedTemplates } as const;

/**
 * Records on the ClusterBinding that an authorised person bound a template for this consumer. The consumer's own
 * request is then accepted: it presents its ServiceAccount, not the person. Stays until an operator removes it, like
 * the binding. `clusterBindings`: those of the dialect.
 * @throws {Refusal | ApiError}
 */
export function grantTemplate(
  client: Pick<Client, 'get' | 'patch'>,
  clusterBindings: Resource,
  namespace: string,
  template: string,
  signal: AbortSignal,
): Promise<void> {
  return addTemplate(client, clusterBindings, 'grantedTemplates', namespace, template, signal);
}

/**
 * Records on the ClusterBinding the provider's approval of a template for this consumer.
 * @throws {Refusal | ApiError}
 */
export function approveTemplate(
  client: Pick<Client, 'get' | 'patch'>,
  clusterBindings: Resource,
  namespace: string,
  template: string,
  signal: AbortSignal,
): Promise<void> {
  return addTemplate(client, clusterBindings, 'approvedTemplates', namespace, template, signal);
}

async function addTemplate(
  client: Pick<Client, 'get' | 'patch'>,
  clusterBindings: Resource,
  list: TemplateList,
  namespace: string,
  template: string,
  signal: AbortSignal,
): Promise<void> {
  const key = { namespace, name: fixedNames.clusterBinding };
  for (let tries = 1; ; tries++) {
    const binding = await client.get<ClusterBinding>(clusterBindings, key, { signal });
    const listed = read[list](binding);
    if (listed.has(template)) return;
    const { uid, resourceVersion } = binding.metadata;
    const annotations = { [hawserAnnotations[list]]: [...listed, template].sort().join(',') };
    try {
      const patch = { metadata: { uid, resourceVersion, annotations } };
      await client.patch(clusterBindings, key, { type: 'merge', patch }, { signal });
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (tries === MOST_TRIES)
        throw new Refusal(503, 'INTERNAL_ERROR', 'Another writer changed this consumer. Try again.');
    }
  }
}
