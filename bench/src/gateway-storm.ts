import { type IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';
import { rawRequest } from '@hawser/testenv';
import type { ConnectionConfig } from '@hawser/kubeconfig';
import { pause, quantile } from './writers.js';

/** One konnector that reconnects. */
export interface Comer {
  readonly token: string;
  /** Lists of its resources, relative to the gateway's address. */
  readonly paths: readonly string[];
}

export interface StormResult {
  /** Milliseconds from the start of the gateway's process until half, and all, of them have listed and watch again. */
  readonly halfMs: number;
  readonly allMs: number;
  /** Of that, the time until it answered as ready. */
  readonly readyMs: number;
  /** From when a konnector first came to a gateway that was ready until it watches again: half and the slowest, in milliseconds. Without what it waited since it had found nobody there. */
  readonly servedHalfMs: number;
  readonly servedMs: number;
  /** Answers that asked for a retry, by status. */
  readonly refusals: Readonly<Record<string, number>>;
  /** TokenReviews of the API server in that time. */
  readonly tokenReviews: number;
}

const FIRST_MS = 500;
const MOST_MS = 10_000;

/** All reconnect as soon as the gateway is gone, and then by their back-off, as konnectors do. */
export async function storm(
  comers: readonly Comer[],
  { address, caData }: { readonly address: string; readonly caData: string },
  restart: () => Promise<unknown>,
  plane: ConnectionConfig,
): Promise<StormResult> {
  const reviews = await tokenReviews(plane);
  const from = performance.now();
  const refusals: Record<string, number> = {};
  const done: number[] = [];
  const served: number[] = [];
  const ready: { at?: number } = {};
  const ends: (() => void)[] = [];
  const coming = comers.map(async ({ token, paths }) => {
    const agent = new Agent({ keepAlive: true, ca: caData });
    ends.push(() => {
      agent.destroy();
    });
    let cameAt: number | undefined;
    const until = async (path: string): Promise<string> => {
      for (let wait = FIRST_MS; ; wait = Math.min(MOST_MS, wait * 2)) {
        if (ready.at !== undefined) cameAt ??= performance.now();
        const { status, text, retryAfterMs } = await ask(agent, address, token, path);
        if (status === 200) return text;
        refusals[status] = (refusals[status] ?? 0) + 1;
        await pause(Math.max(retryAfterMs, wait * (0.5 + Math.random() / 2)));
      }
    };
    await Promise.all(
      paths.map(async (path) => {
        const { metadata } = JSON.parse(await until(path)) as {
          readonly metadata: { readonly resourceVersion: string };
        };
        await until(`${path}?watch=true&resourceVersion=${metadata.resourceVersion}`);
      }),
    );
    done.push(performance.now() - from);
    served.push(performance.now() - (cameAt ?? ready.at ?? performance.now()));
  });
  await restart();
  ready.at = performance.now();
  const readyMs = ready.at - from;
  await Promise.all(coming);
  for (const end of ends) end();
  return {
    halfMs: quantile(done, 0.5),
    allMs: Math.max(...done),
    readyMs,
    servedHalfMs: quantile(served, 0.5),
    servedMs: Math.max(...served),
    refusals,
    tokenReviews: (await tokenReviews(plane)) - reviews,
  };
}

/** Status 0: connection refused. For a watch, waits only for the response head. */
function ask(
  agent: Agent,
  address: string,
  token: string,
  path: string,
): Promise<{ readonly status: number; readonly text: string; readonly retryAfterMs: number }> {
  const [host = '', port = ''] = address.split(':');
  return new Promise((resolve) => {
    const lost = (): void => {
      resolve({ status: 0, text: '', retryAfterMs: 0 });
    };
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    const sent = httpsRequest({ host, port, agent, path, headers }, (response: IncomingMessage) => {
      const status = response.statusCode ?? 0;
      const retryAfterMs = Number(response.headers['retry-after'] ?? '0') * 1_000;
      response.on('error', lost);
      if (status === 200 && path.includes('watch=true')) {
        response.resume();
        resolve({ status, text: '', retryAfterMs });
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ status, text: Buffer.concat(chunks).toString('utf8'), retryAfterMs });
      });
    });
    sent.on('error', lost);
    sent.end();
  });
}

/** As the API server counts them. */
async function tokenReviews(plane: ConnectionConfig): Promise<number> {
  const { text } = await rawRequest(plane, { method: 'GET', path: '/metrics' });
  return text
    .split('\n')
    .filter((line) => /^apiserver_request_total\{.*resource="tokenreviews"/u.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
