import { X509Certificate, createPrivateKey } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----/u;
const KEY = /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/u;

/** Message of Go's `tls.X509KeyPair` about a certificate and key that do not match. */
export function tlsWarning(data: ReadonlyMap<string, string>): readonly string[] {
  const text = (key: string): string => Buffer.from(data.get(key) ?? '', 'base64').toString('utf8');
  const cert = text('tls.crt');
  const key = text('tls.key');
  if (!CERTIFICATE.test(cert)) return ['tls: failed to find any PEM data in certificate input'];
  if (!KEY.test(key)) return ['tls: failed to find any PEM data in key input'];
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
      ? []
      : ['tls: private key does not match public key'];
  } catch {
    return ['tls: failed to parse private key'];
  }
}
