import { type JsonValue, stringify } from '@hawser/json';
import { dig } from './answer.js';
import type { Answer } from './answer.js';
import type { Api, CallOptions, Calls } from './api.js';
import { type Call, createCalls, toRequest, withQuery } from './call.js';
import { type Case, caseId } from './case.js';
import { createCaseWatch } from './case-watch.js';
import type { Exchange, Transcript } from './exchange.js';
import { fixturePath } from './fixtures.js';
import { normalise } from './normalise.js';
import { builtInPath, groupPath } from './paths.js';
import { poll, untilServed } from './served.js';
import type { ServerUnderTest } from './server.js';

/**
 * Runs one case; returns its normalised transcript. Rethrows the case's error, with the last exchanges in the message.
 */
export async function runCase(one: Case, server: ServerUnderTest): Promise<Transcript> {
  const id = caseId(one);
  const exchanges: Exchange[] = [];
  const generated = new Set<string>();
  const api = createApi(server, id, exchanges, generated);
  await api.quietly.create('/api/v1/namespaces', { metadata: { name: id } });
  try {
    await one.run(api);
  } catch (error) {
    throw new Error(
      `${one.group}: ${one.title}: ${error instanceof Error ? error.message : String(error)}\n${exchanges
        .slice(-2)
        .map((exchange) => stringify(exchange).slice(0, 1500))
        .join('\n')}`,
      { cause: error },
    );
  }
  return normalise(exchanges, { managedFields: one.managedFields, generated });
}

function createApi(server: ServerUnderTest, id: string, exchanges: Exchange[], generated: Set<string>): Api {
  const noticeGenerated = ({ body, answer }: Call): void => {
    if (typeof body !== 'object') return;
    const prefix = dig(body as JsonValue, ['metadata', 'generateName']);
    if (typeof prefix !== 'string' || dig(body as JsonValue, ['metadata', 'name']) !== undefined) return;
    for (const [name] of stringify(answer.body).matchAll(
      new RegExp(
        `${prefix.slice(0, 58).replaceAll(/[^a-zA-Z0-9]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`)}[bcdfghjklmnpqrstvwxz2456789]{5}`,
        'gu',
      ),
    ))
      generated.add(name);
  };
  const calls = createCalls(server, (call) => {
    noticeGenerated(call);
    exchanges.push(exchangeOf(call));
  });
  const silent = createCalls(server, noticeGenerated);
  const quietly = succeeding(silent);
  const group = `${id}.conformance.test`;
  const eventually: Api['eventually'] = (call, done) => poll(() => call(silent), done);
  return {
    ...calls,
    id,
    namespace: id,
    group,
    quietly,
    path: (resource, ...rest) => builtInPath(resource, id, ...rest),
    fixture: (resource, ...rest) => fixturePath(resource, id, ...rest),
    custom: (version, resource, ...rest) => groupPath(group, version, 'namespaces', id, resource, ...rest),
    async define(definition) {
      const created = await quietly.create(builtInPath('customresourcedefinitions', id), definition);
      await untilServed(silent, created);
    },
    async watch(path, options = {}) {
      const {
        headers = {},
        path: full,
        as,
      } = toRequest('GET', withQuery(path, { query: { watch: 'true' } }), undefined, options);
      const watch = await server.watch({ path: full, headers, as });
      const record = { status: watch.status, headers: watch.headers, events: [] };
      exchanges.push({ request: `WATCH ${withQuery(path, options)}`, ...record });
      return createCaseWatch(watch, record);
    },
    async until(path, done, options = {}) {
      const answer = await poll(() => silent.get(path, options), done);
      exchanges.push(exchangeOf({ method: 'GET', path: withQuery(path, options), body: undefined, options, answer }));
      return answer;
    },
    eventually,
    compact: () => server.compact(),
    note: (what, value) => {
      exchanges.push({ request: `NOTE ${what}`, status: 0, body: value });
    },
  };
}

function exchangeOf({
  method,
  path,
  options,
  answer,
}: Pick<Call, 'method' | 'path' | 'answer'> & { readonly options: CallOptions; readonly body: unknown }): Exchange {
  return {
    request: `${method} ${path}`,
    status: answer.status,
    headers: answer.headers,
    body: options.select === undefined ? answer.body : options.select(answer.body),
  };
}

function succeeding(calls: Calls): Calls {
  const checked = async (what: string, pending: Promise<Answer>): Promise<Answer> => {
    const answer = await pending;
    if (answer.status >= 400) throw new Error(`preparing: ${what}: ${answer.status} ${stringify(answer.body)}`);
    return answer;
  };
  return {
    request: (method, path, body, options) => checked(`${method} ${path}`, calls.request(method, path, body, options)),
    get: (path, options) => checked(`GET ${path}`, calls.get(path, options)),
    create: (path, body, options) => checked(`POST ${path}`, calls.create(path, body, options)),
    replace: (path, body, options) => checked(`PUT ${path}`, calls.replace(path, body, options)),
    patch: (type, path, body, options) => checked(`PATCH ${path}`, calls.patch(type, path, body, options)),
    delete: (path, body, options) => checked(`DELETE ${path}`, calls.delete(path, body, options)),
  };
}
