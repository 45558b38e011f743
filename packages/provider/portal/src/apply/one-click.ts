import {
  type Client,
  type KubeObject,
  type Resource,
  type UnstructuredObject,
  createClient,
  isApiError,
} from '@hawser/client';
import { fixedNames, resources } from '@hawser/kube-bind';
import { type ConnectionConfig, parseSecretKubeconfig } from '@hawser/kubeconfig';
import type { Logger } from '@hawser/telemetry';
import { Pool } from 'undici';
import { Refusal } from '../answer.js';
import type { Asked } from '../binder.js';
import type { Bundles } from '../bundles.js';
import type { ClusterProofs } from '../clusters/cluster-proofs.js';
import { type Person, identityOf } from '../person.js';
import { type Reachable, unreachable } from './reachable.js';

export interface OneClickOptions {
  readonly bundles: Pick<Bundles, 'exchange'>;
  readonly proofs: Pick<ClusterProofs, 'identityBy'>;
  /** Required audience of a cluster's token. */
  readonly publicUrl: URL;
  readonly reachable: Reachable;
  readonly audit: Logger;
}

/** A bundle and the cluster to apply it to. Contains a credential of the cluster. */
export interface Application {
  readonly kubeconfig: string;
  /** Code of the bundle. */
  readonly code: string;
  /** Binding of the code. */
  readonly binding: string;
}

/** Time limit for the whole application. */
const PATIENCE_MS = 30_000;
/** Parallel applications of all people: each holds a connection to a possibly slow server. */
const MOST_AT_A_TIME = 4;
/** Larger answers do not come from an API server. */
const MOST_ANSWER_BYTES = 1_048_576;
const FIELD_MANAGER = 'hawser-portal';
/** Shortest lifetime that the API server accepts. */
const TOKEN_SECONDS = 600;

interface TokenRequest extends UnstructuredObject {
  readonly status?: { readonly token?: unknown } | undefined;
}

const kinds: Readonly<Record<string, Resource>> = {
  Namespace: resources.namespaces,
  Secret: resources.secrets,
  ClusterRole: resources.clusterRoles,
  APIServiceBinding: resources.apiServiceBindings,
};

/**
 * Applies a bundle to a person's cluster with their kubeconfig: used once, in memory, and never disclosed. It can do
 * only what its owner can: that cluster's API server decides. Runs no program, reads no file, and reaches only hosts
 * that the operator has allowed.
 */
export class OneClick {
  readonly #options: OneClickOptions;
  #running = 0;

  constructor(options: OneClickOptions) {
    this.#options = options;
  }

