import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, type KubeObject, createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type Logger, noMetrics } from '@hawser/telemetry';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type SharedInformers, createSharedInformers } from './index.js';

const THINGS = { group: 'example.com', version: 'v1', resource: 'things' };
const thing = (name: string, metadata: object = {}): object => ({
  metadata: { name, namespace: 'ns', uid: `uid-${name}`, resourceVersion: '5', ...metadata },
});

/** A real server answers: turns of the event loop alone do not tell when. */
async function until(condition: () => boolean): Promise<void> {
  for (
    const deadline = performance.now() + 20_000;
    !condition();
    await new Promise((resolve) => {
      setImmediate(resolve);
    })
  ) {
    if (performance.now() > deadline) throw new Error(`never happened: ${condition.toString()}`);
  }
}

describe('an object that is not what the Kubernetes API sends', () => {
  let items: object[];
  let watches: ServerResponse[];
  let lists: number;
  let client: Client;
  let informers: SharedInformers;
  let close: () => Promise<void>;
  const log: { readonly message: string; readonly name: unknown }[] = [];
  const logLines = (): string[] => log.map(({ message, name }) => `${String(name)}: ${message.slice(0, 32)}`);

  beforeEach(async () => {
    [items, watches, lists] = [[], [], 0];
    log.length = 0;
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      if (request.url?.includes('watch=true') === true) {
        watches.push(response);
        response.flushHeaders();
      } else {
        lists++;
        response.end(
          JSON.stringify({
            apiVersion: 'example.com/v1',
            kind: 'ThingList',
            metadata: { resourceVersion: String(10 + lists) },
            items,
          }),
        );
      }
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    client = createClient({
      name: 'provider',
      connection: {
        server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        credentials: { kind: 'token', token: 't' },
      },
    });
    const logger: Logger = {
      child: () => logger,
      isEnabled: () => false,
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (message: string, fields?: Readonly<Record<string, unknown>>) => {
        log.push({ message, name: fields?.['name'] });
      },
    };
    informers = createSharedInformers({ client, clock: new FakeClock(), random: () => 0, logger, metrics: noMetrics });
    close = async () => {
      await informers.close();
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
  });
  afterEach(() => close());

  const start = async (): Promise<ReturnType<SharedInformers['acquire']>> => {
    const informer = informers.acquire<KubeObject>({ resource: THINGS });
    await until(() => informer.hasSynced);
    await until(() => watches.length > 0 && informer.state.phase === 'watching');
    return informer;
  };
  const names = (informer: { list(): readonly KubeObject[] }): string[] =>
    informer
      .list()
      .map(({ metadata }) => metadata.name)
      .sort();
  const send = (type: string, object: object): void => {
    watches
      .at(-1)
      ?.write(`${JSON.stringify({ type, object: { apiVersion: 'example.com/v1', kind: 'Thing', ...object } })}\n`);
  };

  it('in a list is told of, and its neighbours come', async () => {
    items = [thing('a'), thing('b', { labels: { app: 1 } }), { spec: {} }, thing('c')];
    expect(names(await start())).toEqual(['a', 'c']);
    expect(logLines()).toEqual(['b: an object could not be read; wha', 'undefined: an object without a usable name ']);
  });

  it('keeps its place in the cache, and one without a name that of every other', async () => {
    items = [thing('a'), thing('b'), thing('c')];
    const informer = await start();
    items = [thing('a'), thing('b', { annotations: 'x' })];
    informer.relist();
    await until(() => names(informer).length === 2);
    expect(names(informer)).toEqual(['a', 'b']);
    items = [thing('a'), { metadata: { namespace: 'ns' } }];
    informer.relist();
    await until(() => logLines().some((line) => line.startsWith('undefined')));
    await until(() => lists === 3 && informer.state.phase === 'watching');
    expect(names(informer)).toEqual(['a', 'b']);
    items = [thing('a')];
    informer.relist();
    await until(() => names(informer).length === 1);
  });

  it('in a watch is told of, and what comes after it is taken in without a list', async () => {
    items = [thing('a')];
    const informer = await start();
    send('MODIFIED', thing('a', { resourceVersion: '20', finalizers: 'x' }));
    send('ADDED', { spec: {} });
    send('ADDED', thing('d', { resourceVersion: '22' }));
    await until(() => names(informer).length === 2);
    expect([names(informer), lists, logLines().length]).toEqual([['a', 'd'], 1, 2]);
    expect(informer.get('ns/a')?.metadata.resourceVersion).toBe('5');
  });
});
