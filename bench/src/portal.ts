import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hawser/client';
import { systemClock } from '@hawser/clock';
import { ensure } from '@hawser/installation';
import { installCRDs, providerCRDs, resources } from '@hawser/kube-bind';
import { eventually, freePort, startControlPlane } from '@hawser/testenv';
import { Browser } from '../../packages/provider/portal/src/testing/browser.js';
import { startForgingIssuer } from '../../packages/provider/portal/src/testing/forging-issuer.js';
import type { Verdict } from './konnector.js';
import { beginSignIns, startSlowClients } from './portal-storms.js';
import { makeConsumers } from './portal-consumers.js';
import { type Subject, startSubject } from './subject.js';
import { median, writers } from './writers.js';

export interface PortalBenchOptions {
  readonly signIns: number;
  readonly reads: number;
  /** Templates in the catalogue. */
  readonly templates: number;
  /** On the page of operators, each with {@link exports} exports. */
  readonly consumers: number;
  readonly exports: number;
  readonly root: string;
  readonly print: (line: string) => void;
}

/** Consumers on the operators' page, each with {@link exports} exports. */
export interface PortalResult {
  readonly signInsPerCore: number;
  readonly readsPerCore: number;
  readonly readP50: number;
  readonly readP99: number;
  /** Requests of the operators' page in sequence: median and maximum. */
  readonly operatorsP50: number;
  readonly operatorsMax: number;
  /** Memory that an idle portal adds to the provider role. */
  readonly addedBytes: number;
  /** Memory that {@link UNFINISHED} abandoned sign-ins add. */
  readonly unfinishedBytes: number;
  /** A request for the catalogue while {@link SLOW} others send a byte per second. */
  readonly besideSlowP99: number;
  /** Until the last of these was closed. */
  readonly slowClosedMs: number;
}

const WIDTH = 8;
const client = { id: 'bench', secret: 'bench-secret' };

/**
 * Measures sign-ins, requests for the catalogue, and an operator's requests for all consumers, on the program as
 * shipped.
 */
