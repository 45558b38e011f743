import type { ProviderConnection } from '@hawser/konnector-connection';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import type { ControllerSet } from '../controller-set.js';
import type { ValidSecret } from '../secret-reading.js';

export interface FakeSet extends ControllerSet {
  readonly calls: string[];
  readonly prepared: PromiseWithResolvers<undefined>;
  readonly stopped: PromiseWithResolvers<undefined>;
  readonly failure: PromiseWithResolvers<unknown>;
}

export interface SetOptions {
  readonly drains?: boolean;
  readonly identity?: () => string;
  readonly rotate?: (token: string) => Promise<void>;
}

/** A controller set under control of the test. */
export function fakeSet(connection: ProviderConnection, options: SetOptions = {}): FakeSet {
  const calls: string[] = [];
  const prepared = Promise.withResolvers<undefined>();
  const stopped = Promise.withResolvers<undefined>();
  const failure = Promise.withResolvers<unknown>();
  return {
    calls,
    prepared,
    stopped,
    failure,
    state: [],
    failed: failure.promise,
    prepare: async (signal) => {
      calls.push('prepare');
      signal.addEventListener('abort', () => {
        prepared.reject(new Error('aborted'));
      });
      await prepared.promise;
    },
    run: () => {
      calls.push(`run ${connection.bindings.names().join()}`);
      return Promise.resolve();
    },
    stop: async () => {
      calls.push('stop');
      await stopped.promise;
      calls.push('stopped');
    },
    ...(options.identity === undefined ? {} : { identity: () => Promise.resolve(options.identity?.()) }),
    ...(options.rotate === undefined
      ? {}
      : {
          rotate: async ({ credentials }: ConnectionConfig) => {
            await options.rotate?.(credentials.kind === 'token' ? credentials.token : '');
          },
        }),
    ...(options.drains === true
      ? {
          released: (binding: string) => {
            calls.push(`released ${binding}`);
            return Promise.resolve();
          },
        }
      : {}),
  };
}

/** A kubeconfig whose hash is its token. */
export function secretOf(token: string, fingerprint = 'here'): ValidSecret {
  return {
    kind: 'valid',
    hash: token,
    fingerprint,
    clusterNamespace: 'x',
    config: { server: 'https://example.com', credentials: { kind: 'token', token } },
  };
}
