import {
  type ApiRequest,
  type ObjectChange,
  type Objects,
  type PersonalServer,
  Store,
  type StoreSnapshot,
  type UserInfo,
  administrator,
  createPersonalServer,
} from '@hawser/apiserver';
import type { Random } from '@hawser/clock';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { Dispatcher } from 'undici';
import { Webhooks } from './admission.js';
import { BOOKMARK_MS, answerNoPolicies, readsAdmissionPolicies } from './admission-policies.js';
import { DirectDispatcher } from './direct-dispatcher.js';
import { continuesList } from './pages.js';
import { refusal } from './refusal.js';
import type { VirtualTime } from './virtual-time.js';

export interface SimClusterOptions {
  readonly name: string;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Called with errors that the server itself did not expect. */
  readonly report: (error: unknown) => void;
  /** Whether webhooks look at such objects. Default: those of bound APIs. */
  readonly isAdmitted?: (resource: Resource) => boolean;
  /** Which of our annotations webhooks remove. Default: all. */
  readonly isStripped?: (resource: Resource, annotation: string) => boolean;
}

/** Receives an answer as it comes. */
export interface AnswerSink {
  head(status: number, headers: Readonly<Record<string, string>>): void;
  data(text: string): void;
  end(): void;
}

interface Resource {
  readonly group: string;
  readonly resource: string;
}

const DEFINITIONS = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
const TOKEN = 'operator';
const BEARER = /^Bearer /u;
/** etcd's addition to the revision of a backup: clients then do not take later versions for ones they have seen. */
const REVISION_BUMP = 1_000_000;

/** One cluster: its storage, and an API server over it while it is up. */
export class SimCluster {
  readonly name: string;
  /** Connection of its administrators and their programs. */
  readonly administrator: ConnectionConfig;
  readonly webhooks: Webhooks;
  readonly #options: SimClusterOptions;
  readonly #store = new Store();
  readonly #listeners: ((change: ObjectChange) => void)[] = [];
  readonly #breakers = new Set<() => void>();
  readonly #signingKey: Uint8Array;
  #server: PersonalServer<Store>;
  #changes: Disposable | undefined;
  #up = true;
  #losses = 0;
  #compactsBetweenPages = false;
  readonly #revoked = new Set<string>();
  #destroyed = false;

  constructor(options: SimClusterOptions) {
    this.name = options.name;
    this.webhooks = new Webhooks(options.isAdmitted, options.isStripped);
    this.#options = options;
    this.administrator = { server: `https://${options.name}.test`, credentials: { kind: 'token', token: TOKEN } };
    this.#signingKey = Uint8Array.from({ length: 32 }, () => Math.floor(options.random() * 256));
    this.#server = this.#start();
  }

  get up(): boolean {
    return this.#up;
  }

  /** Grows with every possible loss: deletions, and every return of the server. */
  get losses(): number {
    return this.#losses;
  }