export async function benchPortal({
  signIns,
  reads,
  templates,
  consumers,
  exports,
  root,
  print,
}: PortalBenchOptions): Promise<PortalResult> {
  const folder = mkdtempSync(join(tmpdir(), 'hawser-bench-'));
  const plane = await startControlPlane({ name: 'provider' });
  const admin = createClient({ name: 'provider', connection: plane.connection, userAgent: 'bench' });
  const issuer = await startForgingIssuer(client.id, client.secret);
  issuer.groups = ['databases'];
  const opened: Subject[] = [];
  try {
    await prepare(admin, templates);
    const kubeconfig = join(folder, 'provider.kubeconfig');
    writeFileSync(kubeconfig, plane.kubeconfig, { mode: 0o600 });
    const open = async (name: string, portal: object | undefined): Promise<Subject> => {
      const file = join(folder, `${name}.json`);
      const address = `127.0.0.1:${await freePort()}`;
      writeFileSync(
        file,
        JSON.stringify({ roles: ['provider'], serverAddress: address, provider: { kubeconfig, portal } }),
      );
      const program = join(root, 'apps/supervisor/bin/hawser');
      const subject = startSubject(name, program, ['run', '--config', file], identity, join(folder, `${name}.log`));
      opened.push(subject);
      await eventually(async () => {
        const ready = await fetch(`http://${address}/readyz`);
        if (!ready.ok) throw new Error(`status ${ready.status}`);
      }, WITHIN);
      return subject;
    };
    const plain = await open('plain', undefined);
    const restBytes = await settledBytes(plain);
    await plain.stop();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const subject = await open('portal', {
      address: `127.0.0.1:${port}`,
      publicUrl: url,
      namespace: 'default',
      issuer: { url: issuer.url, clientId: client.id, clientSecret: client.secret },
      requestsPerMinute: 1_000_000_000,
    });
    await eventually(() => fetch(`${url}/healthz`), WITHIN);
    const addedBytes = (await settledBytes(subject)) - restBytes;
    print(`an idle portal adds ${(addedBytes / 1e6).toFixed(0)} MB`);
    const cookie = await signIn(url);
    await look(url, cookie, 500);
    const signed = await cpuOf(subject, () => writers(signIns, WIDTH, () => signIn(url)));
    print(`${signIns} sign-ins: ${(signed / signIns).toFixed(2)} ms CPU each`);
    const times: number[] = [];
    const looked = await cpuOf(subject, async () => {
      times.push(...(await look(url, cookie, reads)));
    });
    times.sort((a, b) => a - b);
    const at = (share: number): number => times[Math.floor(times.length * share)] ?? Number.NaN;
    print(
      `${reads} looks at ${templates} templates: ${(looked / reads).toFixed(2)} ms CPU each, p50 ${at(0.5).toFixed(1)} ms, p99 ${at(0.99).toFixed(1)} ms`,
    );
    const storms = await storm(subject, url, cookie, print);
    await makeConsumers(admin, consumers, exports);
    const overviews: number[] = [];
    const overviewed = await cpuOf(subject, async () => {
      overviews.push(...(await overview(`${url}/consumers`, cookie)));
    });
    print(
      `${consumers} consumers with ${exports} exports each: ${(overviewed / overviews.length).toFixed(0)} ms CPU a look, p50 ${median(overviews).toFixed(0)} ms, at most ${Math.max(...overviews).toFixed(0)} ms`,
    );
    return {
      operatorsP50: median(overviews),
      operatorsMax: Math.max(...overviews),
      signInsPerCore: (signIns * 1_000) / signed,
      readsPerCore: (reads * 1_000) / looked,
      readP50: at(0.5),
      readP99: at(0.99),
      addedBytes,
      ...storms,
    };
  } finally {
    for (const subject of opened) await subject.stop();
    await issuer.close();
    await admin.close();
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function portalVerdicts({
  signInsPerCore,
  readsPerCore,
  readP99,
  operatorsP50,
  addedBytes,
  unfinishedBytes,
  besideSlowP99,
  slowClosedMs,
}: PortalResult): readonly Verdict[] {
  const least = (figure: string, measured: number, goal: number): Verdict => ({
    figure,
    measured,
    goal: `≥ ${goal}`,
    reached: measured >= goal,
  });
  const most = (figure: string, measured: number, goal: number): Verdict => ({
    figure,
    measured,
    goal: `≤ ${goal}`,
    reached: measured <= goal,
  });
  return [
    least('sign-ins/s of one core', signInsPerCore, 100),
    least('catalogue reads/s of one core', readsPerCore, 500),
    most('catalogue read p99, ms', readP99, 100),
    most('page of operators p50, ms', operatorsP50, 1_000),
    most('idle portal, MB', addedBytes / 1e6, 25),
    most('10 000 unfinished sign-ins, MB', unfinishedBytes / 1e6, 5),
    most('catalogue read p99 beside slow clients, ms', besideSlowP99, 100),
    most('slow clients are closed, s', slowClosedMs / 1_000, 21),
  ];
}

const identity = { POD_NAME: 'bench', POD_NAMESPACE: 'default' };
const WITHIN = { timeoutMs: 60_000, intervalMs: 100 };
const LOOKS = 20;

const UNFINISHED = 10_000;
const SLOW = 500;

/** Effect of clients that only cost: abandoned sign-ins, and requests that never end. */
async function storm(
  subject: Subject,
  url: string,
  cookie: string,
  print: (line: string) => void,
): Promise<Pick<PortalResult, 'unfinishedBytes' | 'besideSlowP99' | 'slowClosedMs'>> {
  // As many in advance: the heap gets the size for such a rate.
  await beginSignIns(url, UNFINISHED);
  const before = await settledBytes(subject);
  await beginSignIns(url, UNFINISHED);
  const unfinishedBytes = (await settledBytes(subject)) - before;
  print(`${UNFINISHED} unfinished sign-ins add ${(unfinishedBytes / 1e6).toFixed(1)} MB`);
  const slow = await startSlowClients(url, SLOW);
  const times = [...(await look(url, cookie, 2_000))].sort((a, b) => a - b);
  const besideSlowP99 = times[Math.floor(times.length * 0.99)] ?? Number.NaN;
  const slowClosedMs = await slow.closed;
  print(
    `${SLOW} slow clients: p99 ${besideSlowP99.toFixed(1)} ms beside them, closed after ${(slowClosedMs / 1_000).toFixed(1)} s`,
  );
  return { unfinishedBytes, besideSlowP99, slowClosedMs };
}

/** The minimum of some readings: garbage is collected by then. */
async function settledBytes(subject: Subject): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < LOOKS; count++) {
    least = Math.min(least, subject.rssBytes());
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return least;
}

async function cpuOf(subject: Subject, work: () => Promise<unknown>): Promise<number> {
  const before = subject.cpu().total;
  await work();
  return subject.cpu().total - before;
}

/** Like a browser, that returns with a cookie. */
async function signIn(url: string): Promise<string> {
  const browser = new Browser();
  const query = new URLSearchParams({ redirect_url: `${url}/page`, session_id: 'bench', client_type: 'ui' });
  const { status } = await browser.follow(
    `${url}/api/authorize?${query.toString()}`,
    ({ pathname }) => pathname === '/page',
  );
  if (status !== 302) throw new Error(`a sign-in ended with ${status}`);
  return [...browser.cookies(url)].map(([name, value]) => `${name}=${value}`).join('; ');
}

/** Duration of each request for all consumers. */
async function overview(url: string, cookie: string): Promise<readonly number[]> {
  const times: number[] = [];
  for (let count = 0; count < LOOKS; count++) {
    const start = performance.now();
    const answer = await fetch(url, { headers: { cookie } });
    await answer.text();
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    times.push(performance.now() - start);
  }
  return times;
}

/** Duration of each request for the catalogue. */
async function look(url: string, cookie: string, count: number): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: WIDTH });
  const times: number[] = [];
  await writers(count, WIDTH, async () => {
    const start = performance.now();
    await new Promise<void>((resolve, reject) => {
      get(url, { agent, headers: { cookie } }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode ?? 0}`));
        response.resume().once('end', resolve);
      }).once('error', reject);
    });
    times.push(performance.now() - start);
  });
  agent.destroy();
  return times;
}

async function prepare(admin: ReturnType<typeof createClient>, templates: number): Promise<void> {
  await installCRDs(admin, providerCRDs, { clock: systemClock });
  for (let index = 0; index < templates; index++)
    await ensure(admin, resources.apiServiceExportTemplates, {
      apiVersion: 'kube-bind.io/v1alpha2',
      kind: 'APIServiceExportTemplate',
      metadata: { name: `template-${index}` },
      spec: {
        scope: 'Namespaced',
        resources: [{ group: 'example.com', resource: `things${index}`, versions: ['v1'] }],
      },
    } as Parameters<typeof ensure>[2]);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'may-bind' };
  await ensure(admin, resources.clusterRoles, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: roleRef.name },
    rules: [
      { apiGroups: ['kube-bind.io'], resources: ['apiserviceexporttemplates'], verbs: ['bind'] },
      { apiGroups: ['kube-bind.io'], resources: ['clusterbindings'], verbs: ['list'] },
    ],
  } as Parameters<typeof ensure>[2]);
  await ensure(admin, resources.clusterRoleBindings, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: roleRef.name },
    roleRef,
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'databases' }],
  } as Parameters<typeof ensure>[2]);
}
