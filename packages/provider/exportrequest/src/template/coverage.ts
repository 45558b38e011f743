import {
  type APIServiceExportRequest,
  type APIServiceExportTemplate,
  type ExportedResource,
  groupResourceString,
  resourceGroupName,
  type SchemaUpdatePolicy,
} from '@hawser/kube-bind';
import { isWithinSelector } from './claim-containment.js';

/** Parts of a request beyond one template. Closed; builders omit empty lists. */
export type Excess =
  | { readonly kind: 'resource'; readonly name: string }
  | { readonly kind: 'versions'; readonly name: string; readonly versions: readonly string[] }
  | { readonly kind: 'claim'; readonly name: string }
  | { readonly kind: 'claimSelector'; readonly name: string }
  | { readonly kind: 'schemaUpdatePolicy'; readonly policy: SchemaUpdatePolicy };

/** A template that offers some of the requested resources, and what it does not cover. */
export interface Coverage {
  readonly template: APIServiceExportTemplate;
  /** Empty: the template covers the whole request. */
  readonly excess: readonly Excess[];
}

/**
 * The templates that name a resource of the request, ordered by name. One of them must cover the whole request: claims
 * are granted for the resources that they come with, so parts of several templates do not add up.
 */
export function coverages(
  request: Pick<APIServiceExportRequest, 'spec'>,
  templates: Iterable<APIServiceExportTemplate>,
): readonly Coverage[] {
  const wanted = new Set(request.spec.resources.map(resourceGroupName));
  return [...templates]
    .filter(
      ({ metadata, spec }) =>
        metadata.deletionTimestamp === undefined &&
        spec.resources.some((resource) => wanted.has(resourceGroupName(resource))),
    )
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((template) => ({ template, excess: excessOf(request, template) }));
}

function excessOf(
  { spec: wanted }: Pick<APIServiceExportRequest, 'spec'>,
  { spec: offered }: APIServiceExportTemplate,
): readonly Excess[] {
  const excess: Excess[] = [];
  const resources = new Map(offered.resources.map((resource) => [resourceGroupName(resource), resource]));
  for (const resource of wanted.resources) {
    const name = resourceGroupName(resource);
    const found = resources.get(name);
    if (found === undefined) excess.push({ kind: 'resource', name });
    else excess.push(...versionExcess(name, resource, found));
  }
  for (const claim of wanted.permissionClaims ?? []) {
    const name = groupResourceString(claim);
    const claims = (offered.permissionClaims ?? []).filter((one) => groupResourceString(one) === name);
    if (claims.length === 0) excess.push({ kind: 'claim', name });
    else if (!claims.some((one) => isWithinSelector(claim.selector, one.selector)))
      excess.push({ kind: 'claimSelector', name });
  }
  if (wanted.schemaUpdatePolicy === 'Always' && offered.schemaUpdatePolicy !== 'Always')
    excess.push({ kind: 'schemaUpdatePolicy', policy: 'Always' });
  return excess;
}

/** A template without versions offers all; a request without versions requests what is offered. */
function versionExcess(name: string, wanted: ExportedResource, offered: ExportedResource): readonly Excess[] {
  if (offered.versions === undefined || offered.versions.length === 0) return [];
  const versions = (wanted.versions ?? []).filter((version) => offered.versions?.includes(version) !== true);
  return versions.length === 0 ? [] : [{ kind: 'versions', name, versions }];
}

/** Describes an excess, for a sentence that begins with what the template does not offer. */
export function describeExcess(excess: Excess): string {
  switch (excess.kind) {
    case 'resource':
      return excess.name;
    case 'versions':
      return `${excess.versions.join(', ')} of ${excess.name}`;
    case 'claim':
      return `a claim on ${excess.name}`;
    case 'claimSelector':
      return `so many objects of the claim on ${excess.name}`;
    case 'schemaUpdatePolicy':
      return `schemaUpdatePolicy ${excess.policy}`;
  }
}
