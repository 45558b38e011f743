import { type Client, getIfExists, objectKey } from '@hawser/client';
import { type APIServiceExportTemplate, resources } from '@hawser/klutch';
import { resourceGroupName } from '@hawser/kube-bind';
import type { Access, KlutchOffer } from '../access.js';
import { Refusal } from '../answer.js';
import type { Person } from '../person.js';

/** The Klutch templates that a person may bind. A hidden template looks like a missing one. */
export class KlutchCatalogue {
  readonly #client: Pick<Client, 'list' | 'get'>;
  readonly #access: Access;

  constructor(client: Pick<Client, 'list' | 'get'>, access: Access) {
    this.#client = client;
    this.#access = access;
  }

  /** By the names of their resources. @throws {ApiError} */
  async templates(person: Person, signal: AbortSignal): Promise<readonly APIServiceExportTemplate[]> {
    const { items } = await this.#client.list<APIServiceExportTemplate>(resources.apiServiceExportTemplates, {
      signal,
    });
    const may = await this.#access.klutchOffers(person, items);
    return [...may].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }

  /** @throws {Refusal} without a template of that name that the person may bind */
  async template(person: Person, offer: KlutchOffer, signal: AbortSignal): Promise<APIServiceExportTemplate> {
    const [may] = await this.#access.klutchOffers(person, [{ metadata: offer }]);
    const template =
      may === undefined
        ? undefined
        : await getIfExists<APIServiceExportTemplate>(this.#client, resources.apiServiceExportTemplates, offer, {
            signal,
          });
    if (template === undefined)
      throw new Refusal(
        404,
        'RESOURCE_NOT_FOUND',
        `There is no template ${JSON.stringify(objectKey(offer))} that you may bind.`,
      );
    return template;
  }
}

function sortKey(template: APIServiceExportTemplate): string {
  return `${resourceGroupName(template.spec.APIServiceSelector)} ${objectKey(template)}`;
}
