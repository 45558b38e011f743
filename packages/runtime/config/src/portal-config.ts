import * as z from 'zod';

import { clusterIssuersSchema } from './cluster-issuers.js';
import { issuerProblems } from './issuer-problems.js';

const fields = z.strictObject({
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
      type: z
        .enum(['external', 'embedded'])
        .default('external')
        .describe(
          '`external`: an identity provider of yours. `embedded`: one of this process, for trying out. It has two people without passwords, so it works on the loopback interface alone: `address` and `publicUrl` must be there, and `trustedProxies` empty.',
        ),
      url: z
        .string()
        .regex(
          /^$|^https:\/\/|^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/u,
          'must be an https URL; http is possible on the loopback interface alone',
        )
        .default('')
        .describe(
          'Of the OpenID Connect identity provider; `external` needs it. `embedded`: where it listens; empty: `http://127.0.0.1:5556`.',
        ),
      clientId: z
        .string()
        .default('')
        .describe('Of this portal, at the identity provider; `external` needs it, `embedded` makes its own.'),
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
      "Where requests for consumers, keys and ended sessions stand; only operators may write there. Empty: the Lease's.",
    ),
  sessionSeconds: z.int().min(60).max(86_400).default(3_600).describe('How long a sign-in lasts.'),
  refreshSeconds: z
    .int()
    .min(0)
    .max(2_592_000)
    .default(0)
    .describe(
      'How long after a sign-in `kubectl bind` renews it without a browser, where the identity provider gives refresh tokens (scope `offline_access`). 0: people sign in again.',
    ),
  konnectorImage: z
    .string()
    .default('')
    .describe(
      'Image of Hawser. With it the portal serves the manifests of a konnector with the least rights, for clusters that have none. Empty: it serves none.',
    ),
  terminals: z
    .boolean()
    .default(true)
    .describe(
      'Whether a sign-in may end at a loopback address with a token in the query, and a binding with a kubeconfig in it, as `kubectl bind` of kube-bind needs it. A terminal that exchanges codes needs neither.',
    ),
  deviceCodes: z
    .boolean()
    .default(false)
    .describe(
      'Whether `kubectl bind login --device-code` works: a terminal that no browser reaches shows a code, which a person types into a page. Whoever talks a person into typing theirs is that person then.',
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
  clusterIssuers: clusterIssuersSchema,
  clustersPerPerson: z
    .int()
    .min(1)
    .default(20)
    .describe('Clusters that one person may bring in. Those of others that they share do not count.'),
  bindingsPerPerson: z.int().min(1).default(200).describe('Bindings of these clusters together.'),
  quotas: z
    .array(
      z.strictObject({
        group: z.string().min(1).describe('Of the identity provider.'),
        clusters: z.int().min(0).optional().describe('In the place of `clustersPerPerson`.'),
        bindings: z.int().min(0).optional().describe('In the place of `bindingsPerPerson`.'),
      }),
    )
    .default([])
    .describe('Of members of a group. Who is in several has the highest of each.'),
  oneClickApply: z
    .strictObject({
      hosts: z
        .array(
          z
            .string()
            .regex(/^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/u, 'must be a host in lower case, or `*.` and a domain'),
        )
        .default([])
        .describe('API servers by name, or `*.example.com` for all below. Their addresses have to be public ones.'),
      networks: z
        .array(z.union([z.cidrv4(), z.cidrv6()]))
        .default([])
        .describe(
          'API servers by address, in CIDR notation, private ones included. Link-local addresses and those of metadata services are never reached; those of the loopback interface only where `publicUrl` is there, too.',
        ),
      ports: z.array(z.int().min(1).max(65_535)).min(1).default([443, 6_443]).describe('Of these API servers.'),
    })
    .refine(({ hosts, networks }) => hosts.length + networks.length > 0, {
      path: ['hosts'],
      error: 'name at least one host or network that the portal may connect to',
    })
    .optional()
    .describe(
      'Present: the portal applies bundles by kubeconfigs that people hand over, in clusters whose API servers are named here. Each is used once, in memory. Absent: it takes none.',
    ),
  requestsPerMinute: z
    .int()
    .min(10)
    .default(300)
    .describe('Of one address (of IPv6: of one /64), and of one person. More are refused with 429.'),
});

/** Addresses of the portal and the issuers that it trusts: `provider.portal` of the config file. */
export const portalSchema = fields.superRefine((portal, context) => {
  for (const { path, message } of issuerProblems(portal))
    context.addIssue({ code: 'custom', path: [...path], message });
});

export type PortalInput = z.input<typeof portalSchema>;
