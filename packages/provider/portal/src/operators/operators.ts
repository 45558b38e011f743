import type { Client } from '@hawser/client';
import type { Clock } from '@hawser/clock';
import { apiVersion, fixedNames, kubeBindDialect } from '@hawser/kube-bind';
import { type SchemaStanding, type SchemaWord, sayOfSchemas, schemaStandings } from '@hawser/propagation';
import type { EventRecorder, Logger } from '@hawser/telemetry';
import type { Access } from '../access.js';
import { Refusal } from '../answer.js';
import type { Asked } from '../binder.js';
import { approveTemplate } from '../grants.js';
import { type Person, identityOf } from '../person.js';
import { readConsumers } from './consumer-reader.js';
import { type ConsumerState, consumerStates } from './consumer-state.js';

export interface OperatorsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly access: Access;
  readonly events: EventRecorder;
  readonly audit: Logger;
  /** Of the portal. */
  readonly namespace: string;
}

/** A schema that waits, and what an operator says of it. */
export interface SchemaDecision {
  readonly word: Extract<SchemaWord, 'approve' | 'reject'>;
  readonly namespace: string;
  readonly name: string;
  /** Of the schema that the operator has seen. */
  readonly hash: string;
}

/** What operators see of all consumers, and decide: each by the verb that RBAC gives them. */
export class Operators {
  readonly #options: OperatorsOptions;

  constructor(options: OperatorsOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} for one who may not see them @throws {ApiError} */
  async consumers(person: Person, signal: AbortSignal): Promise<readonly ConsumerState[]> {
    await this.#maySee(person);
    const { client, namespace, clock } = this.#options;
    return consumerStates(await readConsumers(client, namespace, signal), clock.now());
  }

  /** Schemas that are held. @throws {Refusal} for one who may not see them @throws {ApiError} */
  async heldSchemas(person: Person, signal: AbortSignal): Promise<readonly SchemaStanding[]> {
    await this.#maySee(person);
    const standings = await schemaStandings(this.#options.client, { dialect: kubeBindDialect, signal });
    return standings.filter(({ state }) => state === 'Held');
  }

  /** @throws {Refusal} for one who may not approve it, or a template or consumer that is not there @throws {ApiError} */
  async approve(person: Person, namespace: string, template: string, asked: Asked): Promise<void> {
    const { client, access } = this.#options;
    await this.#maySee(person);
    if (!(await access.mayApproveTemplate(person, template)))
      throw needs(`approve on the APIServiceExportTemplate ${template}`);
    const waiting = (await this.consumers(person, asked.signal)).find((one) => one.namespace === namespace);
    if (waiting?.approvals.some((one) => one.template === template) !== true)
      throw new Refusal(409, 'BAD_REQUEST', 'This approval is no longer pending. Load the page again.');
    await approveTemplate(client, kubeBindDialect.resources.clusterBindings, namespace, template, asked.signal);
    this.#tell(person, namespace, 'TemplateApproved', `has approved template ${template}.`, asked);
  }

  /** @throws {Refusal} for one who may not, or a schema that waits no more @throws {ApiError} */
  async decideSchema(person: Person, { word, namespace, name, hash }: SchemaDecision, asked: Asked): Promise<void> {
    const { client, access } = this.#options;
    await this.#maySee(person);
    if (!(await access.mayDecideSchema(person, namespace, name)))
      throw needs(`approve on the APIServiceExport ${namespace}/${name}`);
    const standings = await schemaStandings(client, {
      dialect: kubeBindDialect,
      export: `${namespace}/${name}`,
      signal: asked.signal,
    });
    if (!standings.some(({ candidate }) => candidate === hash))
      throw new Refusal(
        409,
        'BAD_REQUEST',
        'This schema is no longer held. Load the page again to see the current one.',
      );
    await sayOfSchemas(client, word, { namespace, name }, [hash], asked.signal);
    const what = `schema ${hash} of export ${name}.`;
    if (word === 'approve') this.#tell(person, namespace, 'SchemaApproved', `has approved ${what}`, asked);
    else this.#tell(person, namespace, 'SchemaRejected', `has rejected ${what}`, asked);
  }

  async #maySee(person: Person): Promise<void> {
    if (!(await this.#options.access.maySeeConsumers(person))) throw needs('list on ClusterBindings');
  }

  #tell(person: Person, namespace: string, reason: string, done: string, { requestId }: Asked): void {
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
