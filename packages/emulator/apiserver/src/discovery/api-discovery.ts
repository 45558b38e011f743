import type { JsonObject } from '@hawser/json';
import type { ApiRequest, ApiResponse, Endpoint, RequestInfo, ResourceInfo, ServerHost } from '../parts.js';
import { type ServedGroup, apiGroup, apiGroupDiscovery, apiResourceList, servedGroups } from './groups.js';
import { type HashedDocument, hashed, hashedAnswer, jsonAnswer } from './json-answer.js';

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** `/api`, `/apis` and below: groups, versions and resources, one by one or aggregated by `Accept`. */
export class ApiDiscovery implements Endpoint {
  #resources: readonly ResourceInfo[] | undefined;
  #groups: readonly ServedGroup[] = [];
  readonly #aggregated = new Map<string, HashedDocument>();

  constructor(readonly host: ServerHost) {}

  handle(request: ApiRequest, info: RequestInfo): ApiResponse | undefined {
    const [root, ...rest] = info.path.replace(/\/$/, '').slice(1).split('/');
    if (root !== 'api' && root !== 'apis') return undefined;
    const groups = this.#served();
    if (rest.length === 0)
      return wantsAggregated(request)
        ? this.#aggregatedAnswer(request, root)
        : jsonAnswer(root === 'api' ? this.#coreVersions() : groupList(groups));
    const [groupName = '', versionName, ...more] = root === 'api' ? ['', ...rest] : rest;
    const group = groups.find(({ name }) => name === groupName);
    if (group === undefined || more.length > 0 || (root === 'apis' && groupName === '')) return undefined;
    if (versionName === undefined) return jsonAnswer({ kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) });
    const version = group.versions.find((each) => each.version === versionName);
    return version === undefined ? undefined : jsonAnswer(apiResourceList(version));
  }

  #served(): readonly ServedGroup[] {
    const resources = this.host.catalog.resources();
    if (resources !== this.#resources) {
      this.#resources = resources;
      this.#groups = servedGroups(resources);
      this.#aggregated.clear();
    }
    return this.#groups;
  }

  #coreVersions(): JsonObject {
    const versions = this.#groups
      .filter(({ name }) => name === '')
      .flatMap((group) => group.versions.map(({ version }) => version));
    const serverAddress = new URL(this.host.serverUrl()).host;
    return { kind: 'APIVersions', versions, serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }] };
  }

  #aggregatedAnswer(request: ApiRequest, root: 'api' | 'apis'): ApiResponse {
    let document = this.#aggregated.get(root);
    if (document === undefined) {
      const items = this.#groups.filter(({ name }) => (name === '') === (root === 'api')).map(apiGroupDiscovery);
      document = hashed({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', metadata: {}, items });
      this.#aggregated.set(root, document);
    }
    return hashedAnswer(request, document, { 'content-type': aggregatedType, 'cache-control': 'public' });
  }
}

function groupList(groups: readonly ServedGroup[]): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.filter(({ name }) => name !== '').map(apiGroup) };
}

/** Whether the first acceptable media type is the aggregated one. */
function wantsAggregated({ headers }: ApiRequest): boolean {
  const accept = headers['accept'];
  const types = (typeof accept === 'string' ? [accept] : (accept ?? []))
    .flatMap((text) => text.split(','))
    .map((text) => text.split(';').map((part) => part.trim()));
  for (const [type = '', ...parameters] of types) {
    const isJson = type === 'application/json' || type === 'application/*' || type === '*/*';
    if (!isJson) continue;
    if (!parameters.includes('as=APIGroupDiscoveryList')) return false;
    if (parameters.includes('g=apidiscovery.k8s.io') && parameters.includes('v=v2')) return true;
  }
  return false;
}
