import { X509Certificate } from 'node:crypto';

const block = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/**
 * Whether a bundle of certificate authorities (PEM) has come to say more: each of those that were handed out is still there, and others besides. So whoever gets it loses nothing. False
 * where one of the two is missing, which means the authorities of the consumer's own system, and where one cannot be read.
 */
export function haveGrown(handedOut: string | undefined, wanted: string | undefined): boolean {
  const [before, after] = [authoritiesOf(handedOut), authoritiesOf(wanted)];
  return before.size > 0 && after.size > before.size && [...before].every((one) => after.has(one));
}

/** By fingerprint; none if one of them cannot be read. */
function authoritiesOf(pem = ''): ReadonlySet<string> {
  try {
    return new Set((pem.match(block) ?? []).map((text) => new X509Certificate(text).fingerprint256));
  } catch {
    return new Set();
  }
}
