import { type Client, getIfExists } from '@hawser/client';
import { canonical } from '@hawser/json';
import { type APIResourceSchema, parseSchemaName, resources as kcpResources } from '@hawser/kcp-api';
import type { Agent, Discover } from '@hawser/publication';
import type { PublishedResource } from '@hawser/syncagent-api';
import type { Caches } from './caches.js';
import { type Candidate, candidateOf } from './candidate.js';
import type { Publication } from './decide-publication.js';
import { type Claimant, isOfOneKind } from './rivals.js';

export interface WantedSchemasPorts {
  readonly agent: Agent;
  readonly discover: Discover;
  /** Client of the provider workspace. */
  readonly client: Client;
  readonly caches: Caches;
  /** Enqueues the PublishedResource of that name. */
  readonly look: (name: string, priority: 'normal') => void;
}

/**
 * Tracks the wanted and the present schemas of PublishedResources, and the conflicts about their kinds. Writes nothing.
 */
export class WantedSchemas {
  readonly #ports: WantedSchemasPorts;
  /** Discovered candidates, with the inputs that they depended on. */
  readonly #candidates = new Map<string, { readonly of: string; readonly candidate: Candidate }>();
  /** Published schemas of PublishedResources that now want another one. */
  readonly #former = new Map<string, APIResourceSchema>();
  /** Schemas in the export without a PublishedResource: of former ones, and added by people. A schema is immutable. */
  readonly #left = new Map<string, APIResourceSchema>();
  /** PublishedResources whose kind one of those has. */
  readonly #kept = new Set<string>();

  constructor(ports: WantedSchemasPorts) {
    this.#ports = ports;
  }

  /** Discovers again only when the PublishedResource or a CRD of its group has changed. */
  async discovered(object: PublishedResource, signal: AbortSignal): Promise<Candidate> {
    const { name, uid } = object.metadata;
    const { agent, discover, caches } = this.#ports;
    const group = caches
      .definitionsFor(object)
      .map(({ metadata: { uid: definition = '', resourceVersion = '' } }) => [definition, resourceVersion]);
    // Not by generations: after a restored backup, another spec may have the same one.
    const of = canonical([uid ?? '', object.spec, ...group]);
    const known = this.#candidates.get(name);
    const candidate =
      known?.of === of && known.candidate.kind === 'found'
        ? known.candidate
        : await candidateOf(object, agent.name, discover, signal);
    const published = await this.#formerOf(object, candidate, signal);
    const before = this.#schemasOf(name);
    this.#candidates.set(name, { of, candidate });
    if (published === undefined) this.#former.delete(name);
    else this.#former.set(name, published);
    const now = this.#schemasOf(name);
    this.#lookAtRivals([
      ...before.filter((schema) => !now.includes(schema)),
      ...now.filter((schema) => !before.includes(schema)),
    ]);
    return candidate;
  }

  /** Takes in the decision about a PublishedResource. */
  follow(name: string, publication: Publication): void {
    if (publication.kind === 'forget') this.#forget(name);
    if (publication.kind === 'conclude' && !publication.watched) this.#distrust(name);
    if (publication.kind !== 'fail') return;
    if (publication.keptBy === 'rival') this.release(name);
    if (publication.keptBy === 'export') this.#keep(name);
  }

  /** The export does not have the kind. */
  release(name: string): void {
    this.#kept.delete(name);
  }

  /** PublishedResources whose kind the export still has. */
  get kept(): readonly string[] {
    return [...this.#kept];
  }

  /** All other PublishedResources, with their wanted and present schemas. */
  claimants(besides: string): readonly Claimant[] {
    return this.#ports.caches.publishedResources
      .list()
      .filter(({ metadata }) => metadata.name !== besides)
      .flatMap((publishedResource) => {
        const { name } = publishedResource.metadata;
        const schemas = this.#kept.has(name) ? [this.#former.get(name)] : this.#schemasOf(name);
        return schemas.flatMap((schema) => (schema === undefined ? [] : [{ publishedResource, schema }]));
      });
  }

  /** Schemas that the export still has in the group of `wanted`, without a PublishedResource that publishes them. */
  async remains(wanted: APIResourceSchema, signal: AbortSignal): Promise<readonly APIResourceSchema[]> {
    const { client, caches } = this.#ports;
    const published = new Set(
      caches.publishedResources.list().flatMap(({ status }) => status?.resourceSchemaName ?? []),
    );
    const remains: APIResourceSchema[] = [];
    for (const name of caches.exported()) {
      if (published.has(name) || name === wanted.metadata.name || parseSchemaName(name)?.group !== wanted.spec.group)
        continue;
      const schema =
        this.#left.get(name) ??
        (await getIfExists<APIResourceSchema>(client, kcpResources.apiResourceSchemas, { name }, { signal }));
      if (schema === undefined) continue;
      this.#left.set(name, schema);
      remains.push(schema);
    }
    return remains;
  }

  /** Forces a new discovery, since no CRD reports changes. */
  #distrust(name: string): void {
    const known = this.#candidates.get(name);
    if (known !== undefined) this.#candidates.set(name, { ...known, of: '' });
  }

  #forget(name: string): void {
    const before = this.#schemasOf(name);
    this.#candidates.delete(name);
    this.#former.delete(name);
    this.#kept.delete(name);
    this.#lookAtRivals(before);
  }

  /** The export still has the kind and blocks the PublishedResource, which then blocks no other one. */
  #keep(name: string): void {
    const candidate = this.#candidates.get(name)?.candidate;
    if (this.#kept.has(name) || candidate?.kind !== 'found') return;
    this.#kept.add(name);
    this.#lookAtRivals([candidate.schema]);
  }

  /** The published schema, if it is not the wanted one. A schema is immutable, so it is read once. */
  async #formerOf(
    { metadata: { name: of }, status }: PublishedResource,
    candidate: Candidate,
    signal: AbortSignal,
  ): Promise<APIResourceSchema | undefined> {
    const name = status?.resourceSchemaName ?? '';
    if (name === '' || (candidate.kind === 'found' && candidate.schema.metadata.name === name)) return undefined;
    const known = this.#schemasOf(of).find(({ metadata }) => metadata.name === name);
    return (
      known ?? getIfExists<APIResourceSchema>(this.#ports.client, kcpResources.apiResourceSchemas, { name }, { signal })
    );
  }

  /** The wanted and the present schema of a PublishedResource. */
  #schemasOf(name: string): readonly APIResourceSchema[] {
    const candidate = this.#candidates.get(name)?.candidate;
    const before = this.#former.get(name);
    return [...(candidate?.kind === 'found' ? [candidate.schema] : []), ...(before === undefined ? [] : [before])];
  }

  /** Looks again at PublishedResources that want the same kind. */
  #lookAtRivals(changed: readonly APIResourceSchema[]): void {
    for (const name of this.#candidates.keys()) {
      if (this.#schemasOf(name).some((schema) => changed.some((other) => isOfOneKind(schema, other))))
        this.#ports.look(name, 'normal');
    }
  }
}
