import { type Client, isNotFound } from '@hawser/client';
import { compareVersionPriority, type CustomResourceDefinition, isRecord } from '@hawser/crd';
import { equal, parse } from '@hawser/json';
import type { Offers } from './links.js';
import { type OpenAPINode, schemaOf } from './openapi-schema.js';

interface Served {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
}

/** The resources of one group version, and the document that describes them. */
interface GroupVersion {
  readonly document: string;
  readonly resources: readonly (Served & { readonly schema: OpenAPINode })[];
}

interface Group {
  readonly name: string;
  readonly versions: readonly string[];
  readonly preferred: string | undefined;
}

/** Verbs that the sync needs. */
const VERBS = ['get', 'list', 'watch', 'create', 'patch', 'delete'] as const;

/** Unindexed documents are requested once in this many readings. */
const UNINDEXED_EVERY = 6;

/**
 * Offers of a provider without CRDs, built from its discovery and OpenAPI v3 documents (spec/kbind-v2.md §11.3).
 * Reads a document again when its hash changes. A group that cannot be read stays as it was: a failed read is never a
 * withdrawal (§27.3, K31).
 */
export class OpenAPIOffers implements Offers {
  readonly #client: Client;
  readonly #isRefused: (group: string) => boolean;
  readonly #changed: () => void;
  readonly #closing = new AbortController();
  #known: ReadonlyMap<string, GroupVersion> = new Map();
  #crds: ReadonlyMap<string, CustomResourceDefinition> = new Map();
  #failure: unknown;
  #hasSynced = false;
  #readings = 0;
  #running: Promise<void> | undefined;

  /** `isRefused`: groups to skip. */
  constructor(client: Client, isRefused: (group: string) => boolean, changed: () => void) {
    this.#client = client;
    this.#isRefused = isRefused;
    this.#changed = changed;
  }

  get({ name }: { readonly name: string }): CustomResourceDefinition | undefined {
    return this.#crds.get(name);
  }

