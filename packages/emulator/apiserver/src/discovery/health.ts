import type { ApiResponse, Endpoint } from '../parts.js';
import { textAnswer } from './json-answer.js';

const names = ['healthz', 'readyz', 'livez'];
const checks = ['ping', 'log', 'etcd'];

/** `/healthz`, `/readyz` and `/livez`: a server that answers is healthy. */
export const healthEndpoint: Endpoint = {
  handle(_request, { path, query }): ApiResponse | undefined {
    const [name = '', check, ...rest] = path.replace(/\/$/, '').slice(1).split('/');
    if (!names.includes(name) || rest.length > 0) return undefined;
    if (check !== undefined) return checks.includes(check) ? textAnswer('ok') : undefined;
    if (!query.has('verbose')) return textAnswer('ok');
    return textAnswer(`${checks.map((each) => `[+]${each} ok`).join('\n')}\n${name} check passed\n`);
  },
};
