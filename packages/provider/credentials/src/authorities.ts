import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/**
 * The certificate authorities (PEM) that can replace the bundle `handedOut` without losing one: the wanted ones,
 * followed by those no longer wanted. Undefined if one of the two is missing, which means the authorities of the
 * consumer's own system, or is unreadable.
 */
export function withoutLoss(handedOut: string | undefined, wanted: string | undefined): string | undefined {
  const [before, after] = [authoritiesOf(handedOut), authoritiesOf(wanted)];
  if (wanted === undefined || before.size === 0 || after.size === 0) return undefined;
  const kept = [...before].filter(([fingerprint]) => !after.has(fingerprint)).map(([, text]) => `${text}\n`);
  return kept.length === 0 ? wanted : `${wanted.trimEnd()}\n${kept.join('')}`;
}

/** Whether `wanted` has an authority that was not handed out. */
export function hasNew(handedOut: string | undefined, wanted: string | undefined): boolean {
  const before = authoritiesOf(handedOut);
  return [...authoritiesOf(wanted).keys()].some((fingerprint) => !before.has(fingerprint));
}

/** Authorities by fingerprint; none if one is unreadable. */
function authoritiesOf(pem = ''): ReadonlyMap<string, string> {
  try {
    return new Map((pem.match(block) ?? []).map((text) => [new X509Certificate(text).fingerprint256, text]));
  } catch {
    return new Map();
  }
}
