import { Agent, request as httpsRequest } from 'node:https';
import { eventually } from '@hawser/testenv';
import {
  type GatewayWorld,
  type Kind,
  type TestConsumer,
  group,
  openGatewayWorld,
} from '../../packages/provider/gateway/src/testing/gateway-world.js';
import type { Verdict } from './konnector.js';
import { median, quantile } from './writers.js';

export interface GatewayTimingOptions {
  /** Per kind of request, in each case. */
  readonly requests: number;
  readonly print: (line: string) => void;
}

/** A gateway's answer time for another consumer's objects, compared with missing ones. Milliseconds. */
export interface TimingCase {
  readonly name: string;
  readonly absent: { readonly p50: number; readonly p90: number; readonly p99: number };
  readonly foreign: { readonly p50: number; readonly p90: number; readonly p99: number };
  /**
   * Probability that an answer about another consumer's object takes longer than one about a missing object: 0.5 if
   * time reveals nothing.
   */
  readonly share: number;
  /** Probability that chance alone gives that share or one further from 0.5 (Mann-Whitney, two-sided). */
  readonly p: number;
}

interface Pair {
  readonly name: string;
  readonly method: string;
  readonly body?: string;
  readonly type?: string;
  readonly foreign: string;
  readonly absent: string;
}

/** Requests another consumer's objects and missing ones in random order, and compares the answer times. */
export async function benchGatewayTiming({ requests, print }: GatewayTimingOptions): Promise<readonly TimingCase[]> {
  print('starting a control plane with a gateway');
  const world = await openGatewayWorld();
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  try {
    const [asks, other] = [await world.onboard(), await world.onboard()];
    const cases: TimingCase[] = [];
    for (const pair of await pairs(world, other)) {
      const ask = (path: string): Promise<number> => timed(agent, world, asks, pair, path);
      for (let warm = 0; warm < 100; warm++) await ask(warm % 2 === 0 ? pair.foreign : pair.absent);
      const [foreign, absent]: [number[], number[]] = [[], []];
      for (let at = 0; at < requests; at++) {
        const isFirst = Math.random() < 0.5;
        for (const isForeign of [isFirst, !isFirst])
          (isForeign ? foreign : absent).push(await ask(isForeign ? pair.foreign : pair.absent));
      }
      const compared = { name: pair.name, absent: of(absent), foreign: of(foreign), ...mannWhitney(foreign, absent) };
      const { p50, p99 } = compared.foreign;
      print(
        `${pair.name.padEnd(24)} absent ${ms(compared.absent.p50)} / ${ms(compared.absent.p99)}   foreign ${ms(p50)} / ${ms(p99)}   share ${compared.share.toFixed(3)}   p ${compared.p.toFixed(3)}`,
      );
      cases.push(compared);
    }
    return cases;
  } finally {
    agent.destroy();
    await world.close();
  }
}

