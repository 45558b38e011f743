import type { Client, KubeObject } from '@hawser/client';
import type { InformerHandle } from '@hawser/informer';
import { type APIResourceSchema, resources as kcpResources } from '@hawser/kcp-api';
import type { Discover } from '@hawser/publication';
import { type PublishedResource, sha1Hex } from '@hawser/syncagent-api';
import type { PublishedKinds } from '@hawser/syncagent-sync';
import { definitionName } from './definition-name.js';
import type { PublicationRecord } from './publication-records.js';
import { publishedKinds } from './published-kinds.js';

/** How kinds are found: with another way to find them, those of before count no more. */
const KINDS = 1;

export interface KindsFinderOptions {
  readonly discover: Discover;
  /** Of the workspace of the APIExport. */
  readonly provider: Client;
  /** CRDs of the service cluster. */
  readonly definitions: Pick<InformerHandle<KubeObject>, 'list'>;
  /** What was found before a restart, by the uid of the PublishedResource. */
  readonly recorded: (uid: string) => PublicationRecord | undefined;
}

/** The kinds of a PublishedResource on both sides. */
export interface FoundKinds {
  /** Tells apart what they were found from: while that is the same, so are they. */
  readonly of: string;
  readonly schemaName: string;
  readonly kinds: PublishedKinds;
}

/** Finds the kinds of PublishedResources, and remembers them as long as what they were found from is the same. */
export class KindsFinder {
  readonly #options: KindsFinderOptions;
  /** By the name of the PublishedResource. */
  readonly #found = new Map<string, FoundKinds>();

  constructor(options: KindsFinderOptions) {
    this.#options = options;
  }

  /** What was found last. */
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
    // After a restart nothing has to be asked for. Without a CRD nothing would tell that they have changed.
    if (
      recorded?.kindsOf === of &&
      this.#definitions(object).some((definition) => definition.metadata.name === definitionName(recorded.kinds))
    ) {
      return this.#remember(name, { of, schemaName, kinds: recorded.kinds });
    }
    // The schema is that of the spec before, until the status is about the present one.
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

  /** Those of its group: a CRD is named after it. */
  #definitions({
    spec: {
      resource: { apiGroup },
    },
  }: PublishedResource): readonly KubeObject[] {
    return this.#options.definitions.list().filter(({ metadata }) => metadata.name.endsWith(`.${apiGroup}`));
  }
}
