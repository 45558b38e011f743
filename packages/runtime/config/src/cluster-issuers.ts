import * as z from 'zod';

const KINDS_OF_KEYS: readonly unknown[] = ['RSA', 'EC', 'OKP'];

/** A public JSON Web Key. Keys must be unique: a shared key would prove nothing. */
const publicKey = z
  .record(z.string(), z.unknown())
  .refine((key) => !('d' in key), 'must be a public key: this one is private')
  .refine(({ kty }) => KINDS_OF_KEYS.includes(kty), 'its kty must be RSA, EC or OKP');

const clusterIssuer = z
  .strictObject({
    identity: z.string().min(1).max(1_024).describe("UID of the consumer cluster's namespace `kube-system`."),
    issuer: z
      .string()
      .min(1)
      .describe('`iss` of its ServiceAccount tokens, as in `kubectl get --raw /.well-known/openid-configuration`.'),
    jwks: z
      .strictObject({ keys: z.array(publicKey).min(1).describe('JSON Web Keys.') })
      .optional()
      .describe('Its public keys, as `kubectl get --raw /openid/v1/jwks` prints them.'),
    jwksUrl: z
      .string()
      .regex(
        /^$|^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/u,
        'must be an https URL; http is possible on the loopback interface alone',
      )
      .default('')
      .describe('URL of its public keys, instead of `jwks`. The portal finds new keys there.'),
    caFile: z
      .string()
      .default('')
      .describe('Path of a PEM file, for `jwksUrl`. Empty: the authorities of the platform.'),
    serviceAccount: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]*\/[a-z0-9][a-z0-9.-]*$/u, 'must be NAMESPACE/NAME')
      .default('kube-bind/konnector')
      .describe(
        'ServiceAccount whose tokens count, as `NAMESPACE/NAME`. Choose one that only administrators of the cluster can use.',
      ),
  })
  .refine(({ jwks, jwksUrl }) => (jwks === undefined) !== (jwksUrl === ''), 'needs one of jwks and jwksUrl');

/** Consumer clusters with the keys that sign their tokens: `provider.portal.clusterIssuers` of the config file. */
export const clusterIssuersSchema = z
  .array(clusterIssuer)
  .refine((all) => new Set(all.map(({ identity }) => identity)).size === all.length, 'must name each identity once')
  .default([])
  .describe('Consumer clusters that prove themselves by ServiceAccount tokens. Only such a token admits the cluster.');
