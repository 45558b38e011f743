import type { Client } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { type Dialect, fixedNames, resourceGroupName } from '@hawser/kube-bind';
import { type SchemaStanding, type SchemaWord, addSchemaDecision, schemaStandings } from '@hawser/propagation';
import type { EventRecorder, Logger } from '@hawser/telemetry';
import {
  type BindingFacts,
  type ConsumerState,
  consumerStates,
  readConsumers,
  speaking,
  type Spoken,
} from '@hawser/consumer-states';
import type { Access } from '../access.js';
import { Refusal } from '../answer.js';
import type { Asked } from '../binder.js';
import type { BindingReader, FoundCopy } from '../bindings/binding-reader.js';
import { approveTemplate } from '../grants.js';
import { type Person, identityOf } from '../person.js';
import { type LeaderState, type LeaseKey, readLeader } from './leader.js';
import { type ShownEvents, eventsInHome, eventsOf } from './object-events.js';
import { type BindingObjects, MOST_OBJECTS, type ObjectStory, objectWay, shownConditions } from './object-way.js';

export interface OperatorsOptions {
  readonly client: Client;
  readonly spoken: readonly Spoken[];
  readonly reader: Pick<BindingReader, 'findCopies'>;
  readonly clock: Clock;
  readonly access: Access;
  readonly events: EventRecorder;
  readonly audit: Logger;
  /** Namespace of the portal. */
  readonly namespace: string;
  /** Version of the provider. */
  readonly version: string;
  /** The provider role's Lease; undefined: it works without one. */
  readonly lease: LeaseKey | undefined;
}

/** The provider and all its consumers. */
export interface Overview {
  readonly provider: {
    readonly version: string;
    /** Undefined: it works without a Lease. */
    readonly leader: LeaderState | undefined;
  };
  readonly consumers: readonly ConsumerState[];
}

/** An operator's decision about a held schema. */
export interface SchemaDecision {
  /** Default: kube-bind's. */
  readonly dialect?: Dialect['name'] | undefined;
  readonly word: Extract<SchemaWord, 'approve' | 'reject'>;
  readonly namespace: string;
  readonly name: string;
  /** Hash of the schema that the operator has seen. */
  readonly hash: string;
}

/** Views and decisions of operators over all consumers, each by its RBAC verb. */
export class Operators {
  readonly #options: OperatorsOptions;

  constructor(options: OperatorsOptions) {
    this.#options = options;
  }

  /** Whether the person may see the consumers of any dialect. @throws {ApiError} */
  async isOperator(person: Person): Promise<boolean> {
    return (await this.#visible(person)).length > 0;
  }

  /**
   * The leader, and consumers of the dialects that the person may see.
   * @throws {Refusal} for a person without any
   * @throws {ApiError}
   */
  async overview(person: Person, signal: AbortSignal): Promise<Overview> {
    const { client, version, lease, clock } = this.#options;
    const consumers = await this.consumers(person, signal);
    return { provider: { version, leader: await readLeader(client, lease, clock.now(), signal) }, consumers };
  }

  /**
   * Consumers of the dialects that the person may see.
   * @throws {Refusal} for a person without any
   * @throws {ApiError}
   */
  async consumers(person: Person, signal: AbortSignal): Promise<readonly ConsumerState[]> {
    const { client, namespace, version, clock } = this.#options;
    const all = await readConsumers(client, await this.#seen(person), { namespace, signal });
    return consumerStates(all, { version, now: clock.now() });
  }

  /**
   * The copies of a binding, of resources that the person may list.
   * @throws {Refusal} for a person who may not see the consumer
   * @throws {ApiError}
   */
  async objects(person: Person, namespace: string, name: string, signal: AbortSignal): Promise<BindingObjects> {
    const facts = await this.#binding(person, namespace, name, signal);
    const { hidden, copies } = await this.#copies(person, facts, signal);
    return {
      cluster: facts.consumer.cluster.prettyName,
      binding: name,
      hidden,
      objects: copies?.slice(0, MOST_OBJECTS).map(objectWay),
      more: (copies?.length ?? 0) > MOST_OBJECTS,
    };
  }

  /**
   * One object of a binding, by its copy's uid, with the Events that the person may list.
   * @throws {Refusal} for a person who may not see it, like for a missing one
   * @throws {ApiError}
   */
  async object(
    person: Person,
    { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid: string },
    signal: AbortSignal,
  ): Promise<ObjectStory> {
    const { client } = this.#options;
    const facts = await this.#binding(person, namespace, name, signal);
    const { copies } = await this.#copies(person, facts, signal);
    const copy = copies?.find(({ object }) => object.metadata.uid === uid);
    if (copy === undefined) throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'There is no such object.');
    const at = copy.object.metadata.namespace;
    const about = [
      { kind: 'APIServiceExport', name },
      { kind: 'APIServiceExportRequest', name },
      { kind: 'ClusterBinding', name: fixedNames.clusterBinding },
    ];
    const [ofCopy, ofBinding] = await Promise.all([
      this.#events(person, at ?? 'default', () => eventsOf(client, { namespace: at, uid }, signal)),
      this.#events(person, namespace, () => eventsInHome(client, namespace, about, signal)),
    ]);
    return {
      cluster: facts.consumer.cluster.prettyName,
      binding: name,
      way: objectWay(copy),
      ofCopy,
      ofBinding,
      conditions: shownConditions(facts.export?.status?.conditions ?? []),
    };
  }

  async #events(
    person: Person,
    namespace: string,
    read: () => Promise<ShownEvents>,
  ): Promise<ShownEvents | { readonly kind: 'hidden'; readonly namespace: string }> {
    return (await this.#options.access.mayListEvents(person, namespace)) ? read() : { kind: 'hidden', namespace };
  }

  async #binding(person: Person, namespace: string, name: string, signal: AbortSignal): Promise<BindingFacts> {
    const { client, namespace: own } = this.#options;
    const { consumers } = await readConsumers(client, await this.#seen(person), { namespace: own, signal });
    const facts = consumers
      .find(({ consumer }) => consumer.namespace === namespace)
      ?.bindings.find((binding) => binding.name === name);
    if (facts === undefined) throw new Refusal(404, 'RESOURCE_NOT_FOUND', 'There is no such binding.');
    return facts;
  }

  /** `copies` undefined: they could not be read. */
  async #copies(
    person: Person,
    facts: BindingFacts,
    signal: AbortSignal,
  ): Promise<{ readonly hidden: readonly string[]; readonly copies: readonly FoundCopy[] | undefined }> {
    const { access, reader } = this.#options;
    const resources = facts.export?.spec.resources ?? [];
    const may = await Promise.all(resources.map((resource) => access.mayListObjects(person, resource)));
    const shown = resources.filter((_, index) => may[index] === true);
    const hidden = resources.filter((resource) => !shown.includes(resource)).map(resourceGroupName);
    const seen = {
      ...facts,
      export: facts.export && { ...facts.export, spec: { ...facts.export.spec, resources: shown } },
    };
    return { hidden, copies: shown.length === 0 ? [] : (await reader.findCopies(seen, signal))?.found };
  }

