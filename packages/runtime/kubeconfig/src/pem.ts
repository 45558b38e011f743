import { X509Certificate, createPrivateKey } from 'node:crypto';

/** Decodes base64 like Go: ignores line breaks, rejects all other deviations. `undefined`: invalid. */
export function decodeBase64(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.replaceAll(/[\r\n]/gu, '');
  if (text === '' || text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/u.test(text)) return undefined;
  return Buffer.from(text, 'base64').toString('utf8');
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/gu;

/** Reads the certificates of a PEM text; none if one is unreadable. */
export function readCertificates(pem: string): readonly X509Certificate[] {
  try {
    return (pem.match(CERTIFICATE) ?? []).map((block) => new X509Certificate(block));
  } catch {
    return [];
  }
}

/** Whether `cert` begins with a certificate and `key` is its private key. */
export function isKeyPair(cert: string, key: string): boolean {
  const [certificate] = readCertificates(cert);
  try {
    return certificate?.checkPrivateKey(createPrivateKey(key)) ?? false;
  } catch {
    return false;
  }
}
