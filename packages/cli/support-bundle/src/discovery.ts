import { type Resource, isApiError } from '@hawser/client';
import { apiGroup as coreKbindGroup, resources as coreKbind } from '@hawser/core-kbind';
import { isFields } from '@hawser/json';
import { apiGroup as klutchGroup, catalogueGroup } from '@hawser/klutch';
import { apiGroup as kubeBindGroup } from '@hawser/kube-bind';
import { apiGroup as syncagentGroup } from '@hawser/syncagent-api';

import type { Reader } from './reader.js';
import { fields, list, word } from './shape.js';

/** Groups to read in every version. */
export const ownGroups = [
  kubeBindGroup,
  coreKbindGroup,
  klutchGroup,
  catalogueGroup,
  syncagentGroup,
  'apis.kcp.io',
] as const;

export interface ServedResource extends Resource {
  readonly namespaced: boolean;
}

/** APIs of the groups that Hawser uses, as a cluster serves them. */
export interface Served {
  /** The resource in a served version, preferably the requested one; undefined if the cluster does not serve it. */
  find(group: string, resource: string, version: string): ServedResource | undefined;
  /** Whether bindings of any generation can exist, so this is a consumer. */
  readonly findsBindings: boolean;
  /** Whether the cluster runs workloads; false in a workspace of kcp. */
  readonly runsWorkloads: boolean;
}

const versionShape = fields({ gitVersion: word, platform: word, goVersion: word, buildDate: word });
const groupShape = fields({
  name: word,
  versions: list(fields({ version: word })),
  preferredVersion: fields({ version: word }),
});
const resourceShape = list(
  fields({ name: word, kind: word, namespaced: (value) => value === true, verbs: list(word) }),
);

/**
 * Reads version and discovery. Undefined: the server does not answer or does not accept the credential, so further
 * reads are pointless.
 */
export async function readServed(reader: Reader, folder: string): Promise<Served | undefined> {
  const { bundle } = reader.options;
  let version: unknown;
  try {
    const { timeoutMs, signal } = reader.options;
    version = await reader.client.raw('GET', '/version', undefined, { timeoutMs, signal });
  } catch (error) {
    reader.failed('get /version: nothing else was read of this cluster', error);
    if (isApiError(error, 'Unreachable', 'Timeout', 'Unauthorized', 'Unavailable', 'Malformed')) return undefined;
  }
  bundle.addJson(`${folder}/version.json`, 'version of the API server', versionShape(version));
  const answer = await reader.raw('/apis', 'get /apis');
  const groups = isFields(answer) && Array.isArray(answer['groups']) ? answer['groups'].filter(isFields) : [];
  const resources: { readonly group: string; readonly version: string; readonly resources: unknown }[] = [];
  for (const group of groups.filter(({ name }) => ownGroups.some((own) => own === name))) {
    for (const { version: name } of versionsOf(group['versions'])) {
      const path = `/apis/${String(group['name'])}/${name}`;
      const found = await reader.raw(path, `get ${path}`);
      if (isFields(found))
        resources.push({ group: String(group['name']), version: name, resources: resourceShape(found['resources']) });
    }
  }
  bundle.addJson(`${folder}/discovery.json`, 'API groups, and the resources of those that Hawser is about', {
    groups: list(groupShape, 500)(groups),
    resources,
  });
  const isListed = (wanted: string): boolean => groups.some(({ name }) => name === wanted);
  const served = resources.flatMap(({ group, version: name, resources: found }) =>
    Array.isArray(found)
      ? found.filter(isFields).map((one) => ({
          group,
          version: name,
          resource: String(one['name']),
          namespaced: one['namespaced'] === true,
        }))
      : [],
  );
  return {
    runsWorkloads: isListed('apps') || !isListed('apis.kcp.io'),
    findsBindings: served.some(
      ({ group, resource }) =>
        resource === 'apiservicebindings' || (group === coreKbindGroup && resource === coreKbind.connections.resource),
    ),
    find(group, resource, wanted) {
      const versions = served.filter((one) => one.group === group && one.resource === resource);
      return versions.find((one) => one.version === wanted) ?? versions[0];
    },
  };
}

function versionsOf(value: unknown): readonly { readonly version: string }[] {
  if (!Array.isArray(value)) return [];
  return value
    .filter(isFields)
    .flatMap(({ version }) => (typeof version === 'string' && /^[\w.-]+$/u.test(version) ? [{ version }] : []));
}
