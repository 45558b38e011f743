import { type Client, listAll, objectKey } from '@hawser/client';
import { type APIServiceExportTemplate, resources } from '@hawser/klutch';
import { type GroupResource, resourceGroupName } from '@hawser/kube-bind';
import type { Refusal } from './refusal.js';

/**
 * What a template of Klutch offers: one resource. The provider chooses the namespaces of its templates. So `name` is
 * `NAME`, if one has that name, or `NAMESPACE/NAME`.
 * @throws {ApiError} `Forbidden` if the user may not list templates, as most consumers may not
 */
export async function offeredInKlutch(
  provider: Client,
  name: string,
  signal: AbortSignal,
): Promise<{ readonly resource: GroupResource } | { readonly refusal: Refusal }> {
  const found = (
    await listAll<APIServiceExportTemplate>(provider, resources.apiServiceExportTemplates, { signal })
  ).filter((one) => one.metadata.name === name || objectKey(one) === name);
  const offered = new Map(
    found.map(
      ({
        spec: {
          APIServiceSelector: { group, resource },
        },
      }) => [resourceGroupName({ group, resource }), { group, resource }],
    ),
  );
  const [only, more] = offered.values();
  if (only === undefined)
    return {
      refusal: {
        reason: 'TemplateNotFound',
        actor: 'provider',
        remedy: 'makes the template, or says what it is called',
        message: `The provider has no APIServiceExportTemplate "${name}".`,
      },
    };
  if (more === undefined) return { resource: only };
  return {
    refusal: {
      reason: 'TemplateAmbiguous',
      actor: 'operator',
      remedy: 'names one of them as NAMESPACE/NAME',
      message: `The provider has several APIServiceExportTemplates "${name}", which offer different things: ${found.map(objectKey).join(', ')}.`,
    },
  };
}
