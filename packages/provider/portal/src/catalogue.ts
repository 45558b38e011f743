import { type Client, getIfExists } from '@hawser/client';
import { type APIServiceExportTemplate, type Collection, resources } from '@hawser/kube-bind';
import type { Access } from './access.js';
import { Refusal } from './answer.js';
import type { Person } from './person.js';

/** What a person may bind, and nothing of the rest: a template that is hidden looks like one that does not exist. */
export class Catalogue {
  readonly #client: Pick<Client, 'list' | 'get'>;
  readonly #access: Access;

  constructor(client: Pick<Client, 'list' | 'get'>, access: Access) {
    this.#client = client;
    this.#access = access;
  }

  async templates(person: Person, signal: AbortSignal): Promise<readonly APIServiceExportTemplate[]> {
    const { items } = await this.#client.list<APIServiceExportTemplate>(resources.apiServiceExportTemplates, {
      signal,
    });
    return this.#access.bindable(person, 'apiserviceexporttemplates', items);
  }

  async collections(person: Person, signal: AbortSignal): Promise<readonly Collection[]> {
    const { items } = await this.#client.list<Collection>(resources.collections, { signal });
    return this.#access.bindable(person, 'collections', items);
  }

  /** @throws {Refusal} when there is none that the person may bind */
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
