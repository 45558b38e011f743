import { apiVersionOf } from '../object/meta.js';
import type { ApiRequest, ApiResponse, Endpoint, RequestInfo, ResourceInfo, ServerHost } from '../parts.js';
import { notImplemented } from '../status.js';
import { type HashedDocument, hashed, hashedAnswer, jsonAnswer } from './json-answer.js';
import { openApiDocument } from './openapi-document.js';

/** `/openapi/v3`: an index with a hash for each group version, and their documents, created on demand. */
export class OpenApi implements Endpoint {
  #resources: readonly ResourceInfo[] | undefined;
  readonly #documents = new Map<string, HashedDocument>();

  constructor(readonly host: ServerHost) {}

  handle(request: ApiRequest, { path, query }: RequestInfo): ApiResponse | undefined {
    const clean = path.replace(/\/$/, '');
    if (clean === '/openapi/v2') return versionTwo(request);
    if (clean !== '/openapi/v3' && !clean.startsWith('/openapi/v3/')) return undefined;
    const groupVersions = this.#groupVersions();
    if (clean === '/openapi/v3') {
      const paths = [...groupVersions.keys()]
        .sort()
        .map((name) => [name, { serverRelativeURL: this.#urlOf(name, this.#document(name, groupVersions)) }] as const);
      return jsonAnswer({ paths: Object.fromEntries(paths) });
    }
    const name = clean.slice('/openapi/v3/'.length);
    if (!groupVersions.has(name)) return undefined;
    const document = this.#document(name, groupVersions);
    const wanted = query.get('hash');
    if (wanted !== null && wanted !== document.hash)
      return { status: 301, headers: { location: this.#urlOf(name, document), etag: `"${document.hash}"` }, body: '' };
    const cache: Record<string, string> = wanted === null ? {} : { 'cache-control': 'public, immutable' };
    return hashedAnswer(request, document, { 'content-type': 'application/json', ...cache });
  }

  #groupVersions(): ReadonlyMap<string, readonly ResourceInfo[]> {
    const resources = this.host.catalog.resources();
    if (resources !== this.#resources) {
      this.#resources = resources;
      this.#documents.clear();
    }
    return Map.groupBy(resources, ({ group, version }) =>
      group === '' ? `api/${version}` : `apis/${apiVersionOf(group, version)}`,
    );
  }

  #document(name: string, groupVersions: ReadonlyMap<string, readonly ResourceInfo[]>): HashedDocument {
    let document = this.#documents.get(name);
    if (document === undefined) {
      document = hashed(openApiDocument(groupVersions.get(name) ?? [], this.host.kubernetesVersion));
      this.#documents.set(name, document);
    }
    return document;
  }

  #urlOf(name: string, { hash }: HashedDocument): string {
    return `/openapi/v3/${name}?hash=${hash}`;
  }
}

/**
 * kubectl asks for version 2, in protobuf, if version 3 lacks a kind. An empty document makes it report the missing
 * kind; on an error it would report only that error.
 */
function versionTwo({ headers }: ApiRequest): ApiResponse {
  const type = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  if (!String(headers['accept']).includes(type)) throw notImplemented('OpenAPI v2');
  return {
    status: 200,
    headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
    body: '\n\u00032.0',
  };
}
