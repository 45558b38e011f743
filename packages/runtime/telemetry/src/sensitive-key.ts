/** Matched anywhere in a key, without case and punctuation. */
const sensitive =
  /token|passw(?:or)?d|passphrase|secret|kubeconfig|authorization|credential|cookie|bearer|jwt|pwd|privatekey|apikey|accesskey|keydata|cadata|certificatedata|authoritydata|stringdata|connectionstring/;
/** Keys that only name a secret, and never contain it. */
const reference =
  /(?:name|names|namespace|ref|refs|reference|uid|kind|count|expiry|expiresat|expiration|expirationseconds|resourceversion|generation)$/;

/**
 * Whether the name of a key marks its value as secret: `token`, `clientSecret`, `ca-data`, … but not `secretName` or
 * `secretRef`.
 */
export function isSensitiveKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  return sensitive.test(plain) && !reference.test(plain);
}
