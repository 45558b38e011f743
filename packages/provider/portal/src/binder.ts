import type { Client } from '@hawser/client';
import { type APIServiceExportTemplate, type BindingResourceResponse, apiVersion, resources } from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import { Refusal } from './answer.js';
import type { Catalogue } from './catalogue.js';
import { CLUSTER_TOKEN_HEADER } from './clusters/cluster-proofs.js';
import type { Consumer, ConsumerCluster, Consumers } from './consumers.js';
import { grantTemplate } from './grants.js';
import { requestOf } from './export-requests.js';
import { type Person, identityOf } from './person.js';
import type { PersonTurns } from './person-turns.js';
import type { BindBody } from './schemas.js';
import type { Session } from './session.js';

export interface BinderOptions {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly catalogue: Catalogue;
  readonly consumers: Consumers;
  readonly turns: PersonTurns;
  /** Records each grant and refusal, with the person. */
  readonly audit: Logger;
}

/** A signed-in person's request for a binding. */
export interface Wish {
  /** Name of the binding. */
  readonly name: string;
  readonly template: string;
  readonly cluster: ConsumerCluster;
}

/** The HTTP request of the caller. */
export interface Asked {
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** Result of opening a binding. */
export interface Opened {
  readonly template: APIServiceExportTemplate;
  readonly consumer: Consumer;
}

/** Identity with which the Go backend's web page binds for the person, not for a cluster. */
const PAGE_IDENTITY = 'ui-identity';

/**
 * Makes a cluster a consumer, and returns its kubeconfig and the request for the provider
 * (spec/kube-bind-backend.md §15). Every credential passes through here, and each answer is in the audit log.
 */
export class Binder {
  readonly #options: BinderOptions;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** @throws {Refusal | ApiError} */
  bind(session: Session, wish: Wish, asked: Asked): Promise<BindingResourceResponse> {
    return this.audited('handed out a kubeconfig', session.person, wish, asked, async () => {
      const opened = await this.open(session.person, wish, asked);
      await this.grant(opened, asked);
      const { template, consumer } = opened;
      const answer: BindingResourceResponse = {
        kind: 'BindingResponse',
        apiVersion,
        authentication: { oauth2CodeGrant: { sid: session.id, id: identityOf(session.person) } },
        kubeconfig: consumer.kubeconfig,
        requests: [requestOf(wish.name, template)],
        providerNamespace: consumer.namespace,
      };
      return { answer, consumer };
    });
  }

  /** `check` throws for a template that must not be bound. @throws {Refusal | ApiError} */
  async open(
    person: Person,
    { name, template, cluster }: Wish,
    { signal }: Asked,
    check: (template: APIServiceExportTemplate) => void = () => undefined,
  ): Promise<Opened> {
    const { consumers } = this.#options;
    if (cluster.identity === PAGE_IDENTITY)
      throw new Refusal(
        400,
        'BAD_REQUEST',
        'Name the cluster that you bind: kubectl bind apiservice does it. Binding for a person without a cluster is not offered.',
      );
    // First: a refused name leaves nothing behind.
    const found = await this.#offered(person, template, signal);
    check(found);
    await consumers.mayBindAnother(person, { identity: cluster.identity, name, template }, signal);
    return { template: found, consumer: await consumers.open(person, cluster, signal) };
  }

  /**
   * The template, if the cluster must prove itself before anything else; undefined: no proof needed.
   * @throws {Refusal | ApiError}
   */
  async awaitingProof(
    person: Person,
    { template, cluster }: Wish,
    { signal }: Asked,
  ): Promise<APIServiceExportTemplate | undefined> {
    if (!(await this.#options.consumers.awaitsProof(cluster, signal))) return undefined;
    return this.#offered(person, template, signal);
  }

  #offered(person: Person, template: string, signal: AbortSignal): Promise<APIServiceExportTemplate> {
    return this.#options.catalogue.template(person, template, signal);
  }

  /** Permits the cluster itself to request the opened template. @throws {Refusal | ApiError} */
  grant({ template, consumer }: Opened, { signal }: Asked): Promise<void> {
    return grantTemplate(
      this.#options.client,
      resources.clusterBindings,
      consumer.namespace,
      template.metadata.name,
      signal,
    );
  }

  /**
   * Runs the work in the person's turn, and writes its result to the audit log. `granted`: description of the grant.
   */
  async audited<T>(
    granted: string,
    person: Person,
    { name, template, cluster }: Wish,
    { requestId, signal }: Asked,
    grant: () => Promise<{ readonly answer: T; readonly consumer?: Consumer | undefined }>,
  ): Promise<T> {
    const { audit, turns } = this.#options;
    const proven = cluster.isProven === true ? { proven: true } : {};
    const about = {
      person: identityOf(person),
      template,
      cluster: cluster.identity,
      ...proven,
      binding: name,
      requestId,
    };
    try {
      const { answer, consumer } = await turns.take(person, signal, grant);
      audit.info(granted, { ...about, ...(consumer === undefined ? {} : { namespace: consumer.namespace }) });
      return answer;
    } catch (error) {
      if (error instanceof Refusal) audit.info('refused a binding', { ...about, reason: error.message });
      throw error;
    }
  }
}

/**
 * Builds the wish of a request. `consumerId`: query parameter from a page of the contract. `proven`: by a token of the
 * cluster.
 * @throws {Refusal} for an unnamed cluster, or one named differently than in its token
 */
export function wishIn(
  { metadata, spec }: BindBody,
  { consumerId = '', proven }: { readonly consumerId?: string | undefined; readonly proven?: string | undefined } = {},
): Wish {
  const { identity: given = '', prettyName = '' } = spec.clusterIdentity;
  const claimed = consumerId === '' ? given : consumerId;
  const identity = claimed === '' ? (proven ?? '') : claimed;
  if (identity === '')
    throw new Refusal(
      400,
      'BAD_REQUEST',
      `spec.clusterIdentity.identity is missing. Name the cluster, or send a token of it in the header ${CLUSTER_TOKEN_HEADER}.`,
    );
  if (proven !== undefined && proven !== identity) throw ofAnotherCluster();
  return {
    name: metadata.name,
    template: spec.templateRef.name,
    cluster: {
      identity,
      prettyName: prettyName === '' ? metadata.name : prettyName,
      ...(proven === undefined ? {} : { isProven: true }),
    },
  };
}

/** Proof and wish name different clusters. */
export function ofAnotherCluster(): Refusal {
  return new Refusal(
    403,
    'AUTHORIZATION_FAILED',
    `The token in ${CLUSTER_TOKEN_HEADER} is of another cluster than the one that you name.`,
  );
}
