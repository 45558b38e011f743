import {
  type APIServiceExportTemplate,
  type BindingResourceResponse,
  type ExportRequestDocument,
  apiVersion,
} from '@hawser/kube-bind';
import type { Logger } from '@hawser/telemetry';
import { Refusal } from './answer.js';
import type { Catalogue } from './catalogue.js';
import type { ConsumerCluster, Consumers } from './consumers.js';
import { identityOf } from './person.js';
import type { Session } from './session.js';

export interface BinderOptions {
  readonly catalogue: Catalogue;
  readonly consumers: Consumers;
  /** Who was granted and refused what. */
  readonly audit: Logger;
}

/** What somebody who has signed in wants to bind. */
export interface Wish {
  /** Of the binding. */
  readonly name: string;
  readonly template: string;
  readonly cluster: ConsumerCluster;
  readonly requestId: string;
}

/** The identity by which the web page of the Go backend binds for the person and not for a cluster. */
const PAGE_IDENTITY = 'ui-identity';

/** Makes a cluster a consumer, and hands out its kubeconfig with what to ask the provider for (spec/kube-bind-backend.md §15). Each answer is in the audit log. */
export class Binder {
  readonly #options: BinderOptions;

  constructor(options: BinderOptions) {
    this.#options = options;
  }

  /** @throws {Refusal | ApiError} */
  async bind(session: Session, wish: Wish, signal: AbortSignal): Promise<BindingResourceResponse> {
    const { catalogue, consumers, audit } = this.#options;
    const { person } = session;
    const { name, template, cluster, requestId } = wish;
    const about = { person: identityOf(person), template, cluster: cluster.identity, requestId };
    try {
      if (cluster.identity === PAGE_IDENTITY)
        throw new Refusal(
          400,
          'BAD_REQUEST',
          'Name the cluster that you bind: kubectl bind apiservice does it. Binding for a person without a cluster is not offered.',
        );
      // First, so that a name that is refused leaves nothing behind.
      const found = await catalogue.template(person, template, signal);
      const consumer = await consumers.open(person, cluster, signal);
      audit.info('handed out a kubeconfig', { ...about, namespace: consumer.namespace });
      return {
        kind: 'BindingResponse',
        apiVersion,
        authentication: { oauth2CodeGrant: { sid: session.id, id: identityOf(person) } },
        kubeconfig: consumer.kubeconfig,
        requests: [requestOf(name, found)],
        providerNamespace: consumer.namespace,
      };
    } catch (error) {
      if (error instanceof Refusal) audit.info('refused a binding', { ...about, reason: error.message });
      throw error;
    }
  }
}

function requestOf(bindingName: string, { spec }: APIServiceExportTemplate): ExportRequestDocument {
  const { resources, permissionClaims, namespaces, schemaUpdatePolicy } = spec;
  return {
    kind: 'APIServiceExportRequest',
    apiVersion,
    metadata: { name: bindingName },
    spec: {
      resources,
      ...(permissionClaims === undefined ? {} : { permissionClaims }),
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(schemaUpdatePolicy === undefined ? {} : { schemaUpdatePolicy }),
    },
  };
}
