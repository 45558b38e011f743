import { type Client, type KubeObject, type Resource, getIfExists } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import {
  type APIServiceExportTemplate,
  type Collection,
  type CustomResourceDefinition,
  resourceGroupName,
  resources,
} from '@hawser/kube-bind';
import type { Access, Bindable } from './access.js';
import { Refusal } from './answer.js';
import type { Person } from './person.js';

/** Requests within this time share one list. */
const SHARED_MS = 1_000;

interface Shared {
  readonly until: number;
  readonly items: Promise<readonly KubeObject[]>;
}

/** The templates and collections that a person may bind. A hidden template looks like a missing one. */
export class Catalogue {
  readonly #client: Pick<Client, 'list' | 'get'>;
  readonly #access: Access;
  readonly #clock: Clock;
  readonly #lists = new Map<Bindable, Shared>();

  constructor(client: Pick<Client, 'list' | 'get'>, access: Access, clock: Clock) {
    this.#client = client;
    this.#access = access;
    this.#clock = clock;
  }

  async templates(person: Person): Promise<readonly APIServiceExportTemplate[]> {
    const all = await this.#list<APIServiceExportTemplate>(
      'apiserviceexporttemplates',
      resources.apiServiceExportTemplates,
    );
    return this.#access.bindable(person, 'apiserviceexporttemplates', all);
  }

  async collections(person: Person): Promise<readonly Collection[]> {
    const all = await this.#list<Collection>('collections', resources.collections);
    return this.#access.bindable(person, 'collections', all);
  }

  /** At most one second old. The first caller may disconnect before the answer: others await it too. */
  #list<T extends KubeObject>(what: Bindable, resource: Resource): Promise<readonly T[]> {
    const now = this.#clock.monotonic();
    const known = this.#lists.get(what);
    // Each kind has one list.
    if (known !== undefined && known.until > now) return known.items as Promise<readonly T[]>;
    const items = this.#client.list<T>(resource).then((list) => list.items);
    this.#lists.set(what, { until: now + SHARED_MS, items });
    items.catch(() => this.#lists.delete(what));
    return items;
  }

  /** The existing CRDs of a template's offer. @throws {ApiError} */
  async apis({ spec }: APIServiceExportTemplate, signal: AbortSignal): Promise<readonly CustomResourceDefinition[]> {
    const found = await Promise.all(
      spec.resources.map((resource) =>
        getIfExists<CustomResourceDefinition>(
          this.#client,
          resources.customResourceDefinitions,
          { name: resourceGroupName(resource) },
          { signal },
        ),
      ),
    );
    return found.filter((crd) => crd !== undefined);
  }

  /** @throws {Refusal} without a template of that name that the person may bind */
  async template(person: Person, name: string, signal: AbortSignal): Promise<APIServiceExportTemplate> {
    const may = await this.#access.mayBind(person, 'apiserviceexporttemplates', name);
    const template = may
      ? await getIfExists<APIServiceExportTemplate>(
          this.#client,
          resources.apiServiceExportTemplates,
          { name },
          { signal },
        )
      : undefined;
    if (template === undefined)
      throw new Refusal(
        404,
        'RESOURCE_NOT_FOUND',
        `There is no template ${JSON.stringify(name)} that you may bind. List those that you may with GET /api/templates.`,
      );
    return template;
  }
}
