import { type Client, type Resource, isConflict } from '@hawser/client';
import {
  type ClusterBinding,
  approvedTemplates,
  fixedNames,
  grantedTemplates,
  hawserAnnotations,
} from '@hawser/kube-bind';
import { Refusal } from './answer.js';

/** Its konnector reports now and then, and other people bind for it. */
const MOST_TRIES = 5;

/** Which list of templates of a ClusterBinding. */
type TemplateList = 'grantedTemplates' | 'approvedTemplates';

const read = { grantedTemplates, approvedTemplates } as const;

/**
 * Writes down on the ClusterBinding that a person who may bind a template has bound it for this consumer, so that the consumer's own request is let in: what it presents is its ServiceAccount, and not the person.
 * It stays until an operator takes it away, as what was bound does.
 * `clusterBindings`: those of the dialect.
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

/** Writes down on the ClusterBinding that the provider gives this consumer a template that wants an approval. @throws {Refusal | ApiError} */
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
