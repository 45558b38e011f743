import type { OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import type { KubeObject } from '@hawser/client';
import { type FaultProxy, createFaultProxy } from '@hawser/faultproxy';
import { resources } from '@hawser/kube-bind';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Gateway } from './index.js';
import { type GatewayWorld, type Kind, type TestConsumer, group, openGatewayWorld } from './testing/gateway-world.js';

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  readonly headers?: OutgoingHttpHeaders;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const zone = (key: 'name' | 'generateName', name: string): string =>
  JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Zone', metadata: { [key]: name } });

describeWithControlPlane('a consumer that attacks a gateway', () => {
  let world: GatewayWorld;
  let proxy: FaultProxy;
  /** Reaches the API server through the proxy, which notes what it asks. */
  let gateway: Gateway;
  let attacker: TestConsumer;
  let other: TestConsumer;

  beforeAll(async () => {
    world = await openGatewayWorld();
    proxy = await createFaultProxy({ upstream: world.cluster.plane.connection });
    const { credentials } = (await world.cluster.plane.userAccess('hawser-gateway')).connection;
    const another = await world.another({
      connection: () => ({ ...proxy.connection, credentials }),
    });
    ({ gateway } = another);
  });
  afterAll(async () => {
    await world.close();
    await proxy.stop();
  });
  beforeEach(async () => {
    [attacker, other] = await Promise.all([world.onboard(), world.onboard()]);
  });

  const ask = ({ method = 'GET', path, body, contentType, headers = {} }: Asked, asked = gateway): Promise<Answered> =>
    new Promise((resolve, reject) => {
      const [host = '', port = ''] = (asked.address ?? '').split(':');
      const sent = httpsRequest(
        {
          ...{ host, port, method, path, agent: false, rejectUnauthorized: false, timeout: 30_000 },
          headers: {
            authorization: `Bearer ${attacker.token}`,
            ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.on('error', reject);
      sent.end(body);
    });

  const rootOf = (kind: Kind, consumer: string): string =>
    `/apis/${group}/v1${kind === 'plots' ? `/namespaces/${consumer}` : ''}/${kind}`;
  const kindName = (kind: Kind): string => ({ zones: 'Zone', realms: 'Realm', plots: 'Plot' })[kind as 'zones'];
  const nameOf = (kind: Kind, consumer: TestConsumer, name: string): string =>
    kind === 'zones' ? `${consumer.name}-${name}` : `${name}-${consumer.name}`;

  /** What the API server is asked by one request, with what it answers. Names are left out. */
  async function upstream(asked: Asked, name: string): Promise<readonly string[]> {
    const from = proxy.requests.length;
    await ask(asked);
    const made = proxy.requests.slice(from).filter(({ watch, url }) => !watch && !url.includes('/tokenreviews'));
    return made.map(({ method, url, status }) => {
      const at = url.indexOf(name.slice(0, 200));
      return `${method} ${at < 0 ? url : `${url.slice(0, at)}NAME`} ${String(status)}`;
    });
  }

  const touches = (kind: Kind, path: string, name: string): readonly Asked[] => {
    const whole = JSON.stringify({ apiVersion: `${group}/v1`, kind: kindName(kind), metadata: { name } });
    return [
      { path },
      { path: `${path}?resourceVersion=0` },
      { method: 'PUT', path, body: whole },
      { method: 'PATCH', path, body: '{"spec":{"size":7}}', contentType: 'application/merge-patch+json' },
      {
        method: 'PATCH',
        path,
        body: '[{"op":"test","path":"/a","value":1}]',
        contentType: 'application/json-patch+json',
      },
      { method: 'DELETE', path },
    ];
  };

  /** The gateway has heard of an object. */
  const heard = (kind: Kind, owner: TestConsumer, name: string): Promise<void> =>
    eventually(async () => {
      const path = `/apis/${group}/v1/${kind}?resourceVersion=0`;
      const { text } = await ask({ path, headers: { authorization: `Bearer ${owner.token}` } });
      expect(text).toContain(`"${name}"`);
    });

  it.each(['zones', 'realms', 'plots'] as const)(
    'makes the gateway ask the API server the same, whether a name of %s is that of another or nobody has it',
    async (kind) => {
      const [there, nowhere] = [nameOf(kind, other, 'b'), nameOf(kind, other, 'c')];
      const namespace = kind === 'plots' ? other.name : undefined;
      await other.through.create(world.resource(kind), world.object(kind, there, other.name, {}, namespace));
      await heard(kind, other, there);
      // Names that the attacker may have, next to that of the other.
      if (kind === 'realms')
        for (const bait of [`${there}.absent`, `${nowhere}.absent`])
          await attacker.through.create(world.resource(kind), world.object(kind, bait, attacker.name));
      const root = rootOf(kind, other.name);
      const foreign = touches(kind, `${root}/${there}`, there);
      const absent = touches(kind, `${root}/${nowhere}`, nowhere);
      for (const [at, asked] of foreign.entries()) {
        const made = await upstream(asked, there);
        expect({ asked, made }).toEqual({ asked, made: await upstream(absent[at] ?? asked, nowhere) });
        // What is answered by rights, or where only others have objects, the API server does not hear of.
        expect({ asked, count: made.length }).toEqual({ asked, count: kind === 'realms' ? 1 : 0 });
      }
    },
  );

  it('makes the gateway ask the API server nothing of a namespace, whether it is that of another or there is none', async () => {
    for (const namespace of [other.name, 'nobody-has-this', 'kube-system'])
      for (const path of [
        `/api/v1/namespaces/${namespace}`,
        `/api/v1/namespaces/${namespace}/secrets`,
        `/api/v1/namespaces/${namespace}/secrets/x`,
        `/apis/kube-bind.io/v1alpha2/namespaces/${namespace}/apiserviceexports`,
        `/apis/${group}/v1/namespaces/${namespace}/plots`,
      ])
        for (const asked of [
          ...(path.endsWith('plots') ? [] : [{ path }]),
          { method: 'POST', path, body: '{"metadata":{"name":"x"}}' },
          { method: 'DELETE', path },
        ]) {
          const made = await upstream(asked, namespace);
          expect({ asked, made }).toEqual({ asked, made: [] });
        }
  });

  it('gets the OpenAPI documents of what it has itself, also where they are kept for others, and has the API server send each version once', async () => {
    const few = await world.onboard(['zones']);
    const documents: unknown[] = [];
    for (const path of [`/openapi/v3/apis/${group}/v1`, '/openapi/v3/api/v1']) {
      const from = proxy.requests.length;
      const texts: string[] = [];
      for (const { token } of [attacker, other, attacker, few, few]) {
        const { status, text } = await ask({ path, headers: { authorization: `Bearer ${token}` } });
        expect(status).toBe(200);
        texts.push(text);
      }
      documents.push(proxy.requests.slice(from).flatMap(({ url, status }) => (url === path ? [status] : [])));
      expect(new Set(texts.slice(0, 3)).size).toBe(1);
      expect(texts[3]).toBe(texts[4]);
      if (path.includes(group)) {
        expect(texts[0]).toContain(`/apis/${group}/v1/realms`);
        expect(texts[3]).toContain(`/apis/${group}/v1/zones`);
        expect(texts[3]).not.toContain('realms');
        expect(texts[3]).not.toContain('Realm');
      }
    }
    expect(documents).toEqual([
      [200, 304, 304, 200, 304],
      [200, 304, 304, 304, 304],
    ]);
  });

  it('is told of a warning that is not in Latin letters, of a write that was made', async () => {
    const name = `${attacker.name}-warned`;
    const object = world.object('zones', name, attacker.name);
    const body = JSON.stringify({ ...object, metadata: { ...object.metadata, 'größe—“x”': 1 } });
    // Not over the proxy, which encodes headers once more.
    const made = await ask({ method: 'POST', path: rootOf('zones', ''), body }, world.gateway);
    expect(made.status).toBe(201);
    expect(Buffer.from(String(made.headers['warning']), 'latin1').toString('utf8')).toContain('größe—“x”');
  });

  it('is told of a deprecation that is not in Latin letters, with the answer', async () => {
    const schema = { namespace: attacker.name, name: `zones.${group}` };
    const { spec } = await world.cluster.client.get<KubeObject & { readonly spec: { readonly versions: object[] } }>(
      resources.boundSchemas,
      schema,
    );
    const versions = spec.versions.map((version) => ({
      ...version,
      ...{ deprecated: true, deprecationWarning: 'zones go — take realms' },
    }));
    await world.cluster.client.patch(resources.boundSchemas, schema, { type: 'merge', patch: { spec: { versions } } });
    await eventually(async () => {
      const { status, headers } = await ask({ path: rootOf('zones', '') });
      expect({ status, warning: headers['warning'] }).toEqual({
        status: 200,
        warning: '299 - "zones go ? take realms"',
      });
    });
  });

  it('makes the gateway wait for no body of a read', async () => {
    const [host = '', port = ''] = (gateway.address ?? '').split(':');
    for (const path of [
      `/api/v1/namespaces/${attacker.name}/secrets?watch=true`,
      `/apis/${group}/v1/zones?watch=true`,
    ]) {
      const head = await new Promise<string>((resolve, reject) => {
        const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () =>
          socket.write(
            `GET ${path} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${attacker.token}\r\nContent-Length: 1000000\r\n\r\n{`,
          ),
        );
        socket.setTimeout(10_000, () => socket.destroy(new Error(`${path}: no answer`)));
        socket.on('error', reject);
        socket.once('data', (chunk: Buffer) => {
          socket.destroy();
          resolve(chunk.toString('latin1'));
        });
      });
      expect(head).toMatch(/^HTTP\/1\.1 (?:200|403)/u);
    }
  });

  it('takes only its own turns with bodies that do not come', async () => {
    const [host = '', port = ''] = (gateway.address ?? '').split(':');
    const head = `POST ${rootOf('zones', '')} HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${attacker.token}\r\nContent-Length: 3000000\r\n\r\n{`;
    const sockets = await Promise.all(
      Array.from({ length: 80 }, async () => {
        const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
        socket.on('error', () => undefined);
        await new Promise((resolve) => socket.once('secureConnect', resolve));
        socket.write(head);
        return socket;
      }),
    );
    const { path, headers } = { path: rootOf('zones', ''), headers: { authorization: `Bearer ${other.token}` } };
    await eventually(async () => {
      expect((await ask({ path: '/apis' })).status).toBe(429);
    });
    expect((await ask({ path, headers })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => {
      expect((await ask({ path: '/apis' })).status).toBe(200);
    });
  });

  it('leaves no request behind on the API server when it goes in the middle of a write', async () => {
    proxy.inject({
      match: { method: 'POST', path: /\/zones$/u },
      fault: { kind: 'latency', ms: 60_000 },
    });
    const name = `${attacker.name}-left`;
    const [host = '', port = ''] = (gateway.address ?? '').split(':');
    const body = JSON.stringify(world.object('zones', name, attacker.name));
    const sent = httpsRequest({
      ...{ host, port, method: 'POST', path: rootOf('zones', ''), agent: false, rejectUnauthorized: false },
      headers: { authorization: `Bearer ${attacker.token}`, 'content-type': 'application/json' },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    const writes = () => proxy.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/zones'));
    const before = writes().length;
    await eventually(() => {
      expect(writes().length).toBe(before + 1);
    });
    sent.destroy();
    await eventually(() => {
      expect(writes().at(-1)).toMatchObject({ finished: true, status: undefined });
    });
    await proxy.clear();
    expect((await ask({ path: `${rootOf('zones', '')}/${name}` })).status).toBe(404);
    expect((await ask({ method: 'POST', path: rootOf('zones', ''), body })).status).toBe(201);
  });

  it.each([
    ['watch said twice', { path: '/zones?watch=1&watch=0' }, 400],
    ['watch said twice, once in escapes', { path: '/zones?watch=0&%77atch=1' }, 400],
    ['two query marks', { path: '/zones?limit=1?watch=1' }, 400],
    ['an escape in a path', { path: '/zo%6ees' }, 404],
    ['a double slash', { path: '//zones' }, 404],
    ['dots', { path: '/zones/../secretplans' }, 404],
    ['escaped dots', { path: '/zones/%2e%2e/secretplans' }, 404],
    ['a null byte', { path: '/zones/x%00' }, 404],
    ['a whole address', { path: 'https://gateway/apis' }, 400],
    [
      'another method in a header',
      { method: 'POST', path: '/zones', headers: { 'x-http-method-override': 'DELETE' } },
      400,
    ],
    ['a whole collection', { method: 'DELETE', path: '/zones' }, 403],
    ['a subresource', { path: '/zones/NAME/status' }, 403],
    ['a scale', { method: 'PUT', path: '/zones/NAME/scale', body: '{}' }, 403],
    ['a create under a name', { method: 'POST', path: '/zones/NAME', body: '{}' }, 403],
    ['a name that is made', { method: 'POST', path: '/zones', body: zone('generateName', 'NAME-') }, 403],
    ['a dry run', { method: 'POST', path: '/zones?dryRun=All', body: zone('name', 'NAME') }, 403],
    ['a name that the rest of a long one begins with', { path: `/zones/NAME${'x'.repeat(200)}` }, 404],
    [
      'applying under its name',
      {
        ...{ method: 'PATCH', path: '/zones/NAME?fieldManager=x&force=true' },
        ...{ body: zone('name', 'NAME'), contentType: 'application/apply-patch+yaml' },
      },
      403,
    ],
    [
      'the state of another to begin with',
      {
        path: '/zones?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&fieldSelector=metadata.name=NAME&timeoutSeconds=1&allowWatchBookmarks=true',
      },
      200,
    ],
    ['a list of a name of another', { path: '/zones?fieldSelector=metadata.name=NAME' }, 200],
    ['a version that there is not', { path: '/zones?resourceVersion=99999999999' }, 504],
    ['labels without an end', { path: `/zones?labelSelector=${'a,'.repeat(3_500)}a` }, 200],
    ['a list of names without an end', { path: `/zones?labelSelector=a+in+(${'b,'.repeat(3_500)}b)` }, 200],
    ['parentheses', { path: `/zones?labelSelector=${'('.repeat(7_000)}` }, 400],
    ['a long address', { path: `/zones?labelSelector=${'a'.repeat(9_000)}` }, 400],
    ['fields that there are not', { path: `/zones?fieldSelector=${'spec.a=b,'.repeat(700)}spec.c=d` }, 400],
  ] as const)('gets nothing of another by %s', async (_what, asked, status) => {
    const name = `${other.name}-b`;
    await other.through.create(world.resource('zones'), world.object('zones', name, other.name, { word: 'canary' }));
    await heard('zones', other, name);
    const path = asked.path.startsWith('/') ? `/apis/${group}/v1${asked.path}` : asked.path;
    const from = performance.now();
    const sent: Asked = asked;
    const got = await ask({ ...sent, path: path.replace('NAME', name), body: sent.body?.replace('NAME', name) });
    expect({ status: got.status, canary: got.text.includes('canary') }).toEqual({ status, canary: false });
    expect(performance.now() - from).toBeLessThan(10_000);
    expect((await world.cluster.client.get(world.resource('zones'), { name })).metadata.name).toBe(name);
  });
});
