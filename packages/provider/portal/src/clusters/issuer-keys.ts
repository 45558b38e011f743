import { type JSONWebKeySet, type JWTVerifyGetKey, createLocalJWKSet, createRemoteJWKSet, customFetch } from 'jose';
import { Agent } from 'undici';
import { fetchOver } from '../agent-fetch.js';
import type { ClusterIssuer } from '../options.js';

const TIMEOUT_MS = 5_000;
/** Minimum pause between lookups of unknown keys. */
const COOLDOWN_MS = 30_000;
const LIFE_MS = 600_000;
const MOST_BYTES = 1_048_576;

/** Public signing keys of clusters: from the config, or from its URL, read again when a new key is used. */
export class IssuerKeys {
  readonly #agents: Agent[] = [];

  of({ jwks, jwksUrl, ca }: ClusterIssuer): JWTVerifyGetKey {
    if (jwksUrl === undefined) return createLocalJWKSet((jwks ?? { keys: [] }) as JSONWebKeySet);
    const agent = new Agent({
      allowH2: false,
      maxResponseSize: MOST_BYTES,
      connect: ca === undefined ? {} : { ca },
    });
    this.#agents.push(agent);
    return createRemoteJWKSet(new URL(jwksUrl), {
      timeoutDuration: TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: LIFE_MS,
      [customFetch]: (target, init) => fetchOver(agent, target, init),
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.destroy()));
  }
}
