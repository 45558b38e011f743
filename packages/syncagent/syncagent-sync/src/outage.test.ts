import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { DirectDispatcher, administrator } from '@hawser/apiserver';
import { createClient } from '@hawser/client';
import { FakeClock } from '@hawser/clock';
import { type Logger, silentLogger } from '@hawser/telemetry';
import { eventually } from '@hawser/testenv';

import { type Installation, type Surroundings, openInstallation } from './testing/installation.js';

const PATIENT = { timeoutMs: 60_000 };

/** Clients are on the machine's clock, what backs off is not: while that stands still, only the end of the outage brings anything back. */
describe('after an outage', () => {
  let installation: Installation;
  let clock: FakeClock;
  let closers: (() => Promise<void>)[];
  /** By object, how often it has failed in a row. */
  let failures: Map<string, number>;

  beforeEach(async () => {
    installation = await openInstallation({ embedded: true });
    clock = new FakeClock();
    closers = [];
    failures = new Map();
  });
  afterEach(async () => {
    await Promise.all(closers.map((close) => close()));
    await installation.close();
  });

  const names = Array.from({ length: 10 }, (_, number) => `object-${number}`);
  const logger: Logger = {
    ...silentLogger,
    child: () => logger,
    warn: (_, fields) => {
      failures.set(String(fields?.['key']), Number(fields?.['failures']));
    },
  };
  const start = async (surroundings: Surroundings = {}): Promise<void> => {
    const sync = await installation.startSync({}, { clock, logger, ...surroundings });
    const { client } = installation.workspaces.a;
    for (const name of names)
      await client.create(installation.kinds.kcp.resource, installation.object(name, { size: 'small' }));
    await eventually(async () => {
      await clock.advance(50);
      expect(
        names.map((name) => sync.why(`${installation.workspaces.a.cluster}|default/${name}`).verdict.kind),
      ).toEqual(names.map(() => 'inStep'));
    }, PATIENT);
    failures.clear();
  };
  /** Until the next try of each object is a minute away or more. */
  const backedOff = (): Promise<void> =>
    eventually(async () => {
      await clock.advance(2_000);
      expect([...failures.values()].filter((times) => times >= 10)).toHaveLength(names.length);
    }, PATIENT);
  const isDone = (valueOf: (name: string) => Promise<unknown>, value: string): Promise<void> => {
    const recoveredAt = clock.now();
    return eventually(async () => {
      if (clock.now() - recoveredAt < 5_000) await clock.advance(200);
      expect(await Promise.all(names.map(valueOf))).toEqual(names.map(() => value));
    }, PATIENT);
  };

  it('of the service cluster, what waited for it goes first', async () => {
    let isDown = false;
    const server = installation.server();
    const service = createClient({
      name: 'service',
      connection: { server: 'https://service.invalid', credentials: { kind: 'none' } },
      dispatcher: () => new DirectDispatcher({ server: () => (isDown ? undefined : server), user: administrator }),
    });
    closers.push(() => service.close());
    await start({ service });
    isDown = true;
    const { a } = installation.workspaces;
    for (const name of names)
      await a.client.patch(
        installation.kinds.kcp.resource,
        { namespace: 'default', name },
        { type: 'merge', patch: { spec: { size: 'large' } } },
      );
    await backedOff();
    isDown = false;
    await isDone(
      async (name) => ((await installation.copyOf(a, name))?.['spec'] as { readonly size?: string } | undefined)?.size,
      'large',
    );
  }, 180_000);

  it('of kcp, what waited for it goes first', async () => {
    await start();
    const { kcp } = installation.kcp;
    const { a } = installation.workspaces;
    kcp.setFaults(({ path }) =>
      path.startsWith('/clusters/') ? undefined : { instead: { status: 503, headers: {}, body: 'not now' } },
    );
    for (const name of names)
      await installation.service.patch(
        installation.kinds.service.resource,
        { namespace: `copies-${a.cluster}`, name: `default-${name}` },
        { type: 'merge', patch: { status: { phase: 'Ready' } } },
        { subresource: 'status' },
      );
    await backedOff();
    kcp.setFaults(undefined);
    await isDone(
      async (name) =>
        ((await a.get({ namespace: 'default', name }))?.['status'] as { readonly phase?: string } | undefined)?.phase,
      'Ready',
    );
  }, 180_000);
});
