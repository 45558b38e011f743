import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import { gunzipSync } from 'node:zlib';
import type { KubeObject, UnstructuredObject } from '@hawser/client';
import { describeWithControlPlane, eventually } from '@hawser/testenv';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  type GatewayWorld,
  type Kind,
  type TestConsumer,
  group,
  kinds,
  openGatewayWorld,
} from './testing/gateway-world.js';

/** More by hand: `HAWSER_LEAK_REQUESTS=1000000 HAWSER_LEAK_CONSUMERS=100 node tools/jest.mjs packages/provider/gateway/src/leaks`. */
const REQUESTS = Number(process.env['HAWSER_LEAK_REQUESTS'] ?? 10_000);
const CONSUMERS = Number(process.env['HAWSER_LEAK_CONSUMERS'] ?? 4);
const SEED = Number(process.env['HAWSER_LEAK_SEED'] ?? 1);
const AT_A_TIME = 48;
/** They take a second each, and are not waited for by those that come after them. */
const WATCHES_AT_A_TIME = 150;
/** How long nothing may come of a watch before it has told everything. */
const WATCHED_MS = 1_500;
/** What is cut off is not searched, so a busy machine has its time. */
const ANSWERED_MS = 60_000;
/** So many requests for each write, so that watches have something to tell. */
const REQUESTS_PER_WRITE = 20;
const MAKING_AT_A_TIME = 8;
const exported: readonly Kind[] = ['zones', 'realms', 'plots'];

/** A word that stands in the objects of one consumer, and in no request. */
const canaryOf = (index: number): string => `cnry${String(index).padStart(4, '0')}x`;
/** Words that others may guess. */
const guessed = (index: number): string => `word-${index}`;
const CANARY = /cnry(\d{4})x/gu;

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
}

