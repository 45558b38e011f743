import type { Client } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { isObject } from '@hawser/json';
import { resources as klutchResources } from '@hawser/klutch';
import { type Dialect, type GroupResource, apiGroup, resources } from '@hawser/kube-bind';
import type { PortalOptions } from './options.js';
import type { Person } from './person.js';

export interface AccessOptions {
  readonly client: Pick<Client, 'raw'>;
  readonly clock: Clock;
  readonly allowed: PortalOptions['allowed'];
  readonly prefixes: PortalOptions['prefixes'];
}

/** Name and namespace of a Klutch template. */
export interface KlutchOffer {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export type Bindable = 'apiserviceexporttemplates' | 'collections';

/** Attributes of an RBAC request. */
interface Attributes {
  /** Default: kube-bind's. */
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string | undefined;
  /** Undefined: any name. */
  readonly name?: string | undefined;
}

/** How long an answer of the API server is cached: a changed right takes effect at the latest after it. */
const BELIEVED_MS = 10_000;
const MOST_ANSWERS = 10_000;
/** Parallel requests per list. */
const AT_A_TIME = 8;

/**
 * Checks a person's rights by Kubernetes RBAC, with SubjectAccessReviews: the verb `bind` on templates and collections,
 * and for operators `list` on ClusterBindings and `approve` on templates and exports. One policy language covers
 * people, ServiceAccounts and pipelines. Names reserved by Kubernetes (`system:`) are never accepted from an identity
 * provider.
 */
export class Access {
  readonly #options: AccessOptions;
  readonly #answers = new Map<string, { readonly until: number; readonly allowed: Promise<boolean> }>();

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** @throws {ApiError} when the API server is out of reach */
  async mayBind(person: Person, resource: Bindable, name: string): Promise<boolean> {
    return (await this.mayBindAll(person, resource)) || this.#ask(person, { verb: 'bind', resource, name });
  }

  /** For any name. */
  async mayBindAll(person: Person, resource: Bindable): Promise<boolean> {
    return this.#isListed(person) || this.#ask(person, { verb: 'bind', resource });
  }

  /** Selects the objects that the person may bind, in their order. */
  async bindable<T extends { readonly metadata: { readonly name: string } }>(
    person: Person,
    resource: Bindable,
    objects: readonly T[],
  ): Promise<readonly T[]> {
    if (await this.mayBindAll(person, resource)) return objects;
    return this.#those(objects, ({ metadata: { name } }) => this.#ask(person, { verb: 'bind', resource, name }));
  }

  /** Selects the Klutch templates that the person may bind, in their order. */
  async klutchOffers<T extends { readonly metadata: KlutchOffer }>(
    person: Person,
    templates: readonly T[],
  ): Promise<readonly T[]> {
    const bind = { ...klutchResources.apiServiceExportTemplates, verb: 'bind' };
    if (this.#isListed(person) || (await this.#ask(person, bind))) return templates;
    return this.#those(templates, ({ metadata: { namespace, name } }) =>
      this.#ask(person, { ...bind, namespace, name }),
    );
  }

  async #those<T>(objects: readonly T[], may: (object: T) => Promise<boolean>): Promise<readonly T[]> {
    const answers: boolean[] = [];
    for (let from = 0; from < objects.length; from += AT_A_TIME)
      answers.push(...(await Promise.all(objects.slice(from, from + AT_A_TIME).map(may))));
    return objects.filter((_, index) => answers[index] === true);
  }

  /** Whether the person may see all consumers of a dialect: needs `list` on its ClusterBindings. */
  maySeeConsumers(person: Person, { resources: kinds }: Dialect): Promise<boolean> {
    return this.#ask(person, { ...kinds.clusterBindings, verb: 'list' });
  }

  /** Whether the person may approve a template for consumers. `key`: `<name>`, or `<namespace>/<name>`. */
  mayApproveTemplate(person: Person, { resources: kinds }: Dialect, key: string): Promise<boolean> {
    const [name = '', namespace] = key.split('/').reverse();
    return this.#ask(person, { ...kinds.apiServiceExportTemplates, verb: 'approve', namespace, name });
  }

  /** Whether the person may list all objects of a resource. */
  mayListObjects(person: Person, { group = '', resource }: GroupResource): Promise<boolean> {
    return this.#ask(person, { group, version: '*', resource, verb: 'list' });
  }

  /** Whether the person may list the Events in a namespace. */
  mayListEvents(person: Person, namespace: string): Promise<boolean> {
    return this.#ask(person, { ...resources.events, namespace, verb: 'list' });
  }

  /** Whether the person may decide about a held schema of an export. */
  mayDecideSchema(person: Person, { resources: kinds }: Dialect, namespace: string, name: string): Promise<boolean> {
    return this.#ask(person, { ...kinds.apiServiceExports, verb: 'approve', namespace, name });
  }

  #isListed({ subject, groups }: Person): boolean {
    const { users = [], groups: listed = [] } = this.#options.allowed ?? {};
    return users.includes(subject) || groups.some((group) => listed.includes(group));
  }

  #ask(person: Person, attributes: Attributes): Promise<boolean> {
    const { clock } = this.#options;
    const { user, groups } = this.#inKubernetes(person);
    if (user === undefined) return Promise.resolve(false);
    const key = JSON.stringify([user, groups, attributes]);
    const now = clock.monotonic();
    const known = this.#answers.get(key);
    if (known !== undefined && known.until > now) return known.allowed;
    const allowed = this.#review(user, groups, attributes);
    this.#answers.delete(key);
    this.#answers.set(key, { until: now + BELIEVED_MS, allowed });
    allowed.catch(() => this.#answers.delete(key));
    for (const [oldest, { until }] of this.#answers) {
      if (until > now && this.#answers.size <= MOST_ANSWERS) break;
      this.#answers.delete(oldest);
    }
    return allowed;
  }

  #inKubernetes({ subject, groups }: Person): {
    readonly user: string | undefined;
    readonly groups: readonly string[];
  } {
    const { user = '', group = '' } = this.#options.prefixes ?? {};
    const own = (name: string): boolean => !name.startsWith('system:');
    const asUser = user + subject;
    return { user: own(asUser) ? asUser : undefined, groups: groups.map((one) => group + one).filter(own) };
  }

  async #review(user: string, groups: readonly string[], attributes: Attributes): Promise<boolean> {
    const answer = await this.#options.client.raw('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: {
        user,
        groups,
        resourceAttributes: { group: apiGroup, version: resources.collections.version, ...attributes },
      },
    });
    const status = isObject(answer) ? answer['status'] : undefined;
    return isObject(status) && status['allowed'] === true;
  }
}
