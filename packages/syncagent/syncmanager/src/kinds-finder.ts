import type { Client, KubeObject } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import type { Discover } from '@hawser/publication';
import { type PublishedResource, sha1Hex } from '@hawser/syncagent-api';
import type { PublishedKinds } from '@hawser/syncagent-sync';
import { definitionName } from './definition-name.js';
import type { PublicationRecord } from './publication-records.js';
import { publishedKinds } from './published-kinds.js';

/** Version of the search for kinds: results of another version are invalid. */
const KINDS = 1;

export interface KindsFinderOptions {
  readonly discover: Discover;
  /** Client of the APIExport's workspace. */
  readonly provider: Client;
  /** CRDs of the service cluster. */
  readonly definitions: Pick<InformerHandle<KubeObject>, 'list'>;
  /** Kinds found before a restart, by uid of the PublishedResource. */
  readonly recorded: (uid: string) => PublicationRecord | undefined;
}

/** The kinds of a PublishedResource on both sides. */
export interface FoundKinds {
  /** Fingerprint of the input: the kinds are valid while it is equal. */
  readonly of: string;
  readonly schemaName: string;
  readonly kinds: PublishedKinds;
}

/** Finds the kinds of PublishedResources, and caches them while their input is unchanged. */
export class KindsFinder {
  readonly #options: KindsFinderOptions;
  /** By the name of the PublishedResource. */
  readonly #found = new Map<string, FoundKinds>();

  constructor(options: KindsFinderOptions) {
    this.#options = options;
  }

  /** Last result. */
  known(publishedResource: string): FoundKinds | undefined {
    return this.#found.get(publishedResource);
  }

  forget(publishedResource: string): void {
    this.#found.delete(publishedResource);
  }

  async find(object: PublishedResource, signal: AbortSignal): Promise<FoundKinds> {
    const {
      metadata: { name, uid = name, generation = 0 },
      status,
    } = object;
    const known = this.#found.get(name);
    const of = this.#sourceOf(object);
    if (known?.of === of) return known;
    const schemaName = status?.resourceSchemaName ?? '';
    const recorded = this.#options.recorded(uid);
    // After a restart no request is needed. Without a CRD no event would report a change.
    if (
      recorded?.kindsOf === of &&
      this.#definitions(object).some((definition) => definition.metadata.name === definitionName(recorded.kinds))
    ) {
      return this.#remember(name, { of, schemaName, kinds: recorded.kinds });
    }
    // The schema is that of the former spec until the status covers the current one.
    if (known?.schemaName === schemaName && (status?.observedGeneration ?? Infinity) < generation) return known;
    return this.#remember(name, { of, schemaName, kinds: await this.#ask(object, schemaName, signal) });
  }

  async #ask({ spec }: PublishedResource, schemaName: string, signal: AbortSignal): Promise<PublishedKinds> {
    const { apiGroup, kind } = spec.resource;
    const [crd, schema] = await Promise.all([
      this.#options.discover({ group: apiGroup, kind }, signal),
      this.#options.provider.get<APIResourceSchema>(kcpResources.apiResourceSchemas, { name: schemaName }, { signal }),
    ]);
    const kinds = publishedKinds(spec, crd, schema);
    if (kinds === undefined)
      throw new Error(
        `APIResourceSchema ${schemaName} or the definition of ${kind} has no version that objects are stored in`,
      );
    return kinds;
  }

  #remember(publishedResource: string, found: FoundKinds): FoundKinds {
    this.#found.set(publishedResource, found);
    return found;
  }

  #sourceOf(object: PublishedResource): string {
    const { metadata, status } = object;
    const definitions = this.#definitions(object).map((definition) => [
      definition.metadata.name,
      definition.metadata.uid,
      definition.metadata.generation,
    ]);
    return sha1Hex(
      JSON.stringify([
        KINDS,
        metadata.uid,
        metadata.generation,
        status?.resourceSchemaName ?? '',
        ...definitions.sort(),
      ]),
    );
  }

  /** CRDs of its group: the group is part of a CRD's name. */
  #definitions({
    spec: {
      resource: { apiGroup },
    },
  }: PublishedResource): readonly KubeObject[] {
    return this.#options.definitions.list().filter(({ metadata }) => metadata.name.endsWith(`.${apiGroup}`));
  }
}
