import type { BackoffOptions, Clock, Random } from '@hawser/clock';
import type { SecretKeyRef } from '@hawser/konnector-connection';
import type { Logger } from '@hawser/telemetry';
import { ConnectionRunner } from './connection-runner.js';
import type { ControllerState, StartSet } from './controller-set.js';
import { type Action, decide } from './decide.js';
import { type ConnectionPhase, type Member, type Target } from './observed.js';
import type { ValidSecret } from './secret-reading.js';

/** State of a connection for health pages and `why`. */
export interface ConnectionState {
  /** The first twelve digits of the hash: enough to tell connections apart. */
  readonly id: string;
  readonly clusterNamespace: string;
  /** The served bindings, sorted. */
  readonly bindings: readonly string[];
  readonly phase: ConnectionPhase;
  /** Start of the phase, in milliseconds since the epoch. */
  readonly sinceMs: number;
  /** Number of failures in a row. */
  readonly failures: number;
  /** Why it does not work; absent while it does. */
  readonly lastError?: string | undefined;
  readonly controllers: readonly ControllerState[];
}

export interface ConnectionsOptions {
  readonly startSet: StartSet;
  readonly prepareTimeoutMs: number;
  readonly backoff: BackoffOptions;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The Secrets that may hold a member's kubeconfig. */
  readonly secretsOf: (member: Member) => readonly SecretKeyRef[];
  /** Called when {@link Connections.settle} may decide something new, or the state of a connection changes. */
  readonly onChange: () => void;
}

/** The connections of this process, one per kubeconfig. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #runners = new Map<string, ConnectionRunner>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** Matches the connections to the targets, as far as currently possible; `onChange` announces further work. */
  settle(targets: ReadonlyMap<Member, Target>, secrets: ReadonlyMap<string, ValidSecret>): void {
    this.#rotate(targets, secrets);
    const keys = new Map([...secrets.keys()].map((hash) => [hash, this.#keyOf(hash)]));
    const known = (target: Target): Target =>
      target.kind === 'connect' ? { ...target, hash: keys.get(target.hash) ?? target.hash } : target;
    const actions = decide({
      targets: new Map([...targets].map(([member, target]) => [member, known(target)])),
      connections: [...this.#runners.values()].map((runner) => runner.observed),
    });
    const stopping = new Set(actions.filter((action) => action.kind === 'stop').map((action) => action.hash));
    const byKey = new Map([...secrets].map(([hash, secret]) => [keys.get(hash) ?? hash, secret]));
    for (const action of actions) this.#act(action, stopping, byKey);
  }

  /** The connection for this kubeconfig. */
  get(hash: string): ConnectionRunner | undefined {
    return [...this.#runners.values()].find((runner) => runner.accepts(hash));
  }

  /** The connection that serves the member. */
  of(member: Member): ConnectionRunner | undefined {
    return [...this.#runners.values()].find((runner) => runner.members.includes(member));
  }

  /** Whether everything in flight is for members served here: no connection stops, and none has or drains others. */
  isOnly(served: (member: Member) => boolean): boolean {
    return [...this.#runners.values()].every(
      ({ phase, observed: { members, draining } }) => phase !== 'stopping' && [...members, ...draining].every(served),
    );
  }

  get state(): readonly ConnectionState[] {
    return [...this.#runners.values()].map((runner) => ({
      id: runner.connection.hash.slice(0, 12),
      clusterNamespace: runner.connection.clusterNamespace,
      bindings: runner.connection.bindings.names().toSorted(),
      phase: runner.phase,
      sinceMs: runner.sinceMs,
      failures: runner.failures,
      lastError: runner.failure?.message,
      controllers: runner.controllers,
    }));
  }

  /**
   * Lets a new kubeconfig replace a current one if only the token differs. A replaced kubeconfig returns once its
   * replacement is no longer wanted.
   */
  #rotate(targets: ReadonlyMap<Member, Target>, secrets: ReadonlyMap<string, ValidSecret>): void {
    const wanted = new Set([...targets.values()].flatMap((target) => (target.kind === 'connect' ? [target.hash] : [])));
    for (const hash of wanted) {
      const secret = secrets.get(hash);
      const serving = this.get(hash);
      if (secret === undefined || (serving !== undefined && wanted.has(serving.connection.hash))) continue;
      (serving ?? [...this.#runners.values()].find((runner) => runner.mayRotateTo(secret)))?.rotate(secret);
    }
  }

  /**
   * Key of the connection that serves a kubeconfig, or would. A connection with a newer kubeconfig that cannot return
   * may have the obvious key.
   */
  #keyOf(hash: string): string {
    const serving = this.get(hash);
    if (serving !== undefined) return serving.key;
    let key = hash;
    while (this.#runners.has(key)) key += '+';
    return key;
  }

  /** Drains and stops all. */
  async stop(): Promise<void> {
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop()));
    this.#runners.clear();
  }

  #act(action: Action, stopping: ReadonlySet<string>, secrets: ReadonlyMap<string, ValidSecret>): void {
    const runner = this.#runners.get(action.hash);
    switch (action.kind) {
      case 'prepare': {
        const secret = secrets.get(action.hash);
        if (secret !== undefined) this.#runners.set(action.hash, this.#make(action.hash, secret));
        break;
      }
      case 'join':
        runner?.join(action.member);
        break;
      case 'leave':
        runner?.leave(action.member, { gone: action.gone, stopping: stopping.has(action.hash) });
        break;
      case 'run':
        runner?.run();
        break;
      case 'stop':
        void runner?.stop().then(() => {
          this.#runners.delete(action.hash);
          this.#options.onChange();
        });
        break;
    }
    this.#options.logger.debug('Connection action', {
      action: action.kind,
      connection: action.hash.slice(0, 12),
      ...('member' in action ? { member: action.member } : {}),
    });
  }

  #make(key: string, secret: ValidSecret): ConnectionRunner {
    const { hash, clusterNamespace } = secret;
    const { secretsOf, ...options } = this.#options;
    return new ConnectionRunner({
      ...options,
      key,
      secret,
      logger: options.logger.child({ connection: hash.slice(0, 12), clusterNamespace }),
      connection: (used, bindings, bundles, members) => ({
        get hash() {
          return used().hash;
        },
        get config() {
          return used().config;
        },
        clusterNamespace,
        bindings,
        bundles,
        secrets: () => distinct(members().flatMap(secretsOf)),
      }),
    });
  }
}

function distinct(refs: readonly SecretKeyRef[]): readonly SecretKeyRef[] {
  return [...new Map(refs.map((ref) => [`${ref.namespace}/${ref.name}/${ref.key}`, ref])).values()];
}