  /** Time in its answers: its clock is right, whatever the clocks of processes show. */
  date(): string {
    return new Date(this.#options.time.now()).toUTCString();
  }

  get objects(): Objects {
    return this.#server.objects;
  }

  /** Whether the API exists now. */
  serves(resource: Resource): boolean {
    return this.objects.serves(resource);
  }

  /** Whether the API is going, and its objects with it. */
  withdraws({ group, resource }: Resource): boolean {
    const definition = this.objects.get(DEFINITIONS, { namespace: '', name: `${resource}.${group}` });
    return (
      definition === undefined ||
      (definition['metadata'] as { readonly deletionTimestamp?: string }).deletionTimestamp !== undefined
    );
  }

  /** Whether RBAC allows a user this, in the whole cluster if the namespace is empty. */
  allows(user: UserInfo, verb: string, { group, resource }: Resource, namespace: string): boolean {
    return this.#server.authorize({
      user,
      verb,
      isResourceRequest: true,
      path: '',
      namespace,
      apiGroup: group,
      apiVersion: 'v1',
      resource,
      subresource: '',
      name: '',
    }).allowed;
  }

  onChange(listener: (change: ObjectChange) => void): void {
    this.#listeners.push(listener);
  }

  /** Without a network. */
  readonly direct = (): Dispatcher => new DirectDispatcher(() => this.#server);

  /** Answers an arrived request; calls `onBreak` if the server goes down first. Returns how to cancel the request. */
  serve(request: ApiRequest, onBreak: () => void, sink: AnswerSink): () => void {
    let letGo: (() => void) | undefined;
    const breaker = (): void => {
      this.#breakers.delete(breaker);
      letGo?.();
      onBreak();
    };
    this.#breakers.add(breaker);
    if (this.#compactsBetweenPages && continuesList(request)) {
      this.#compactsBetweenPages = false;
      this.#store.skipRevision();
      this.#store.compact();
    }
    if (readsAdmissionPolicies(request)) {
      letGo = answerNoPolicies(request, this.#options.time, {
        ...sink,
        end: () => {
          this.#breakers.delete(breaker);
          sink.end();
        },
      });
      return () => {
        this.#breakers.delete(breaker);
        letGo?.();
      };
    }
    if (this.#isRevoked(request)) {
      const { headers, body } = refusal(401);
      this.#breakers.delete(breaker);
      sink.head(401, headers);
      sink.data(body);
      sink.end();
      return () => undefined;
    }
    const exchange = this.#server.handle(withFirstToken(request), {
      head: (status, headers) => {
        sink.head(status, headers as Readonly<Record<string, string>>);
      },
      data: (chunk) => {
        sink.data(chunk);
      },
      end: () => {
        this.#breakers.delete(breaker);
        sink.end();
      },
      fail: breaker,
    });
    return () => {
      this.#breakers.delete(breaker);
      exchange.abort();
    };
  }

  /** Refuses requests with that token from now on: the administrator's, or another one that begins with it. */
  revoke(token: string): void {
    this.#revoked.add(token);
  }

  backup(): StoreSnapshot {
    return this.#store.snapshot();
  }

  /** Compacts now, and once more before the next page of an unfinished list: its first pages are then half a list. */
  compact(): void {
    this.#store.compact();
    this.#compactsBetweenPages = true;
  }

  /** Down for `downMs`, with all connections lost; then up again, from the backup if given. */
  restart(downMs: number, backup?: StoreSnapshot): void {
    if (this.#destroyed) return;
    this.#stop();
    if (backup !== undefined) this.#store.restore({ ...backup, revision: this.#store.revision + REVISION_BUMP });
    // Without a server, only the storage answers.
    this.#server = this.#start();
    this.#up = false;
    this.#options.time.setTimeout(() => {
      this.#up = !this.#destroyed;
    }, downMs);
  }

  /** Gone for good. */
  destroy(): void {
    this.#destroyed = true;
    this.#stop();
  }

  #isRevoked({ headers: { authorization = '' } }: ApiRequest): boolean {
    return this.#revoked.has(String(authorization).replace(BEARER, ''));
  }

  #stop(): void {
    this.#up = false;
    for (const breaker of [...this.#breakers]) breaker();
    this.#changes?.[Symbol.dispose]();
    this.#server.stop();
  }

  #start(): PersonalServer<Store> {
    const { time, random, report } = this.#options;
    const server = createPersonalServer(
      this.#store,
      {
        clock: time,
        random,
        tokens: { [TOKEN]: administrator },
        signingKey: this.#signingKey,
        bookmarkIntervalMs: BOOKMARK_MS,
        report,
      },
      { admission: this.webhooks },
    );
    this.#losses++;
    this.#changes = server.objects.onChange((change) => {
      if (change.type === 'DELETED') this.#losses++;
      for (const listener of this.#listeners) listener(change);
    });
    return server;
  }
}

/** Of tokens handed out one after the other, the server knows the first. */
function withFirstToken(request: ApiRequest): ApiRequest {
  const { authorization = '' } = request.headers;
  return String(authorization).startsWith(`Bearer ${TOKEN}-`)
    ? { ...request, headers: { ...request.headers, authorization: `Bearer ${TOKEN}` } }
    : request;
}
