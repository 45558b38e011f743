import { compareVersionPriority, type CRDVersion } from '@hawser/crd';
import type { ResourceProjection, SourceResource } from '@hawser/syncagent-api';
import { ProjectionError } from './projection-error.js';

/** A published version, and its name on the service cluster. */
export interface PublishedVersion {
  readonly source: string;
  readonly version: CRDVersion;
}

/**
 * Selects the published versions, in order, with the stored one (spec/api-syncagent.md §9.1, §9.2). @throws
 * {ProjectionError}
 */
export function publishedVersions(
  versions: readonly CRDVersion[],
  resource: SourceResource,
  projection: ResourceProjection | undefined,
): readonly PublishedVersion[] {
  return renamed(withStorage(selected(versions, resource), resource), projection);
}

function selected(
  versions: readonly CRDVersion[],
  { version = '', versions: wanted = [] }: SourceResource,
): readonly CRDVersion[] {
  if (version !== '' && wanted.length > 0) {
    throw new ProjectionError({
      code: 'Versions',
      path: 'spec.resource',
      message: 'version and versions are both set; use versions alone',
    });
  }
  const names = version === '' ? wanted : [version];
  const found = names.length === 0 ? versions : versions.filter(({ name }) => names.includes(name));
  if (found.length > 0) return found;
  const there = versions.map(({ name }) => name).join(', ');
  throw new ProjectionError({
    code: 'Versions',
    path: 'spec.resource.versions',
    message: `there is no version ${names.join(', ')}, but there are: ${there}`,
  });
}

/** If the stored version is omitted, the last served one is stored. */
function withStorage(versions: readonly CRDVersion[], { version = '' }: SourceResource): readonly CRDVersion[] {
  const lastServed = versions.findLast(({ served }) => served);
  if (lastServed === undefined) {
    const path = version === '' ? 'spec.resource.versions' : 'spec.resource.version';
    throw new ProjectionError({
      code: 'Versions',
      path,
      message: `of ${versions.map(({ name }) => name).join(', ')} none is served`,
    });
  }
  if (versions.some(({ storage }) => storage)) return versions;
  return versions.map((one) => (one === lastServed ? { ...one, storage: true } : one));
}

function renamed(
  versions: readonly CRDVersion[],
  projection: ResourceProjection | undefined,
): readonly PublishedVersion[] {
  const called = (version: CRDVersion, name: string): PublishedVersion => ({
    source: version.name,
    version: name === version.name ? version : { ...version, name },
  });
  if (projection?.version !== undefined && projection.version !== '') {
    const [only, ...others] = versions;
    if (only === undefined || others.length > 0) {
      const message = `${versions.length} versions are published, and one name is given; select one in spec.resource.versions, or use versions here`;
      throw new ProjectionError({ code: 'Renamed', path: 'spec.projection.version', message });
    }
    return [called(only, projection.version)];
  }
  const names = new Map(Object.entries(projection?.versions ?? {}));
  const published = versions.map((version) => called(version, unlessEmpty(names.get(version.name)) ?? version.name));
  if (names.size === 0) return published;
  refuseDuplicates(published);
  return published.toSorted((a, b) => compareVersionPriority(a.version.name, b.version.name));
}

function refuseDuplicates(versions: readonly PublishedVersion[]): void {
  for (const {
    source,
    version: { name },
  } of versions) {
    const same = versions.filter(({ version }) => version.name === name).map((one) => one.source);
    if (same.length > 1 && same[0] === source) {
      throw new ProjectionError({
        code: 'Renamed',
        path: 'spec.projection.versions',
        message: `${same.join(' and ')} would both be called ${name}`,
      });
    }
  }
}

function unlessEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
