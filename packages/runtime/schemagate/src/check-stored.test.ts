import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ApiServer, DirectDispatcher, createApiServer } from '@hawser/apiserver';
import { ApiError, type Client, createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { noMetrics, silentLogger } from '@hawser/telemetry';
import { type StoredCheck, checkStored, describeFaults } from './index.js';
import { databases, databasesWith } from './testing/databases.js';

const resource = { group: 'example.com', version: 'v1', resource: 'databases' };
const permissive = databasesWith({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });

describe('stored objects', () => {
  let server: ApiServer;
  let client: Client;

  beforeEach(async () => {
    server = createApiServer();
    client = createClient({
      name: 'provider',
      connection: { server: 'https://api.invalid', credentials: { kind: 'token', token: server.adminToken } },
      clock: systemClock,
      random: Math.random,
      dispatcher: () => new DirectDispatcher({ server }),
      logger: silentLogger,
      metrics: noMetrics,
    });
    await client.create({ group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' }, {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'databases.example.com' },
      spec: permissive,
    } as never);
    for (const name of ['a', 'b', 'c'])
      await client.create(
        { group: '', version: 'v1', resource: 'namespaces' },
        { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      );
    await served();
  });
  afterEach(async () => {
    await client.close();
    server.stop();
  });

  const served = async (): Promise<void> => {
    for (;;) {
      try {
        await client.list(resource);
        return;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'NotFound') throw error;
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    }
  };
  const add = async (namespace: string, name: string, spec: object): Promise<void> => {
    await client.create(resource, {
      apiVersion: 'example.com/v1',
      kind: 'Database',
      metadata: { namespace, name },
      spec,
    } as never);
  };

  it('are all right where each could be created', async () => {
    await add('a', 'x', { size: 1 });
    await add('b', 'y', { size: 9, name: 'n' });
    const check = await checkStored(client, resource, databases({ type: 'integer', maximum: 9 }));
    expect(check).toEqual({
      checked: 2,
      invalid: { count: 0, first: [] },
      losing: { count: 0, first: [] },
      unsupported: undefined,
    });
    expect(describeFaults(check)).toBeUndefined();
  });

  it('are counted and the first named, with the reason and without the value, whatever the size of a page', async () => {
    for (let at = 0; at < 7; at += 1) await add('a', `x${at}`, { size: at, name: `secret-${at}` });
    const candidate = databasesWith({
      type: 'object',
      properties: { size: { type: 'integer', maximum: 2 }, name: { type: 'string', maxLength: 100 } },
    });
    for (const pageSize of [1, 3, 500]) {
      const check = await checkStored(client, resource, candidate, { pageSize, named: 2 });
      expect(check).toMatchObject({
        checked: 7,
        invalid: {
          count: 4,
          first: [
            { namespace: 'a', name: 'x3' },
            { namespace: 'a', name: 'x4' },
          ],
        },
      });
      expect(describeFaults(check)).toMatch(
        /^4 of 7 stored objects could not be created under it: a\/x3 \(spec\.size: .*less than or equal to 2\); a\/x4 \(.*\); and 2 more\.$/u,
      );
    }
  });

  it('that would lose fields are told apart', async () => {
    await add('a', 'x', { size: 1, old: 'secret' });
    const check = await checkStored(client, resource, databases());
    expect(check).toMatchObject({
      invalid: { count: 0 },
      losing: { count: 1, first: [{ name: 'x', message: 'would lose spec.old' }] },
    });
    expect(describeFaults(check)).not.toContain('secret');
  });

  it('get the defaults of the candidate before they are judged', async () => {
    await add('a', 'x', {});
    const schema = (size: object) => databasesWith({ type: 'object', required: ['size'], properties: { size } });
    expect((await checkStored(client, resource, schema({ type: 'integer', default: 1 }))).invalid.count).toBe(0);
    expect((await checkStored(client, resource, schema({ type: 'integer' }))).invalid.first).toEqual([
      { namespace: 'a', name: 'x', message: 'spec.size: is required' },
    ]);
  });

  it('are held against rules, as they would be at creation, and no message quotes them', async () => {
    await add('a', 'x', { size: 3, name: 'secret' });
    const rules = (...list: object[]) =>
      databasesWith({
        type: 'object',
        properties: { size: { type: 'integer' }, name: { type: 'string' } },
        'x-kubernetes-validations': list,
      });
    expect(
      (await checkStored(client, resource, rules({ rule: 'self.size > 2' }, { rule: 'self.size > oldSelf.size' })))
        .invalid.count,
    ).toBe(0);
    const check = await checkStored(
      client,
      resource,
      rules({ rule: 'self.size > 3', messageExpression: '"not with " + self.name' }),
    );
    expect(check.invalid).toEqual({
      count: 1,
      first: [{ namespace: 'a', name: 'x', message: 'spec: failed rule: self.size > 3' }],
    });
  });

  it('are looked for in the namespaces that are named, each once, and nowhere if none is', async () => {
    for (const namespace of ['a', 'b', 'c']) await add(namespace, 'x', { size: 1 });
    const check = (namespaces: readonly string[]) =>
      checkStored(client, resource, databases({ type: 'string' }), { namespaces });
    expect((await check(['c', 'a', 'c', 'missing'])).invalid).toMatchObject({
      count: 2,
      first: [{ namespace: 'a' }, { namespace: 'c' }],
    });
    expect((await check([])).checked).toBe(0);
    expect(
      (
        await checkStored(client, resource, databases({ type: 'string' }), {
          select: ({ metadata }) => metadata.namespace !== 'b',
        })
      ).checked,
    ).toBe(2);
  });

  it('of a version that is gone are judged by the one that is stored; without either nothing is concluded', async () => {
    await add('a', 'x', { size: 1 });
    const [version] = databases({ type: 'string' }).versions;
    expect(
      (
        await checkStored(client, resource, {
          ...databases(),
          versions: [{ ...version, name: 'v2', served: true, storage: true }],
        })
      ).invalid.count,
    ).toBe(1);
    await expect(checkStored(client, resource, { ...databases(), versions: [] })).rejects.toThrow(RangeError);
  });

  it('are counted once, though the list expires in its midst; one that always does is given up', async () => {
    for (let at = 0; at < 4; at += 1) await add('a', `x${at}`, { size: at });
    let failures = 1;
    let lists = 0;
    const forgetful: Pick<Client, 'list' | 'name'> = {
      name: 'provider',
      list: async (which, options) => {
        lists += 1;
        if (options?.continue !== undefined && failures > 0) {
          failures -= 1;
          throw new ApiError('Expired', 'too old', { cluster: 'provider', verb: 'list', resource: 'databases' });
        }
        return client.list(which, options);
      },
    };
    expect(await checkStored(forgetful, resource, databases({ type: 'string' }), { pageSize: 2 })).toMatchObject({
      checked: 4,
      invalid: { count: 4 },
    });
    expect(lists).toBe(4);
    failures = 100;
    await expect(checkStored(forgetful, resource, databases(), { pageSize: 2 })).rejects.toMatchObject({
      code: 'Expired',
    });
  });

  it('are not read on after an abort, nor where reading is refused', async () => {
    await add('a', 'x', { size: 1 });
    await expect(checkStored(client, resource, databases(), { signal: AbortSignal.abort() })).rejects.toThrow();
    await expect(checkStored(client, { ...resource, resource: 'others' }, databases())).rejects.toMatchObject({
      code: 'NotFound',
    });
  });

  describe('that a consumer has made large', () => {
    const long = 'a'.repeat(1_400_000);
    /** How long the event loop was held at most. */
    const longestHold = async (run: () => Promise<unknown>): Promise<number> => {
      let longest = 0;
      let last = performance.now();
      let running = true;
      const turn = (): void => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
        if (running) setImmediate(turn);
      };
      setImmediate(turn);
      await run();
      // What was held last is measured, too.
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      running = false;
      return longest;
    };
    const judge = (page: object, text: string, count = 1): Promise<StoredCheck> =>
      checkStored(
        {
          name: 'provider',
          list: () =>
            Promise.resolve({
              metadata: {},
              items: Array.from({ length: count }, (_, index) => ({
                apiVersion: 'example.com/v1',
                kind: 'Database',
                metadata: { namespace: 'a', name: `x${index}` },
                spec: { text },
              })),
            }) as never,
        },
        resource,
        databasesWith({ type: 'object', properties: { text: page as never } }),
      );

    it('are not held against patterns without end, and named', async () => {
      const check = await judge({ type: 'string', pattern: '^([a-z]+[0-9]?){1,300}$' }, long);
      expect(check).toMatchObject({
        checked: 1,
        invalid: { count: 0 },
        unsupported: 'a/x0: the texts of the object are too long to be held against the patterns of the schema',
      });
      expect(describeFaults(check)).toContain('a/x0');
    });

    it('do not hold the event loop while they are judged', async () => {
      let check: StoredCheck | undefined;
      const began = performance.now();
      const longest = await longestHold(async () => {
        check = await judge({ type: 'string', pattern: '^([a-z]+)$' }, long.slice(0, 100_000), 12);
      });
      expect(longest).toBeLessThan((performance.now() - began) / 2);
      expect(check).toMatchObject({ checked: 12, unsupported: undefined, invalid: { count: 0 } });
    });

    it('do not run rules without end, and the next one is judged', async () => {
      const list = {
        type: 'array',
        items: { type: 'integer' },
        'x-kubernetes-validations': [{ rule: 'self.all(a, self.all(b, self.all(c, a + b + c >= 0)))' }],
      };
      const items = (length: number): number[] => Array.from({ length }, () => 1);
      const objects = [items(1_000), items(3), [-1, 0]].map((values, index) => ({
        apiVersion: 'example.com/v1',
        kind: 'Database',
        metadata: { namespace: 'a', name: `x${index}` },
        spec: { values },
      }));
      const check = await checkStored(
        { name: 'provider', list: () => Promise.resolve({ metadata: {}, items: objects }) as never },
        resource,
        databasesWith({ type: 'object', properties: { values: list as never } }),
      );
      expect(check).toMatchObject({
        checked: 3,
        unsupported: expect.stringMatching(/^a\/x0: it is too large for the rules/u),
        invalid: { count: 1, first: [{ name: 'x2' }] },
      });
    });

    it('are nobody’s fault but their own where they are nested too deeply', async () => {
      const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 1);
      const objects = [deep, 1].map((value, index) => ({
        apiVersion: 'example.com/v1',
        kind: 'Database',
        metadata: { namespace: 'a', name: `x${index}` },
        spec: { value, left: 1 },
      }));
      const check = await checkStored(
        { name: 'provider', list: () => Promise.resolve({ metadata: {}, items: objects }) as never },
        resource,
        databasesWith({
          type: 'object',
          properties: { value: { 'x-kubernetes-preserve-unknown-fields': true }, left: { type: 'string' } },
        }),
      );
      expect(check.checked).toBe(2);
      expect(check.invalid.first.map(({ name }) => name)).toContain('x1');
    });
  });
});
