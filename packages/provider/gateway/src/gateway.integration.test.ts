import { Agent, request as httpsRequest } from 'node:https';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type Client, type KubeObject, type UnstructuredObject, createClient, isApiError } from '@hawser/client';
import { type APIServiceNamespace, resources } from '@hawser/kube-bind';
import { FakeClock } from '@hawser/clock';
import { createFaultProxy } from '@hawser/faultproxy';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { describeWithControlPlane, eventually, kubeconfigText, rawRequest } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type GatewayWorld, type Kind, type TestConsumer, group, openGatewayWorld } from './testing/gateway-world.js';

const names = ({ items }: { readonly items: readonly KubeObject[] }): readonly string[] =>
  items.map(({ metadata }) => metadata.name);

describeWithControlPlane('createGateway', () => {
  let world: GatewayWorld;
  let one: TestConsumer;
  let other: TestConsumer;

  beforeAll(async () => {
    world = await openGatewayWorld();
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    [one, other] = await Promise.all([world.onboard(), world.onboard()]);
  });

  const nameOf = (kind: Kind, consumer: TestConsumer, name: string): string =>
    kind === 'zones' ? `${consumer.name}-${name}` : `${name}-${consumer.name}`;
  const namespaceOf = (kind: Kind, consumer: TestConsumer): string | undefined =>
    kind === 'plots' ? consumer.name : undefined;
  const make = (
    kind: Kind,
    consumer: TestConsumer,
    name: string,
    through: Client = consumer.through,
  ): Promise<UnstructuredObject> =>
    through.create(
      world.resource(kind),
      world.object(kind, nameOf(kind, consumer, name), consumer.name, {}, namespaceOf(kind, consumer)),
    );

  it.each(['zones', 'realms', 'plots'] as const)(
    'shows each consumer its own %s, which it cannot list on the API server, and the API server has the last word on writes',
    async (kind) => {
      const resource = world.resource(kind);
      await make(kind, one, 'a');
      await make(kind, other, 'b');
      expect(names(await one.through.list(resource))).toEqual([nameOf(kind, one, 'a')]);
      expect(names(await other.through.list(resource))).toEqual([nameOf(kind, other, 'b')]);
      await expect(one.straight.list(resource)).rejects.toMatchObject({ code: 'Forbidden' });

      const mine = { name: nameOf(kind, one, 'a'), namespace: namespaceOf(kind, one) };
      const foreign = { name: nameOf(kind, other, 'b'), namespace: namespaceOf(kind, other) };
      expect((await one.through.get(resource, mine)).metadata.name).toBe(mine.name);
      await expect(one.through.get(resource, foreign)).rejects.toMatchObject({ code: 'NotFound' });
      const patch = { type: 'merge', patch: { spec: { size: 2 } } } as const;
      expect(await one.through.patch(resource, mine, patch)).toMatchObject({ spec: { size: 2 } });
      await expect(one.through.patch(resource, foreign, patch)).rejects.toMatchObject({ code: 'NotFound' });
      await expect(one.through.delete(resource, foreign)).rejects.toMatchObject({ code: 'NotFound' });
      await one.through.delete(resource, mine);
      expect(names(await one.through.list(resource))).toEqual([]);
      expect(names(await world.cluster.client.list(resource))).toContain(foreign.name);
    },
  );

  it.each(['zones', 'realms', 'plots'] as const)(
    'answers for %s of another as for those that do not exist, whatever is asked',
    async (kind) => {
      await make(kind, other, 'b');
      const namespace = namespaceOf(kind, other);
      const path = `/apis/${group}/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind}`;
      const there = nameOf(kind, other, 'b');
      const nowhere = kind === 'zones' ? `${other.name}-nothing` : `nothing-${other.name}`;
      const ask = async (method: string, name: string, query = '', body?: object, contentType?: string) => {
        const { status, text } = await rawRequest(one.connection, {
          method,
          path: `${path}${name === '' ? '' : `/${name}`}${query}`,
          ...(body === undefined ? {} : { body: JSON.stringify(body).replaceAll('NAME', name), contentType }),
        });
        return { status, text: text.replaceAll(name, 'NAME') };
      };
      for (const [method, query, body, contentType] of [
        ['GET', ''],
        ['GET', '?resourceVersion=0'],
        ['DELETE', ''],
        ['DELETE', '?dryRun=All'],
        ['PATCH', '', { spec: { size: 3 } }, 'application/merge-patch+json'],
        ['PATCH', '', [{ op: 'test', path: '/spec/size', value: 1 }], 'application/json-patch+json'],
        ['PUT', '', { apiVersion: `${group}/v1`, kind: 'X', metadata: { name: 'NAME' } }, 'application/json'],
      ] as const)
        expect({ method, query, ...(await ask(method, there, query, body, contentType)) }).toEqual({
          method,
          query,
          ...(await ask(method, nowhere, query, body, contentType)),
        });
      const selected = async (name: string) => {
        const { status, text } = await rawRequest(one.connection, {
          method: 'GET',
          path: `${path}?fieldSelector=metadata.name=${name}`,
        });
        return { status, items: (JSON.parse(text) as { readonly items: unknown }).items };
      };
      expect(await selected(there)).toEqual(await selected(nowhere));
      // What applies makes an object where there is none: that the name is taken is all that it may be told, and only where names are shared.
      const applied = await ask(
        'PATCH',
        there,
        '?fieldManager=x&force=true',
        {
          apiVersion: `${group}/v1`,
          kind: kind === 'zones' ? 'Zone' : kind === 'realms' ? 'Realm' : 'Plot',
          metadata: { name: 'NAME' },
        },
        'application/apply-patch+yaml',
      );
      expect({ status: applied.status, disclosed: /of the consumer|size/u.test(applied.text) }).toEqual({
        status: { zones: 403, realms: 409, plots: 404 }[kind],
        disclosed: false,
      });
    },
  );

  it.each([
    ['merge-patch+json', { metadata: { labels: { x: 1 } } }, 404],
    ['json-patch+json', [{ op: 'copy', from: '/spec', path: '/metadata/labels' }], 404],
    ['apply-patch+yaml', { apiVersion: `${group}/v1`, kind: 'Realm', spec: { size: 'large' } }, 409],
  ])(
    'says nothing of an object of another that has taken the name while a write was under way: %s',
    async (type, body, status) => {
      const clock = new FakeClock();
      await using proxy = await createFaultProxy({ upstream: world.cluster.plane.connection, clock });
      const { credentials } = await world.cluster.plane
        .userAccess('hawser-gateway')
        .then(({ connection }) => connection);
      const { gateway, running } = await world.another({ connection: () => ({ ...proxy.connection, credentials }) });
      try {
        const resource = world.resource('realms');
        const name = `taken-${one.name}`;
        await one.through.create(resource, world.object('realms', name, one.name));
        proxy.inject({ match: { method: 'PATCH' }, fault: { kind: 'latency', ms: 60_000 } });
        const answered = rawRequest(world.connectionTo(gateway, one.token), {
          method: 'PATCH',
          path: `/apis/${group}/v1/realms/${name}${type.startsWith('apply') ? '?fieldManager=x&force=true' : ''}`,
          body: JSON.stringify(body),
          contentType: `application/${type}`,
        });
        await eventually(() => {
          expect(proxy.requests.some(({ method }) => method === 'PATCH')).toBe(true);
        });
        await one.through.delete(resource, { name });
        await other.through.create(resource, world.object('realms', name, other.name, { word: 'canary' }));
        await clock.advance(60_000);
        const { status: answer, text } = await answered;
        expect({ answer, canary: /canary|of the consumer/u.test(text) }).toEqual({ answer: status, canary: false });
      } finally {
        await running.stop();
      }
    },
  );

  it('cannot keep contents from who reaches the API server itself: a patch that does not fit is answered with the object', async () => {
    const name = `straight-${other.name}`;
    await other.through.create(world.resource('realms'), world.object('realms', name, other.name, { word: 'canary' }));
    const straight = { ...world.cluster.plane.connection, credentials: { kind: 'token', token: one.token } } as const;
    const ask = (connection: ConnectionConfig) =>
      rawRequest(connection, {
        method: 'PATCH',
        path: `/apis/${group}/v1/realms/${name}`,
        body: JSON.stringify({ metadata: { labels: { x: 1 } } }),
        contentType: 'application/merge-patch+json',
      });
    expect(await ask(straight)).toMatchObject({ status: 422, text: expect.stringContaining('canary') });
    expect(await ask(one.connection)).toMatchObject({ status: 404, text: expect.not.stringContaining('canary') });
  });

  it('watches for all consumers with one watch, and tells each of its own', async () => {
    const resource = world.resource('zones');
    const { metadata } = await one.through.list(resource);
    const ending = new AbortController();
    const seen: string[] = [];
    const watching = (async () => {
      const stream = await one.through.watch(resource, {
        resourceVersion: metadata.resourceVersion,
        signal: ending.signal,
      });
      for await (const event of stream)
        if (event.type !== 'BOOKMARK') seen.push(`${event.type} ${event.object.metadata.name}`);
    })().catch((error: unknown) => {
      if (!isApiError(error, 'Aborted')) throw error;
    });
    await make('zones', other, 'b');
    await make('zones', one, 'a');
    const mine = { name: nameOf('zones', one, 'a') };
    await one.through.patch(resource, mine, { type: 'merge', patch: { spec: { size: 2 } } });
    await other.through.delete(resource, { name: nameOf('zones', other, 'b') });
    await one.through.delete(resource, mine);
    await eventually(() => {
      expect(seen).toEqual([`ADDED ${mine.name}`, `MODIFIED ${mine.name}`, `DELETED ${mine.name}`]);
    });
    ending.abort();
    await watching;
  });

  it('lists in pages, by selectors, as metadata, from memory and at versions, and streams the state that a watch begins with', async () => {
    const resource = world.resource('zones');
    const wanted = ['a', 'b', 'c', 'd', 'e'].map((name) => nameOf('zones', one, name));
    for (const name of ['c', 'a', 'e', 'b', 'd']) {
      await make('zones', one, name);
      await make('zones', other, name);
    }
    const paged: string[] = [];
    let next: string | undefined;
    const left: (number | undefined)[] = [];
    do {
      const page = await one.through.list(resource, { limit: 2, ...(next === undefined ? {} : { continue: next }) });
      paged.push(...names(page));
      left.push(page.metadata.remainingItemCount);
      next = page.metadata.continue === '' ? undefined : page.metadata.continue;
    } while (next !== undefined);
    expect({ paged, left }).toEqual({ paged: wanted, left: [3, 1, undefined] });

    const { metadata } = await one.through.list(resource);
    const version = metadata.resourceVersion;
    expect(
      names(await one.through.list(resource, { resourceVersion: version, resourceVersionMatch: 'Exact' })),
    ).toEqual(wanted);
    expect(
      names(await one.through.list(resource, { resourceVersion: version, resourceVersionMatch: 'NotOlderThan' })),
    ).toEqual(wanted);
    await eventually(async () => {
      expect(names(await one.through.list(resource, { resourceVersion: '0' }))).toEqual(wanted);
    });
    await expect(one.through.list(resource, { continue: 'AAAA' })).rejects.toMatchObject({ code: 'BadRequest' });
    // A list of which the API server has forgotten the first page.
    await world.cluster.plane.compact();
    const old = Buffer.from(JSON.stringify({ v: 'hawser.dev/v1', rv: '1', start: `/${wanted[1] ?? ''}` }));
    const path = `/apis/${group}/v1/zones?limit=1&continue=`;
    const gone = await rawRequest(one.connection, { method: 'GET', path: `${path}${old.toString('base64url')}` });
    expect(gone.status).toBe(410);
    const answer = JSON.parse(gone.text) as { readonly metadata: { readonly continue?: string } };
    expect(names(await one.through.list(resource, { limit: 1, continue: answer.metadata.continue ?? '' }))).toEqual([
      wanted[2],
    ]);
    expect(names(await one.through.list(resource, { fieldSelector: `metadata.name=${wanted[1] ?? ''}` }))).toEqual([
      wanted[1],
    ]);
    expect(names(await one.through.list(resource, { labelSelector: 'none' }))).toEqual([]);
    const [bare] = (await one.through.list(resource, { representation: 'metadata' })).items;
    expect(bare).toMatchObject({ metadata: { name: wanted[0] } });
    expect(bare).not.toHaveProperty('spec');

    const ending = new AbortController();
    const stream = await one.through.watch(resource, {
      sendInitialEvents: true,
      allowBookmarks: true,
      resourceVersionMatch: 'NotOlderThan',
      signal: ending.signal,
    });
    const seen: string[] = [];
    for await (const event of stream) {
      if (event.type === 'BOOKMARK') {
        expect(event.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
        break;
      }
      seen.push(`${event.type} ${event.object.metadata.name}`);
    }
    ending.abort();
    expect(seen).toEqual(wanted.map((name) => `ADDED ${name}`));
  });

  it('shows an object that is nested too deeply for a stack, and its neighbours', async () => {
    const levels = 9_000;
    const name = nameOf('zones', one, 'deep');
    const body = JSON.stringify(world.object('zones', name, one.name, { deep: 'DEEP' })).replace(
      '"DEEP"',
      `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
    );
    const path = `/apis/${group}/v1/zones`;
    const made = await rawRequest(one.connection, { method: 'POST', path, body });
    expect({ status: made.status, text: made.status === 201 ? '' : made.text.slice(0, 500) }).toEqual({
      status: 201,
      text: '',
    });
    await make('zones', one, 'flat');
    for (const query of ['', '?resourceVersion=0', '?watch=true&timeoutSeconds=1', `/${name}`]) {
      await eventually(async () => {
        const { status, text } = await rawRequest(one.connection, { method: 'GET', path: `${path}${query}` });
        expect({ query, status }).toEqual({ query, status: 200 });
        expect(text.split('{"a":').length - 1).toBe(levels);
        expect(text.includes(nameOf('zones', one, 'flat'))).toBe(!query.startsWith('/'));
      });
    }
  });

  it('passes on what is in the cluster namespace, and nothing of that of another', async () => {
    expect(names(await one.through.list(resources.apiServiceExports, { namespace: one.name }))).toEqual(
      expect.arrayContaining(['zones', 'realms', 'plots', 'databases']),
    );
    await expect(one.through.list(resources.apiServiceExports, { namespace: other.name })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    await expect(one.through.list(resources.apiServiceExports)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(one.through.list(resources.namespaces)).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(one.through.get(resources.namespaces, { name: other.name })).rejects.toMatchObject({
      code: 'Forbidden',
    });
    expect((await one.through.get(resources.namespaces, { name: one.name })).metadata.uid).toBeDefined();
    await expect(one.through.list(world.resource('secretplans'))).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('lists and watches namespaced objects of a consumer in the whole cluster', async () => {
    const resource = world.resource('databases');
    const namespace = async (consumer: TestConsumer, name: string): Promise<string> => {
      await consumer.through.create(resources.apiServiceNamespaces, {
        apiVersion: 'kube-bind.io/v1alpha2',
        kind: 'APIServiceNamespace',
        metadata: { name, namespace: consumer.name },
      });
      return eventually(async () => {
        const { status } = await consumer.through.get<APIServiceNamespace>(resources.apiServiceNamespaces, {
          namespace: consumer.name,
          name,
        });
        if (status?.namespace === undefined) throw new Error('it has no namespace yet');
        return status.namespace;
      });
    };
    const mine = await namespace(one, 'team-a');
    const foreign = await namespace(other, 'team-a');
    const object = (consumer: TestConsumer, namespace: string): UnstructuredObject =>
      world.object('databases', 'orders', consumer.name, {}, namespace);
    await eventually(() => one.through.create(resource, object(one, mine)));
    await eventually(() => other.through.create(resource, object(other, foreign)));
    expect((await one.through.list(resource)).items.map(({ metadata }) => metadata.namespace)).toEqual([mine]);
    expect(names(await one.through.list(resource, { namespace: foreign }))).toEqual([]);
    await expect(one.through.create(resource, object(one, foreign))).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('tells of the APIs that a consumer has, and of no others', async () => {
    const groups = (await one.through.raw('GET', '/apis')) as { groups: { name: string }[] };
    expect(groups.groups.map(({ name }) => name).sort()).toEqual([
      'authentication.k8s.io',
      'authorization.k8s.io',
      group,
      'kube-bind.io',
    ]);
    const served = (await one.through.raw('GET', `/apis/${group}/v1`)) as { resources: { name: string }[] };
    expect(served.resources.map(({ name }) => name)).not.toContain('secretplans');
    expect(served.resources.map(({ name }) => name)).toContain('zones');
    const document = JSON.stringify(await one.through.raw('GET', `/openapi/v3/apis/${group}/v1`));
    expect(document).toContain('/zones');
    expect(document.toLowerCase()).not.toContain('secretplan');
    await expect(one.through.raw('GET', '/apis/apps/v1')).rejects.toMatchObject({ code: 'NotFound' });
    const mayList = async (resource: string): Promise<unknown> => {
      const review = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes: { verb: 'list', group, resource } },
      };
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      return ((await one.through.raw('POST', path, review)) as { status: { allowed: boolean } }).status.allowed;
    };
    expect([await mayList('zones'), await mayList('secretplans')]).toEqual([true, false]);
    const rulesIn = async (namespace: string): Promise<readonly { verbs: string[]; resources: string[] }[]> => {
      const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace } };
      const answer = await one.through.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', review);
      return (answer as { status: { resourceRules: { verbs: string[]; resources: string[] }[] } }).status.resourceRules;
    };
    const read = (await rulesIn(one.name)).filter(({ verbs }) => verbs.includes('watch')).at(-1);
    expect(read?.resources).toEqual(['databases', 'plots', 'realms', 'zones']);
    // Nothing of it depends on what another has.
    const sorted = async (namespace: string): Promise<readonly string[]> =>
      (await rulesIn(namespace)).map((rule) => JSON.stringify(rule)).sort();
    expect(await sorted(other.name)).toEqual(await sorted('nobody-has-this'));
  });

  it('serves kubectl: get, describe, explain, apply, patch, wait and delete', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hawser-kubectl-'));
    try {
      const kubeconfigFile = join(folder, 'kubeconfig');
      await writeFile(kubeconfigFile, kubeconfigText('provider', one.connection), { mode: 0o600 });
      const kubectl = (args: readonly string[], input?: string): Promise<string> =>
        world.cluster.plane.kubectl(args, { kubeconfigFile, ...(input === undefined ? {} : { input }) });
      await make('zones', other, 'b');
      const name = nameOf('zones', one, 'a');
      const object = JSON.stringify(world.object('zones', name, one.name));
      expect(await kubectl(['apply', '--server-side', '-f', '-'], object)).toContain('serverside-applied');
      const listed = await kubectl(['get', 'zones']);
      expect({ own: listed.includes(name), foreign: listed.includes(nameOf('zones', other, 'b')) }).toEqual({
        own: true,
        foreign: false,
      });
      expect(await kubectl(['get', 'zone', name, '-o', 'jsonpath={.spec.size}'])).toBe('1');
      expect(await kubectl(['describe', 'zone', name])).toContain(`Name:         ${name}`);
      expect(await kubectl(['explain', 'zones'])).toContain('KIND:       Zone');
      expect(await kubectl(['patch', 'zone', name, '--type=merge', '-p', '{"spec":{"size":2}}'])).toContain('patched');
      expect(await kubectl(['wait', `--for=jsonpath={.spec.size}=2`, `zone/${name}`, '--timeout=20s'])).toContain(
        'condition met',
      );
      expect(await kubectl(['api-resources', '--api-group', group])).not.toContain('secretplans');
      expect(await kubectl(['delete', 'zone', name, '--timeout=20s'])).toContain('deleted');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('answers 401 to who is nobody, and 403 to who is no consumer', async () => {
    const path = `/apis/${group}/v1/zones`;
    const as = (token: string) =>
      rawRequest({ ...one.connection, credentials: { kind: 'token', token } }, { method: 'GET', path });
    const none = await rawRequest({ ...one.connection, credentials: { kind: 'none' } }, { method: 'GET', path });
    expect(none.status).toBe(401);
    expect((await as(`${one.token.slice(0, -4)}AAAA`)).status).toBe(401);
    const { connection } = await world.cluster.plane.serviceAccountAccess('default', 'somebody');
    const token = connection.credentials.kind === 'token' ? connection.credentials.token : '';
    expect((await as(token)).status).toBe(403);
  });

  it('keeps the connection of a request that it refuses, unless much of it is to come', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const [host = '', port = ''] = (world.gateway.address ?? '').split(':');
    const ask = (method: string, path: string, body = ''): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' };
        const sent = httpsRequest({ host, port, agent, method, path, headers }, (response) => {
          response.resume().on('end', () => {
            resolve(sent.reusedSocket);
          });
        });
        sent.on('error', reject);
        sent.end(body);
      });
    expect(await ask('GET', '/nothing')).toBe(false);
    expect(await ask('OPTIONS', `/apis/${group}/v1/zones`)).toBe(true);
    expect(await ask('PUT', `/apis/${group}/v1/zones/x`, JSON.stringify({ padding: 'x'.repeat(10_000) }))).toBe(true);
    expect(await ask('GET', `/apis/${group}/v1/zones/x`)).toBe(true);
    agent.destroy();
  });

  it('answers what it refuses before the whole request has come, and goes on with the next one', async () => {
    const path = `/apis/${group}/v1/secretplans`;
    const [host = '', port = ''] = (world.gateway.address ?? '').split(':');
    for (const [token, status] of [
      [one.token, 403],
      ['none', 401],
    ] as const) {
      const text = await new Promise<string>((resolve) => {
        let received = '';
        const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () =>
          socket.write(
            `POST ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\nContent-Length: 1000000\r\n\r\n{`,
          ),
        );
        socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
        socket.on('error', () => undefined);
        socket.on('close', () => {
          resolve(received);
        });
      });
      expect(text).toContain(`HTTP/1.1 ${status}`);
      expect(text).toContain('"kind":"Status"');
    }
    const large = JSON.stringify({ padding: 'x'.repeat(4_000_000) });
    expect(
      (await rawRequest(one.connection, { method: 'POST', path: `/apis/${group}/v1/zones`, body: large })).status,
    ).toBe(413);
    expect(names(await one.through.list(world.resource('zones')))).toEqual([]);
  });

  it('ends the watch of a token that is revoked, however many others have watches', async () => {
    const secret = { namespace: one.name, name: 'behind-the-last-token' };
    await world.cluster.client.create(resources.secrets, { apiVersion: 'v1', kind: 'Secret', metadata: secret });
    const ended = new Set<string>();
    const ending = new AbortController();
    const open: Client[] = [];
    const watch = async (name: string, token: string): Promise<void> => {
      const client = createClient({ name: 'provider', connection: world.connectionTo(world.gateway, token) });
      open.push(client);
      const stream = await eventually(() => client.watch(world.resource('plots'), { signal: ending.signal }));
      void (async () => {
        for await (const event of stream) expect(event).toBeDefined();
      })()
        .catch(() => undefined)
        .then(() => ended.add(name));
    };
    // More than are asked about at a time, and the one that is to end after them.
    await Promise.all(Array.from({ length: 240 }, async (_, at) => watch(String(at), await tokenFor(undefined))));
    await watch('last', await tokenFor(secret.name));
    try {
      await world.cluster.client.delete(resources.secrets, secret);
      await eventually(
        () => {
          expect([...ended]).toEqual(['last']);
        },
        { timeoutMs: 30_000 },
      );
    } finally {
      ending.abort();
      await Promise.all(open.map((client) => client.close()));
    }

    /** Valid as long as the Secret is there. */
    async function tokenFor(behind: string | undefined): Promise<string> {
      const answer = (await world.cluster.client.raw(
        'POST',
        `/api/v1/namespaces/${one.name}/serviceaccounts/kube-binder/token`,
        {
          apiVersion: 'authentication.k8s.io/v1',
          kind: 'TokenRequest',
          spec: {
            expirationSeconds: 3_600,
            ...(behind === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: behind } }),
          },
        },
      )) as { readonly status: { readonly token: string } };
      return answer.status.token;
    }
  }, 120_000);

  it('ends the watches of a consumer whose ServiceAccount goes, within two seconds', async () => {
    const stream = await one.through.watch(world.resource('zones'));
    const ended = (async () => {
      for await (const event of stream) expect(event.type).not.toBe('ERROR');
    })();
    const from = Date.now();
    await world.cluster.client.delete(resources.serviceAccounts, { namespace: one.name, name: 'kube-binder' });
    await ended;
    expect(Date.now() - from).toBeLessThan(2_000);
    await expect(one.through.list(world.resource('zones'))).rejects.toMatchObject({ code: 'Forbidden' });
  });
});
