import * as z from 'zod';

/** How the portal is reached, and whom it believes: `provider.portal` of the config file. */
export const portalSchema = z.strictObject({
  address: z.string().min(1).default(':8443').describe('`host:port` to listen on.'),
  publicUrl: z
    .string()
    .regex(
      /^https:\/\/[^\s/]+\/?$|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?\/?$/u,
      'must be an https URL without a path; http is possible on the loopback interface alone',
    )
    .describe(
      'Where people reach it, as `https://portal.example.com`. Its own URLs begin with this, whatever a request says.',
    ),
  tls: z
    .strictObject({
      certFile: z.string().min(1).describe('Path of a PEM file.'),
      keyFile: z.string().min(1).describe('Path of a PEM file.'),
    })
    .optional()
    .describe(
      'Present: TLS ends here, with files that are read again when they change. Absent: plain HTTP, behind something that ends TLS.',
    ),
  trustedProxies: z
    .array(z.string().min(1))
    .default([])
    .describe('Addresses or networks of proxies whose `X-Forwarded-For` says who asks.'),
  issuer: z
    .strictObject({
      url: z
        .string()
        .regex(
          /^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/u,
          'must be an https URL; http is possible on the loopback interface alone',
        )
        .describe('Of the OpenID Connect identity provider.'),
      clientId: z.string().min(1).describe('Of this portal, at the identity provider.'),
      clientSecret: z
        .string()
        .default('')
        .describe('Better in a file, or in the environment variable OIDC_CLIENT_SECRET.'),
      clientSecretFile: z
        .string()
        .default('')
        .describe(
          'Path of a file. Empty: `clientSecret`, else the environment variable OIDC_CLIENT_SECRET; without either a public client.',
        ),
      caFile: z.string().default('').describe('Path of a PEM file. Empty: the authorities of the platform.'),
      callbackUrl: z.string().default('').describe('Empty: the public URL and `/api/callback`.'),
    })
    .describe('Where people sign in.'),
  namespace: z
    .string()
    .default('')
    .describe(
      "Where requests for consumers, keys and ended sessions stand; nobody but operators may write there. Empty: the Lease's.",
    ),
  sessionSeconds: z.int().min(60).max(86_400).default(3_600).describe('How long a sign-in lasts.'),
  terminals: z
    .boolean()
    .default(true)
    .describe(
      'Whether a sign-in may end at a loopback address with a token in the query, as `kubectl bind login` of kube-bind needs it.',
    ),
  allowed: z
    .strictObject({
      users: z.array(z.string().min(1)).default([]).describe('Subjects of the identity provider.'),
      groups: z.array(z.string().min(1)).default([]).describe('Groups of the identity provider.'),
    })
    .prefault({})
    .describe(
      'Who may bind everything, besides those to whom RBAC gives the verb `bind` on templates and collections.',
    ),
  prefixes: z
    .strictObject({
      user: z.string().default('').describe('As `--oidc-username-prefix` of kube-apiserver.'),
      group: z.string().default('').describe('As `--oidc-groups-prefix` of kube-apiserver.'),
    })
    .prefault({})
    .describe('Before the names of people and groups in RBAC.'),
  clustersPerPerson: z
    .int()
    .min(1)
    .default(20)
    .describe('Clusters that one person may bring in. Those of others that they share do not count.'),
  requestsPerMinute: z.int().min(10).default(300).describe('Of one address. More are refused with 429.'),
});

export type PortalInput = z.input<typeof portalSchema>;
