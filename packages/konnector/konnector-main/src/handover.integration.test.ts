import type { ProviderConnection, SecretKeyRef } from '@hawser/konnector-connection';
import { resources } from '@hawser/kube-bind';
import { type ControlPlane, describeWithControlPlane, eventually, startControlPlane } from '@hawser/testenv';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type KonnectorPair, openKonnectorPair } from '../../konnector-connection/src/testing/konnector-pair.js';
import { type ControllerSet, type KonnectorMain, createKonnectorMain } from './index.js';

// konnector-main reports on every binding of its cluster, so it gets one of its own.
describeWithControlPlane('processes that share the bindings', () => {
  let plane: ControlPlane;
  let pair: KonnectorPair;
  const mains: KonnectorMain[] = [];
  /** Who works for which binding now. */
  const working = new Map<string, string>();
  const doubles: string[] = [];
  /** What is in flight ends when this resolves. */
  let drained: Promise<void>;

  beforeAll(async () => {
    plane = await startControlPlane({ name: 'handover' });
  });
  afterAll(async () => {
    await plane.stop();
  });
  beforeEach(async () => {
    pair = await openKonnectorPair({ consumer: plane });
    drained = Promise.resolve();
  });
  afterEach(async () => {
    await Promise.all(mains.splice(0).map((main) => main.stop()));
    await pair.close();
  });

  function setOf(process: string): (connection: ProviderConnection) => ControllerSet {
    return (connection) => {
      let mine: readonly string[] = [];
      return {
        state: [],
        prepare: () => Promise.resolve(),
        run() {
          mine = connection.bindings.names();
          for (const binding of mine) {
            if (working.has(binding)) doubles.push(binding);
            working.set(binding, process);
          }
          return Promise.resolve();
        },
        async stop() {
          await drained;
          for (const binding of mine) if (working.get(binding) === process) working.delete(binding);
        },
      };
    };
  }

  async function start(process: string, serves: (secret: SecretKeyRef | undefined) => boolean): Promise<KonnectorMain> {
    const main = createKonnectorMain({ startSet: setOf(process), serves });
    mains.push(main);
    await main.start(pair.context());
    return main;
  }

  const setSecret = (name: string, comment: string): Promise<unknown> =>
    pair.consumer.create(resources.secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: pair.secretNamespace, name },
      data: { kubeconfig: Buffer.from(`${pair.access.kubeconfig}\n# ${comment}`).toString('base64') },
    } as never);

  it('each serves its own, and what moves is settled only when nothing of it is in flight', async () => {
    await setSecret('one', 'one');
    await setSecret('two', 'two');
    await pair.createBinding('of-one', { namespace: pair.secretNamespace, name: 'one', key: 'kubeconfig' });
    await pair.createBinding('of-two', { namespace: pair.secretNamespace, name: 'two', key: 'kubeconfig' });
    let movedTo = 'a';
    const a = await start('a', (secret) => secret?.name === 'one' || movedTo === 'a');
    const b = await start('b', (secret) => secret?.name === 'two' && movedTo === 'b');
    await eventually(() => {
      expect([...working].sort()).toEqual([
        ['of-one', 'a'],
        ['of-two', 'a'],
      ]);
    });
    await pair.becomes('of-two', 'InformersSynced', { status: 'True' });

    const draining = Promise.withResolvers<undefined>();
    drained = draining.promise;
    movedTo = '';
    let isSettled = false;
    const settling = a.settle().then(() => {
      isSettled = true;
    });
    await eventually(() => {
      expect(a.connections.map(({ phase }) => phase).sort()).toEqual(['running', 'stopping']);
    });
    expect(isSettled).toBe(false);
    expect(working.get('of-two')).toBe('a');
    draining.resolve(undefined);
    await settling;
    expect([...working]).toEqual([['of-one', 'a']]);

    movedTo = 'b';
    await b.settle();
    await eventually(() => {
      expect(working.get('of-two')).toBe('b');
    });
    expect([a.connections, b.connections].map((all) => all.flatMap(({ bindings }) => bindings))).toEqual([
      ['of-one'],
      ['of-two'],
    ]);
    expect(doubles).toEqual([]);
  });
});
