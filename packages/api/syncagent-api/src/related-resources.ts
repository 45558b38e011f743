import type { Resource } from '@hawser/client';
import type { RelatedResource } from './kinds/related-resource.js';

/** The resource of a related entry, by direction and by side. */
export interface RelatedResources {
  readonly origin: Resource;
  readonly destination: Resource;
  readonly kcp: Resource;
  readonly service: Resource;
}

/**
 * The resource of `entry` on either side (spec/api-syncagent.md §9.7). The deprecated kind takes precedence over group,
 * version and resource.
 */
export function relatedResourcesOf(
  entry: Pick<RelatedResource, 'origin' | 'group' | 'version' | 'resource' | 'kind' | 'projection'>,
): RelatedResources {
  const origin = originOf(entry);
  const { group, version, resource } = entry.projection ?? {};
  const destination = {
    group: unlessEmpty(group) ?? origin.group,
    version: unlessEmpty(version) ?? origin.version,
    resource: unlessEmpty(resource) ?? origin.resource,
  };
  switch (entry.origin) {
    case 'kcp':
      return { origin, destination, kcp: origin, service: destination };
    case 'service':
      return { origin, destination, kcp: destination, service: origin };
  }
}

function originOf({
  kind,
  group,
  version,
  resource,
}: Pick<RelatedResource, 'group' | 'version' | 'resource' | 'kind'>): Resource {
  switch (kind) {
    case 'ConfigMap':
      return { group: '', version: 'v1', resource: 'configmaps' };
    case 'Secret':
      return { group: '', version: 'v1', resource: 'secrets' };
    case undefined:
      return { group: group ?? '', version: version ?? '', resource: resource ?? '' };
  }
}

function unlessEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
