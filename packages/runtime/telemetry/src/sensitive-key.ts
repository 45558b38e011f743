/** Anywhere in a key, once case and punctuation are gone. */
const sensitive =
  /token|passw(?:or)?d|passphrase|secret|kubeconfig|authorization|credential|cookie|bearer|jwt|pwd|privatekey|apikey|accesskey|keydata|cadata|certificatedata|authoritydata|stringdata|connectionstring/;
/** What only says which secret, never what is in it. */
const reference =
  /(?:name|names|namespace|ref|refs|reference|uid|kind|count|expiry|expiresat|expiration|expirationseconds|resourceversion|generation)$/;

/** Whether the value under this key is a secret by its name alone: `token`, `clientSecret`, `ca-data`, … but not `secretName` or `secretRef`. */
export function isSensitiveKey(key: string): boolean {
  const plain = key.toLowerCase().replace(/[^a-z0-9]/g, '');
  return sensitive.test(plain) && !reference.test(plain);
}