  /** @throws {Refusal} */
  async apply(person: Person, { kubeconfig, code, binding }: Application, asked: Asked): Promise<void> {
    const connection = connectionIn(kubeconfig);
    await this.#options.reachable.check(connection.server);
    if (this.#running >= MOST_AT_A_TIME)
      throw new Refusal(503, 'INTERNAL_ERROR', 'Others have bundles applied just now. Try again in a moment.', {
        'retry-after': '10',
      });
    this.#running++;
    const signal = AbortSignal.any([asked.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const client = this.#open(connection);
    try {
      await this.#carryOver(client, person, { code, binding }, { ...asked, signal });
    } finally {
      this.#running--;
      await client.close();
    }
    const { host } = new URL(connection.server);
    const about = { person: identityOf(person), binding, server: host, requestId: asked.requestId };
    this.#options.audit.info('applied a bundle', about);
  }

  async #carryOver(
    client: Client,
    person: Person,
    { code, binding }: Omit<Application, 'kubeconfig'>,
    asked: Asked,
  ): Promise<void> {
    const { signal } = asked;
    const home = await rephrased('get', 'Namespace kube-system', () =>
      client.get<KubeObject>(resources.namespaces, { name: 'kube-system' }, { representation: 'metadata', signal }),
    );
    // Before the code is used: a failed check does not consume it.
    await rephrased('get', 'CustomResourceDefinition apiservicebindings.kube-bind.io', () =>
      client.get<KubeObject>(
        resources.customResourceDefinitions,
        { name: 'apiservicebindings.kube-bind.io' },
        { representation: 'metadata', signal },
      ),
    );
    const expected = {
      person,
      binding,
      identity: home.metadata.uid ?? '',
      prove: (serviceAccount: string) => this.#prove(client, serviceAccount, asked),
    };
    const { objects } = await this.#options.bundles.exchange(code, asked, { expected });
    for (const object of objects) {
      const { name, namespace } = object.metadata;
      const kind = kinds[object.kind];
      if (kind === undefined) throw new Error(`a bundle has no ${object.kind}`);
      await rephrased('apply', `${object.kind} ${name}`, () =>
        client.patch(kind, { name, namespace }, { type: 'apply', object }, { fieldManager: FIELD_MANAGER, signal }),
      );
    }
  }

  /** Identifies the cluster by its own token for this portal. */
  async #prove(client: Client, serviceAccount: string, { requestId, signal }: Asked): Promise<string> {
    const { proofs, publicUrl } = this.#options;
    const [namespace = '', name = ''] = serviceAccount.split('/');
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { namespace, name },
      spec: { audiences: [publicUrl.origin], expirationSeconds: TOKEN_SECONDS },
    };
    const { status } = await rephrased('create a token of', `ServiceAccount ${serviceAccount}`, () =>
      client.create<TokenRequest>(resources.serviceAccounts, request, { subresource: 'token', signal }),
    );
    if (typeof status?.token !== 'string') throw unreachable();
    return proofs.identityBy(status.token, requestId);
  }

  #open(connection: ConnectionConfig): Client {
    const { credentials, caData: ca, tlsServerName } = connection;
    const pair = credentials.kind === 'certificate' || credentials.kind === 'dynamic' ? credentials : undefined;
    const { origin } = new URL(connection.server);
    return createClient({
      name: 'consumer',
      connection,
      concurrency: 1,
      maxAnswerBytes: MOST_ANSWER_BYTES,
      dispatcher: () =>
        new Pool(origin, {
          connections: 1,
          allowH2: false,
          headersTimeout: PATIENCE_MS,
          bodyTimeout: PATIENCE_MS,
          connect: {
            lookup: this.#options.reachable.lookup,
            rejectUnauthorized: true,
            timeout: PATIENCE_MS / 3,
            ...(ca === undefined ? {} : { ca }),
            ...(pair?.cert === undefined ? {} : { cert: pair.cert, key: pair.key }),
            ...(tlsServerName === undefined ? {} : { servername: tlsServerName }),
          },
        }),
    });
  }
}

/** @throws {Refusal} with all its problems, without quoting any of it */
function connectionIn(kubeconfig: string): ConnectionConfig {
  const read = parseSecretKubeconfig(kubeconfig, { defaultNamespace: fixedNames.konnectorNamespace });
  if (read.ok) return read.connection;
  const problems = read.problems.map(({ message }) => message).join(' ');
  throw new Refusal(400, 'BAD_REQUEST', `This kubeconfig is not used. ${problems}`);
}

/** Rephrases failures: texts of a foreign server are never disclosed. @throws {Refusal} */
async function rephrased<T>(verb: string, what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isApiError(error)) throw error;
    if (isApiError(error, 'Forbidden'))
      throw new Refusal(
        403,
        'AUTHORIZATION_FAILED',
        `The user of this kubeconfig may not ${verb} ${what} in your cluster. Use one who may, or the command.`,
      );
    if (isApiError(error, 'Unauthorized'))
      throw new Refusal(403, 'AUTHENTICATION_FAILED', 'Your cluster does not know the user of this kubeconfig.');
    if (isApiError(error, 'NotFound'))
      throw new Refusal(
        409,
        'BAD_REQUEST',
        `Your cluster has no ${what}. Install the konnector first; the page of the bundle says how.`,
      );
    if (isApiError(error, 'Conflict'))
      throw new Refusal(
        409,
        'BAD_REQUEST',
        `Another program manages fields of ${what} in your cluster. Bind again, and apply the bundle by the command.`,
      );
    throw unreachable();
  }
}