async function pairs(world: GatewayWorld, other: TestConsumer): Promise<readonly Pair[]> {
  const found: Pair[] = [];
  for (const kind of ['realms', 'zones', 'plots'] as const) {
    const [there, nowhere] = [nameOf(kind, other, 'there'), nameOf(kind, other, 'never')];
    const namespace = kind === 'plots' ? other.name : undefined;
    await other.through.create(
      world.resource(kind),
      world.object(kind, there, other.name, { word: 'x'.repeat(20_000) }, namespace),
    );
    await eventually(async () => {
      const { items } = await other.through.list(world.resource(kind), { resourceVersion: '0' });
      if (items.length === 0) throw new Error(`the gateway has not heard of ${there}`);
    });
    const root = `/apis/${group}/v1${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind}`;
    const [foreign, absent] = [`${root}/${there}`, `${root}/${nowhere}`];
    const whole = JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Realm', metadata: { name: 'x' } });
    const patch = { body: '{"spec":{"size":7}}', type: 'application/merge-patch+json' };
    found.push(
      { name: `get ${kind}`, method: 'GET', foreign, absent },
      { name: `update ${kind}`, method: 'PUT', body: whole, type: 'application/json', foreign, absent },
      { name: `patch ${kind}`, method: 'PATCH', ...patch, foreign, absent },
      { name: `delete ${kind}`, method: 'DELETE', foreign, absent },
    );
  }
  const namespaces = (path: string): Pick<Pair, 'foreign' | 'absent'> => ({
    foreign: path.replace('PLACE', other.name),
    absent: path.replace('PLACE', `${other.name.slice(0, -4)}none`),
  });
  const body = { body: '{"metadata":{"name":"x"}}', type: 'application/json' };
  found.push(
    { name: 'get namespace', method: 'GET', ...namespaces('/api/v1/namespaces/PLACE') },
    { name: 'list in namespace', method: 'GET', ...namespaces('/api/v1/namespaces/PLACE/secrets') },
    { name: 'get in namespace', method: 'GET', ...namespaces(`/apis/${group}/v1/namespaces/PLACE/databases/x`) },
    { name: 'create in namespace', method: 'POST', ...body, ...namespaces(`/apis/${group}/v1/namespaces/PLACE/plots`) },
  );
  return found;
}

const nameOf = (kind: Kind, consumer: TestConsumer, name: string): string =>
  kind === 'zones' ? `${consumer.name}-${name}` : `${name}-${consumer.name}`;

function timed(
  agent: Agent,
  world: GatewayWorld,
  { token }: TestConsumer,
  { method, body, type }: Pair,
  path: string,
): Promise<number> {
  const [host = '', port = ''] = (world.gateway.address ?? '').split(':');
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const headers = { authorization: `Bearer ${token}`, ...(type === undefined ? {} : { 'content-type': type }) };
    const sent = httpsRequest({ host, port, agent, method, path, headers }, (response) => {
      if (response.statusCode !== 404 && response.statusCode !== 403)
        reject(new Error(`${method} ${path}: ${String(response.statusCode)}`));
      response.resume().on('end', () => {
        resolve(performance.now() - from);
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const of = (times: readonly number[]) => ({
  p50: median(times),
  p90: quantile(times, 0.9),
  p99: quantile(times, 0.99),
});
const ms = (time: number): string => time.toFixed(3).padStart(7);

/** Share of pairs in which the first is longer, and the probability that chance explains it. */
function mannWhitney(first: readonly number[], second: readonly number[]): Pick<TimingCase, 'share' | 'p'> {
  const all = [...first.map((time) => ({ time, one: true })), ...second.map((time) => ({ time, one: false }))];
  all.sort((a, b) => a.time - b.time);
  // Readings of the machine's clock are practically never equal.
  const ranks = all.reduce((sum, { one }, index) => sum + (one ? index + 1 : 0), 0);
  const [many, others] = [first.length, second.length];
  const u = ranks - (many * (many + 1)) / 2;
  const z = (u - (many * others) / 2) / Math.sqrt((many * others * (many + others + 1)) / 12);
  return { share: u / (many * others), p: 2 * upperTail(Math.abs(z)) };
}

/** Of the normal distribution (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const sum = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * sum;
}

/** Against the goal for the gateway. */
export function gatewayTimingVerdicts(cases: readonly TimingCase[]): readonly Verdict[] {
  // A share that chance explains reveals nothing.
  const significant = cases.filter(({ p }) => p < 0.01);
  const apart = Math.max(0, ...significant.map(({ foreign, absent }) => Math.abs(foreign.p50 / absent.p50 - 1) * 100));
  const share = Math.max(...cases.map((each) => Math.abs(each.share - 0.5)));
  return [
    { figure: 'medians apart, beyond chance, %', measured: apart, goal: '≤ 5', reached: apart <= 5 },
    { figure: 'share of longer answers, off 0.5', measured: share, goal: '≤ 0.05', reached: share <= 0.05 },
  ];
}
