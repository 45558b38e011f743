import { Refusal } from '../answer.js';
import { decideRedirect } from '../redirects.js';

/**
 * A terminal that waits for a choice on the pages, like `kubectl bind` of kube-bind 0.8
 * (spec/kube-bind-cli-and-charts.md §5.2).
 */
export interface Flow {
  /** A loopback address of the person's own machine. */
  readonly redirect: URL;
  /** Of the terminal, to recognise its answer. */
  readonly sessionId: string;
  /** Whether the terminal receives the code of a bundle and exchanges it: then no URL has the kubeconfig. */
  readonly byCode: boolean;
  /** Identity of the cluster to bind. */
  readonly consumerId: string;
}

export type FlowQuery = Readonly<Partial<Record<'redirect_url' | 'session_id' | 'consumer_id' | 'answer', string>>>;

/** Undefined without a waiting terminal. @throws {Refusal} for a forbidden address */
export function flowOf(query: FlowQuery, publicUrl: URL, terminals: boolean): Flow | undefined {
  const { redirect_url: target = '', session_id: sessionId = '', consumer_id: consumerId = '' } = query;
  if (target === '') return undefined;
  const byCode = query.answer === 'code';
  const decision = decideRedirect('cli', target, publicUrl, terminals || byCode);
  if (decision.kind === 'refused') throw new Refusal(400, 'BAD_REQUEST', `Nothing is bound: ${decision.reason}.`);
  if (sessionId === '' || consumerId === '')
    throw new Refusal(400, 'BAD_REQUEST', 'Nothing is bound: session_id or consumer_id is missing.');
  return { redirect: decision.url, sessionId, consumerId, byCode };
}

/** Query that carries the flow from page to page. Holds no secret. */
export function queryOfFlow(flow: Flow | undefined): string {
  if (flow === undefined) return '';
  const { redirect, sessionId, consumerId, byCode } = flow;
  const query = new URLSearchParams({ redirect_url: redirect.href, session_id: sessionId, consumer_id: consumerId });
  if (byCode) query.set('answer', 'code');
  return `?${query.toString()}`;
}

/** URL with the terminal's code for the bundle. */
export function codeFor({ redirect, sessionId }: Flow, code: string): URL {
  const url = new URL(redirect);
  url.searchParams.set('session_id', sessionId);
  url.searchParams.set('bundle_code', code);
  return url;
}

/** URL with the terminal's answer. The terminal reads the URL-safe alphabet, padded. */
export function answerOf({ redirect, sessionId, consumerId }: Flow, response: object): URL {
  const url = new URL(redirect);
  url.searchParams.set('session_id', sessionId);
  url.searchParams.set('consumer_id', consumerId);
  const text = Buffer.from(JSON.stringify(response)).toString('base64');
  url.searchParams.set('binding_response', text.replaceAll('+', '-').replaceAll('/', '_'));
  return url;
}