describeWithControlPlane('what consumers ask a gateway', () => {
  let world: GatewayWorld;
  let consumers: readonly TestConsumer[];
  const agent = new Agent({ keepAlive: true, maxSockets: AT_A_TIME + WATCHES_AT_A_TIME });
  /** Of one consumer, which others may put into what they ask: names, versions, tokens. */
  let known: readonly {
    readonly names: Map<Kind, string[]>;
    readonly versions: string[];
    readonly tokens: string[];
  }[] = [];

  beforeAll(async () => {
    world = await openGatewayWorld();
    consumers = await inTurns(Array.from({ length: CONSUMERS }), () => world.onboard(exported));
    known = await inTurns(consumers, async (consumer, index) => {
      const names = new Map<Kind, string[]>();
      for (const kind of exported) {
        const own = ['orders', 'x', guessed(index)].map((name) =>
          kind === 'zones' ? `${consumer.name}-${name}` : `${name}-${consumer.name}`,
        );
        names.set(kind, own);
        for (const name of own) await make(kind, consumer, name, index);
      }
      const { metadata } = await consumer.through.list(world.resource('zones'), { limit: 1 });
      return { names, versions: [metadata.resourceVersion ?? '0'], tokens: [metadata.continue ?? ''] };
    });
    // Of the provider itself.
    for (const kind of exported) await make(kind, undefined, `of-the-provider-${kind}`, 9_999);
  }, 600_000);
  afterAll(async () => {
    agent.destroy();
    await world.close();
  }, 60_000);

  async function make(kind: Kind, consumer: TestConsumer | undefined, name: string, number: number): Promise<void> {
    const canary = canaryOf(number);
    const namespace = kind === 'plots' ? (consumer?.name ?? 'default') : undefined;
    const object = world.object(kind, name, consumer?.name, { canary }, namespace);
    const { metadata } = object;
    const labelled: UnstructuredObject = {
      ...object,
      metadata: { ...metadata, labels: { word: guessed(number) }, annotations: { ...metadata.annotations, canary } },
    };
    const through = consumer?.through ?? world.cluster.client;
    await eventually(() => through.create(world.resource(kind), labelled));
    await world.cluster.client.patch(
      world.resource(kind),
      { name, ...(namespace === undefined ? {} : { namespace }) },
      { type: 'merge', patch: { status: { canary } } },
      { subresource: 'status' },
    );
  }

  /** Exactly this path, as no client would send it. */
  const ask = (token: string, asked: Asked): Promise<Answer> =>
    new Promise((resolve) => {
      const { method, path, headers, body } = asked;
      const [host = '', port = ''] = (world.gateway.address ?? '').split(':');
      const sent = httpsRequest(
        {
          host,
          port,
          path,
          method,
          agent,
          rejectUnauthorized: false,
          headers: { authorization: `Bearer ${token}`, ...headers },
          timeout: isWatch(asked) ? WATCHED_MS : ANSWERED_MS,
        },
        (response) => {
          const chunks: Buffer[] = [];
          const done = (): void => {
            resolve({ status: response.statusCode ?? 0, text: textOf(response.headers, Buffer.concat(chunks)) });
          };
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', done);
          // A watch is listened to for a while.
          response.on('error', done);
          response.on('close', done);
        },
      );
      sent.on('timeout', () => sent.destroy());
      sent.on('error', () => {
        resolve({ status: 0, text: '' });
      });
      sent.end(body);
    });

  it('never shows a word of another, whatever is asked', async () => {
    const random = numbers(SEED);
    const statuses = new Map<number, number>();
    const from = performance.now();
    let own = 0;
    let next = 0;
    let wake: () => void = () => undefined;
    const until = async (isTrue: () => boolean): Promise<void> => {
      while (!isTrue())
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    };
    // Watches have something to tell.
    const writing = (async () => {
      for (let turn = 0; next < REQUESTS; turn++) {
        await until(() => next >= Math.min(REQUESTS, turn * REQUESTS_PER_WRITE));
        const index = random(consumers.length);
        const kind = exported[random(exported.length)] ?? 'zones';
        const name = known[index]?.names.get(kind)?.[random(3)] ?? '';
        const namespace = kind === 'plots' ? { namespace: consumers[index]?.name ?? '' } : {};
        const patch = { type: 'merge', patch: { spec: { turn } } } as const;
        await world.cluster.client.patch(world.resource(kind), { name, ...namespace }, patch);
      }
    })();
    const watches = new Set<Promise<void>>();
    const look = async (consumer: TestConsumer, index: number, asked: Asked): Promise<void> => {
      const { status, text } = await ask(consumer.token, asked);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      own += inspect(consumer, index, asked, status, text);
    };
    await Promise.all(
      Array.from({ length: AT_A_TIME }, async () => {
        while (next < REQUESTS) {
          next++;
          wake();
          const index = random(consumers.length);
          const consumer = consumers[index];
          if (consumer === undefined) continue;
          const asked = request(random, index);
          const looked = look(consumer, index, asked);
          if (!isWatch(asked) || watches.size >= WATCHES_AT_A_TIME) await looked;
          else {
            watches.add(looked);
            // Its failure is the test's, below.
            looked.then(
              () => watches.delete(looked),
              () => undefined,
            );
          }
        }
      }),
    );
    await Promise.all(watches);
    await writing;
    const seconds = (performance.now() - from) / 1_000;
    process.stderr.write(
      `${REQUESTS} requests of ${CONSUMERS} consumers in ${seconds.toFixed(0)} s; ${own} own words; ${JSON.stringify(Object.fromEntries(statuses))}\n`,
    );
    // It has asked for something.
    expect(own).toBeGreaterThan(REQUESTS / 15);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 403, 404]));
    const left = (await world.cluster.client.list<KubeObject>(world.resource('zones'))).items;
    for (const [index, consumer] of consumers.entries())
      for (const name of known[index]?.names.get('zones') ?? [])
        if (!left.some(({ metadata }) => metadata.name === name))
          // Only its owner can have deleted it, and nothing here asks for that.
          throw new Error(`${name} of ${consumer.name} is gone`);
  }, 21_600_000);

  it('answers no request that was smuggled behind another', async () => {
    const [consumer] = consumers;
    const [host = '', port = ''] = (world.gateway.address ?? '').split(':');
    const head = (line: string, ...more: string[]): string =>
      [line, 'Host: gateway', `Authorization: Bearer ${consumer?.token ?? ''}`, ...more, '', ''].join('\r\n');
    const inner = head(`GET /apis/${group}/v1/zones HTTP/1.1`, 'X-Smuggled: yes');
    for (const outer of [
      head(`POST /apis/${group}/v1/zones HTTP/1.1`, 'Content-Length: 5', 'Transfer-Encoding: chunked') +
        `0\r\n\r\n${inner}`,
      head(`POST /apis/${group}/v1/zones HTTP/1.1`, 'Transfer-Encoding: xchunked', 'Content-Length: 3') +
        `0\r\n${inner}`,
      head(`GET /apis/${group}/v1/zones HTTP/1.1`, 'Content-Length: 1', 'Content-Length: 2') + `a${inner}`,
      head(`GET /apis/${group}/v1/zones\tHTTP/1.1`),
    ]) {
      const text = await new Promise<string>((resolve) => {
        let received = '';
        const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => socket.write(outer));
        socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
        socket.setTimeout(1_500, () => socket.destroy());
        socket.on('error', () => undefined);
        socket.on('close', () => {
          resolve(received);
        });
      });
      expect((text.match(/HTTP\/1\.1 200/gu) ?? []).length).toBe(0);
    }
  });

  it('tells nothing of others by an upgrade, and nothing over HTTP/2', async () => {
    const [consumer] = consumers;
    const answer = await ask(consumer?.token ?? '', {
      method: 'GET',
      path: `/apis/${group}/v1/zones?watch=true`,
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'AAAA',
      },
    });
    expect(answer.text).toBe('');
    const [host = '', port = ''] = (world.gateway.address ?? '').split(':');
    const protocol = await new Promise<string | false | null>((resolve) => {
      const socket = connect(
        { host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2', 'http/1.1'] },
        () => {
          resolve(socket.alpnProtocol);
          socket.destroy();
        },
      );
    });
    expect(protocol).toBe('http/1.1');
  });

  /** How many words of the consumer's own an answer has. @throws if it has one of another */
  function inspect(consumer: TestConsumer, index: number, asked: Asked, status: number, text: string): number {
    if (status === 500 && text.includes('Internal error occurred'))
      throw new Error(`${JSON.stringify(asked)}: ${text}`);
    if (/object is of the consumer|belongs to another consumer/u.test(text))
      throw new Error(`${consumer.name} is told of another by ${JSON.stringify(asked)}: ${text.slice(0, 2_000)}`);
    let own = 0;
    for (const [word, number] of text.matchAll(CANARY)) {
      if (Number(number) !== index)
        throw new Error(`${consumer.name} sees ${word} by ${JSON.stringify(asked)}: ${status} ${text.slice(0, 2_000)}`);
      own++;
    }
    return own;
  }

  /** A read as clients make it, with what is another's in it: what is made up at random is refused too often to be searched. */
  function sensible(random: (below: number) => number): Asked {
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const whose = random(consumers.length);
    const kind = pick(exported);
    const ownNamespace = consumers[whose]?.name ?? '';
    const { names, versions, tokens } = known[whose] ?? { names: new Map<Kind, string[]>(), versions: [], tokens: [] };
    const [resourceVersion = '1', token = ''] = [pick<string | undefined>(versions), pick<string | undefined>(tokens)];
    const watch = { watch: 'true', timeoutSeconds: '1', allowWatchBookmarks: 'true' };
    const query = pick<Readonly<Record<string, string>>>([
      {},
      { resourceVersion, resourceVersionMatch: 'Exact' },
      { resourceVersion, resourceVersionMatch: 'NotOlderThan' },
      { resourceVersion: '0' },
      { resourceVersion, limit: '3' },
      { limit: '2' },
      { limit: '3', continue: token },
      { limit: '3', continue: tokenFor(ownNamespace, resourceVersion) },
      { limit: '3', continue: tokenFor(ownNamespace, '') },
      { fieldSelector: `metadata.name=${pick(names.get(kind) ?? [])}` },
      { labelSelector: `word=${guessed(whose)}` },
      { ...watch, resourceVersion },
      { ...watch, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' },
    ]);
    const root = `/apis/${group}/v1`;
    const right = kinds[kind].resource;
    const path = pick([`${root}/${right}`, `${root}/${right}`, `${root}/namespaces/${ownNamespace}/${right}`]);
    const accept = pick([
      'application/json',
      'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
      'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json',
    ]);
    const included = pick([{}, {}, { includeObject: 'Object' }]);
    const text = new URLSearchParams({ ...query, ...included }).toString();
    return {
      method: 'GET',
      path: `${path}?${text}`,
      headers: { accept, ...(random(3) === 0 ? { 'accept-encoding': 'gzip' } : {}) },
    };
  }

  function request(random: (below: number) => number, index: number): Asked {
    if (random(6) === 0) return sensible(random);
    const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
    const whose = random(3) === 0 ? index : random(consumers.length);
    const other = consumers[whose];
    const ofOther = known[whose];
    const kind = pick(exported);
    const name = pick([...(ofOther?.names.get(kind) ?? []), `of-the-provider-${kind}`, 'nothing', guessed(whose)]);
    const namespace = pick([other?.name ?? '', 'default', 'kube-system', `${other?.name ?? ''}-team-a`]);
    const resource = pick([kinds[kind].resource, kinds[kind].resource, 'secretplans', `${kinds[kind].resource}/`]);
    const right = kinds[kind].resource;
    const usual = pick([
      `/apis/${group}/v1/${right}`,
      `/apis/${group}/v1/${right}`,
      `/apis/${group}/v1/namespaces/${namespace}/${right}`,
    ]);
    const odd = pick([
      `/apis/${group}/v1/${resource}`,
      `/apis/${group}/v1/namespaces/${namespace}/${resource}`,
      `/apis/kube-bind.io/v1alpha2/namespaces/${namespace}/${pick(['apiserviceexports', 'boundschemas', 'clusterbindings'])}`,
      `/api/v1/namespaces/${namespace}/${pick(['secrets', 'configmaps', 'events', 'serviceaccounts'])}`,
      `/apis/${group}/v1/watch/${resource}`,
      `/api/v1/namespaces/${namespace}`,
      `/apis/${group}/v1/${resource}/${pick(['..', '.', '%2e%2e', '%2f'])}`,
      `//apis/${group}//v1/${resource}`,
      `/apis/${group}/v1/namespaces/${namespace}%2f${resource}`,
      `/api/v1/namespaces/${consumers[index]?.name ?? ''}/../${namespace}/secrets`,
    ]);
    const base = random(2) === 0 ? usual : odd;
    const named =
      random(2) === 0 ? `${base}/${pick([name, name, name, encodeURIComponent(`${name}/`), `${name}%00`])}` : base;
    const sub = random(8) === 0 ? `${named}/${pick(['status', 'scale', 'exec', 'proxy', 'token', 'finalize'])}` : named;
    const query = new URLSearchParams();
    const maybe = (key: string, values: readonly string[]): void => {
      if (random(8) === 0) query.append(key, pick(values));
    };
    maybe('watch', ['true', '1', 'false', '']);
    maybe('labelSelector', [`word=${guessed(whose)}`, 'word', '!word', `word in (${guessed(whose)})`, '=']);
    maybe('fieldSelector', [
      `metadata.name=${name}`,
      `metadata.namespace=${namespace}`,
      'metadata.namespace!=x',
      'spec.canary=a',
    ]);
    maybe('resourceVersion', ['0', '1', ...(ofOther?.versions ?? []), '99999999999', 'x']);
    maybe('resourceVersionMatch', ['Exact', 'NotOlderThan', 'Other']);
    maybe('limit', ['1', '2', '500', '-1']);
    maybe('continue', [...(ofOther?.tokens ?? []), 'AAAA', tokenFor(other?.name ?? '', ofOther?.versions[0] ?? '1')]);
    maybe('sendInitialEvents', ['true', 'false']);
    maybe('allowWatchBookmarks', ['true']);
    maybe('timeoutSeconds', ['1']);
    maybe('dryRun', ['All']);
    maybe('fieldManager', ['one', 'x']);
    maybe('force', ['true']);
    if (query.get('watch') !== null) query.set('timeoutSeconds', '1');
    const text = query.toString();
    const method = pick(['GET', 'GET', 'GET', 'GET', 'POST', 'PUT', 'PATCH', 'HEAD', 'OPTIONS', 'DELETE']);
    // What is deleted could not be looked for afterwards.
    const path = `${sub}${text === '' ? '' : `?${text}`}${method === 'DELETE' ? `${text === '' ? '?' : '&'}dryRun=All` : ''}`;
    const body = ['POST', 'PUT', 'PATCH'].includes(method)
      ? bodyOf(pick, kind, name, namespace, other?.name)
      : undefined;
    return {
      method,
      path: method === 'GET' || path.includes('dryRun') ? path : `${path}${path.includes('?') ? '&' : '?'}dryRun=All`,
      headers: {
        accept: pick([
          'application/json',
          '*/*',
          'application/json;as=Table;v=v1;g=meta.k8s.io,application/json',
          'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
          'application/yaml',
          'application/vnd.kubernetes.protobuf',
        ]),
        ...(random(3) === 0 ? { 'accept-encoding': 'gzip' } : {}),
        ...(random(6) === 0 ? { 'impersonate-user': `system:serviceaccount:${other?.name ?? ''}:kube-binder` } : {}),
        ...(random(6) === 0 ? { 'x-remote-user': 'admin', 'x-forwarded-for': '127.0.0.1' } : {}),
        ...(body === undefined
          ? {}
          : {
              'content-type': pick([
                'application/json',
                'application/merge-patch+json',
                'application/apply-patch+yaml',
                'application/json-patch+json',
                'application/strategic-merge-patch+json',
              ]),
            }),
      },
      ...(body === undefined ? {} : { body }),
    };
  }

  function bodyOf(
    pick: <T>(all: readonly T[]) => T,
    kind: Kind,
    name: string,
    namespace: string,
    other: string | undefined,
  ): string {
    const object = world.object(kind, name, pick([other, undefined]), {}, pick([namespace, undefined]));
    return JSON.stringify(
      pick([
        object,
        { metadata: { annotations: { 'kube-bind.io/cluster-namespace': pick([other ?? '', null]) } } },
        [{ op: 'test', path: '/spec/canary', value: 'x' }],
        [{ op: 'copy', from: '/spec/canary', path: '/metadata/labels/copied' }],
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb: 'list', group, resource: 'zones' } },
        },
      ]),
    );
  }
});

const tokenFor = (start: string, rv: string): string =>
  Buffer.from(JSON.stringify({ v: 'hawser.dev/v1', rv, start: `/${start}` })).toString('base64url');

function textOf(headers: IncomingHttpHeaders, body: Buffer): string {
  let text: string;
  try {
    text = (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString('utf8');
  } catch {
    text = body.toString('latin1');
  }
  return `${JSON.stringify(headers)}\n${text}`;
}

/** Pseudo-random numbers, the same for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e_37_79_b9) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

/** Works on some at a time. */
async function inTurns<T, R>(all: readonly T[], work: (one: T, index: number) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const open = all.entries();
  await Promise.all(
    Array.from({ length: MAKING_AT_A_TIME }, async () => {
      for (const [index, one] of open) results[index] = await work(one, index);
    }),
  );
  return results;
}

const isWatch = ({ path }: Asked): boolean => /[?&]watch=(?!false)/u.test(path);