  /** Held schemas. @throws {Refusal} for a person who may not see them @throws {ApiError} */
  async heldSchemas(person: Person, signal: AbortSignal): Promise<readonly SchemaStanding[]> {
    const { client } = this.#options;
    const seen = await this.#seen(person);
    const standings = await Promise.all(seen.map(({ dialect }) => schemaStandings(client, { dialect, signal })));
    return standings.flat().filter(({ state }) => state === 'Held');
  }

  /** @throws {Refusal} for a person who may not approve it, or a missing template or consumer @throws {ApiError} */
  async approve(person: Person, namespace: string, template: string, asked: Asked): Promise<void> {
    const { client, access, spoken } = this.#options;
    const waiting = (await this.consumers(person, asked.signal)).find((one) => one.namespace === namespace);
    const { dialect } = speaking(spoken, waiting?.dialect ?? 'kube-bind');
    if (!(await access.mayApproveTemplate(person, dialect, template)))
      throw needs(`approve on the APIServiceExportTemplate ${template}`);
    if (waiting?.approvals.some((one) => one.template === template) !== true)
      throw new Refusal(409, 'BAD_REQUEST', 'This approval is no longer pending. Load the page again.');
    await approveTemplate(client, dialect.resources.clusterBindings, namespace, template, asked.signal);
    this.#record(person, dialect, namespace, 'TemplateApproved', `has approved template ${template}.`, asked);
  }

  /** @throws {Refusal} for a person who may not decide, or a schema no longer held @throws {ApiError} */
  async decideSchema(person: Person, decision: SchemaDecision, asked: Asked): Promise<void> {
    const { client, access } = this.#options;
    const { word, namespace, name, hash, dialect: spoken = 'kube-bind' } = decision;
    const { dialect } = speaking(await this.#seen(person, spoken), spoken);
    if (!(await access.mayDecideSchema(person, dialect, namespace, name)))
      throw needs(`approve on the APIServiceExport ${namespace}/${name}`);
    const standings = await schemaStandings(client, {
      dialect,
      export: `${namespace}/${name}`,
      signal: asked.signal,
    });
    if (!standings.some(({ candidate }) => candidate === hash))
      throw new Refusal(
        409,
        'BAD_REQUEST',
        'This schema is no longer held. Load the page again to see the current one.',
      );
    await addSchemaDecision(client, word, { dialect: spoken, namespace, name }, [hash], asked.signal);
    const what = `schema ${hash} of export ${name}.`;
    if (word === 'approve') this.#record(person, dialect, namespace, 'SchemaApproved', `has approved ${what}`, asked);
    else this.#record(person, dialect, namespace, 'SchemaRejected', `has rejected ${what}`, asked);
  }

  async #visible(person: Person): Promise<readonly Spoken[]> {
    const { spoken, access } = this.#options;
    const may = await Promise.all(spoken.map(({ dialect }) => access.maySeeConsumers(person, dialect)));
    return spoken.filter((_, index) => may[index] === true);
  }

  /** `needed`: a dialect that must be among them. @throws {Refusal} */
  async #seen(person: Person, needed?: Dialect['name']): Promise<readonly Spoken[]> {
    const visible = await this.#visible(person);
    if (visible.length === 0 || (needed !== undefined && !visible.some(({ dialect }) => dialect.name === needed)))
      throw needs('list on ClusterBindings');
    return visible;
  }

  #record(
    person: Person,
    { apiVersion }: Dialect,
    namespace: string,
    reason: string,
    done: string,
    { requestId }: Asked,
  ): void {
    const { events, audit } = this.#options;
    const message = `${identityOf(person)} ${done}`;
    events.record(
      { apiVersion, kind: 'ClusterBinding', namespace, name: fixedNames.clusterBinding },
      { type: 'Normal', reason, message },
    );
    audit.info('decided for a consumer', { person: identityOf(person), namespace, reason, message, requestId });
  }
}

function needs(right: string): Refusal {
  return new Refusal(403, 'AUTHORIZATION_FAILED', `You need the verb ${right}. Ask the administrator of the provider.`);
}