  list(): readonly CustomResourceDefinition[] {
    return [...this.#crds.values()];
  }

  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get failure(): unknown {
    return this.#failure;
  }

  /** Reads the offers; one reading at a time. Never rejects. */
  refresh(): Promise<void> {
    this.#running ??= this.#read()
      .then(
        (changed) => {
          const hadFailed = this.#failure !== undefined;
          this.#failure = undefined;
          return changed || hadFailed || !this.#hasSynced;
        },
        (error: unknown) => {
          this.#failure = error;
          return true;
        },
      )
      .then((changed) => {
        this.#running = undefined;
        if (this.#failure === undefined) this.#hasSynced = true;
        if (changed && !this.#closing.signal.aborted) this.#changed();
      });
    return this.#running;
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the provider is not read any more'));
    await this.#running;
  }

  /** Resolves to whether anything changed. */
  async #read(): Promise<boolean> {
    this.#readings++;
    const groups = (await this.#groups()).filter(({ name }) => !this.#isRefused(name));
    const documents = await this.#documents();
    const known = new Map<string, GroupVersion>();
    let first: { readonly error: unknown } | undefined;
    for (const { name, versions } of groups)
      for (const version of versions) {
        const path = `apis/${name}/${version}`;
        // Without an index, read it again now and then.
        const document = documents.get(path) ?? `reading ${Math.floor(this.#readings / UNINDEXED_EVERY)}`;
        const before = this.#known.get(path);
        try {
          const found = await this.#readVersion(path, document, before);
          if (found !== undefined) known.set(path, found);
        } catch (error) {
          if (before !== undefined) known.set(path, before);
          first ??= { error };
        }
      }
    // Every read failed: that says nothing about the offers.
    if (first !== undefined && known.size === 0) throw first.error;
    const isSame =
      known.size === this.#known.size &&
      [...known].every(([path, one]) => this.#known.get(path)?.resources === one.resources);
    this.#known = known;
    if (!isSame) this.#crds = new Map(crdsOf(groups, known).map((crd) => [crd.metadata.name, crd]));
    return !isSame;
  }

  async #groups(): Promise<readonly Group[]> {
    const answer = await this.#get('/apis');
    return records(answer, 'groups').flatMap(({ name, versions, preferredVersion }): Group[] => {
      if (typeof name !== 'string' || !Array.isArray(versions)) return [];
      const names = versions.flatMap((one) =>
        isRecord(one) && typeof one['version'] === 'string' ? [one['version']] : [],
      );
      const preferred = isRecord(preferredVersion) ? preferredVersion['version'] : undefined;
      return [{ name, versions: names, preferred: typeof preferred === 'string' ? preferred : undefined }];
    });
  }

  /** By path: a text that changes with the document. */
  async #documents(): Promise<ReadonlyMap<string, string>> {
    const answer = jsonOf(await this.#get('/openapi/v3'));
    const paths = isRecord(answer) && isRecord(answer['paths']) ? answer['paths'] : {};
    return new Map(
      Object.entries(paths).flatMap(([path, one]): [string, string][] => {
        const url = isRecord(one) ? one['serverRelativeURL'] : undefined;
        return typeof url === 'string' ? [[path, url]] : [];
      }),
    );
  }

  /** Undefined: the group version went between two requests. */
  async #readVersion(
    path: string,
    document: string,
    before: GroupVersion | undefined,
  ): Promise<GroupVersion | undefined> {
    if (before?.document === document) return before;
    const [, group = '', version = ''] = path.split('/');
    try {
      const served = servedBy(await this.#get(`/${path}`));
      const whole = served.length === 0 ? undefined : await this.#get(`/openapi/v3/${path}`);
      const resources = served.flatMap((one) => {
        const schema = schemaOf(whole, { group, version, kind: one.kind });
        return schema === undefined ? [] : [{ ...one, schema }];
      });
      // A document lags behind discovery for a moment. Read one that lacks a kind again.
      const isWhole = resources.length === served.length;
      const isSame = before !== undefined && equal(before.resources, resources);
      return { document: isWhole ? document : '', resources: isSame ? before.resources : resources };
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #get(path: string): Promise<unknown> {
    return this.#client.raw('GET', path, undefined, { signal: this.#closing.signal });
  }
}

/** Resources that the sync can serve. */
function servedBy(answer: unknown): readonly Served[] {
  const all = records(answer, 'resources');
  return all.flatMap(({ name, singularName, kind, namespaced, verbs }): Served[] => {
    if (typeof name !== 'string' || name.includes('/') || typeof kind !== 'string' || !Array.isArray(verbs)) return [];
    if (!VERBS.every((verb) => verbs.includes(verb))) return [];
    const singular = typeof singularName === 'string' && singularName !== '' ? singularName : kind.toLowerCase();
    const hasStatus = all.some((one) => one['name'] === `${name}/status`);
    return [{ plural: name, singular, kind, namespaced: namespaced === true, hasStatus }];
  });
}

/** One CRD for each resource, with its versions by priority, highest first. */
function crdsOf(
  groups: readonly Group[],
  known: ReadonlyMap<string, GroupVersion>,
): readonly CustomResourceDefinition[] {
  return groups.flatMap(({ name: group, versions, preferred }) => {
    const found = [...versions]
      .sort((a, b) => compareVersionPriority(b, a))
      .flatMap((version) =>
        (known.get(`apis/${group}/${version}`)?.resources ?? []).map((resource) => ({ version, resource })),
      );
    const plurals = [...new Set(found.map(({ resource }) => resource.plural))];
    return plurals.flatMap((plural): CustomResourceDefinition[] => {
      const own = found.filter(({ resource }) => resource.plural === plural);
      const stored = own.find(({ version }) => version === preferred) ?? own[0];
      if (stored === undefined) return [];
      const { kind, singular, namespaced } = stored.resource;
      return [
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `${plural}.${group}` },
          spec: {
            group,
            names: { plural, singular, kind, listKind: `${kind}List` },
            scope: namespaced ? 'Namespaced' : 'Cluster',
            versions: own.map(({ version, resource: { schema, hasStatus } }) => ({
              name: version,
              served: true,
              storage: version === stored.version,
              schema: { openAPIV3Schema: schema },
              ...(hasStatus ? { subresources: { status: {} } } : {}),
            })),
          },
        },
      ];
    });
  });
}

/** A kube-apiserver labels its index of documents as plain text. */
function jsonOf(answer: unknown): unknown {
  if (typeof answer !== 'string') return answer;
  try {
    return parse(answer);
  } catch {
    return undefined;
  }
}

function records(answer: unknown, key: string): readonly Readonly<Record<string, unknown>>[] {
  const list = isRecord(answer) ? answer[key] : undefined;
  return Array.isArray(list) ? list.filter((one) => isRecord(one)) : [];
}
