import { createHash } from 'node:crypto';

/**
 * The consumer's part of a cluster namespace's name (spec/kube-bind-api.md §13.1): the first eight bytes of SHA-224 in
 * base 36, with one more `0` in front for each leading zero byte.
 */
export function identityHash(identity: string): string {
  const bytes = createHash('sha224').update(identity, 'utf8').digest().subarray(0, 8);
  let leadingZeros = 0;
  while (leadingZeros < bytes.length && bytes[leadingZeros] === 0) leadingZeros++;
  return '0'.repeat(leadingZeros) + bytes.readBigUInt64BE().toString(36);
}
