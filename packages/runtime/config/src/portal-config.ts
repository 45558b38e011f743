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
      'URL of the portal for people, such as `https://portal.example.com`. All its URLs begin with it, whatever a request contains.',
    ),
  tls: z
    .strictObject({
      certFile: z.string().min(1).describe('Path of a PEM file.'),
      keyFile: z.string().min(1).describe('Path of a PEM file.'),
    })
    .optional()
    .describe(
      'Present: the portal serves TLS, and reads changed files again. Absent: plain HTTP, behind a proxy that serves TLS.',
    ),
  trustedProxies: z
    .array(z.string().min(1))
    .default([])
    .describe('Addresses or networks of proxies whose `X-Forwarded-For` the portal trusts.'),
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
          'URL of the OpenID Connect identity provider; `external` needs it. `embedded`: its own address; empty: `http://127.0.0.1:5556`.',
        ),
      clientId: z
        .string()
        .default('')
        .describe('Client of this portal at the identity provider; `external` needs it, `embedded` creates it.'),
      clientSecret: z
        .string()
        .default('')
        .describe('Prefer `clientSecretFile`, or the environment variable OIDC_CLIENT_SECRET.'),
      clientSecretFile: z
        .string()
        .default('')
        .describe(
          'Path of a file. Empty: `clientSecret`, else the environment variable OIDC_CLIENT_SECRET; without either a public client.',
        ),
      caFile: z.string().default('').describe('Path of a PEM file. Empty: the authorities of the platform.'),
      callbackUrl: z.string().default('').describe('Empty: the public URL and `/api/callback`.'),
    })
    .describe('Identity provider.'),
  namespace: z
    .string()
    .default('')
    .describe(
      'Namespace for requests, keys and ended sessions. Let only operators write there. Empty: the namespace of the Lease.',
    ),
  sessionSeconds: z.int().min(60).max(86_400).default(3_600).describe('Life of a sign-in.'),
  refreshSeconds: z
    .int()
    .min(0)
    .max(2_592_000)
    .default(0)
    .describe(
      'Time after a sign-in in which `kubectl bind` renews it without a browser, if the identity provider issues refresh tokens (scope `offline_access`). 0: people sign in again.',
    ),
  konnectorImage: z
    .string()
    .default('')
    .describe(
      'Image of Hawser. With it the portal serves manifests of a konnector with least rights, for clusters without one. Empty: no manifests.',
    ),
  terminals: z
    .boolean()
    .default(true)
    .describe(
      "Let a sign-in end at a loopback address with a token in the query, and a binding with a kubeconfig, as kube-bind's `kubectl bind` needs it. Terminals that exchange codes need neither.",
    ),
  deviceCodes: z
    .boolean()
    .default(false)
    .describe(
      "Allow `kubectl bind login --device-code`: a terminal without a browser shows a code, and a person types it into a page. Risk: an attacker who persuades a person to type the attacker's code gets that person's sign-in.",
    ),
  allowed: z
    .strictObject({
      users: z.array(z.string().min(1)).default([]).describe('Subjects of the identity provider.'),
      groups: z.array(z.string().min(1)).default([]).describe('Groups of the identity provider.'),
    })
    .prefault({})
    .describe('People who may bind everything. Others need the verb `bind` on templates and collections by RBAC.'),
  prefixes: z
    .strictObject({
      user: z.string().default('').describe('Like `--oidc-username-prefix` of kube-apiserver.'),
      group: z.string().default('').describe('Like `--oidc-groups-prefix` of kube-apiserver.'),
    })
    .prefault({})
    .describe('Prefixes of the names of people and groups in RBAC.'),
  clusterIssuers: clusterIssuersSchema,
  clustersPerPerson: z
    .int()
    .min(1)
    .default(20)
    .describe('Clusters that one person may own. Shared clusters of others do not count.'),
  bindingsPerPerson: z.int().min(1).default(200).describe('Bindings of all clusters of one person.'),
  quotas: z
    .array(
      z.strictObject({
        group: z.string().min(1).describe('Group of the identity provider.'),
        clusters: z.int().min(0).optional().describe('Instead of `clustersPerPerson`.'),
        bindings: z.int().min(0).optional().describe('Instead of `bindingsPerPerson`.'),
      }),
    )
    .default([])
    .describe('Quotas for members of a group. A person in several groups gets the highest of each.'),
  oneClickApply: z
    .strictObject({
      hosts: z
        .array(
          z
            .string()
            .regex(/^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/u, 'must be a host in lower case, or `*.` and a domain'),
        )
        .default([])
        .describe('API servers by name, or `*.example.com` for all subdomains. Their addresses must be public.'),
      networks: z
        .array(z.union([z.cidrv4(), z.cidrv6()]))
        .default([])
        .describe(
          'API servers by address, in CIDR notation; private addresses too. The portal never connects to link-local addresses and metadata services, and to loopback addresses only if `publicUrl` is one.',
        ),
      ports: z.array(z.int().min(1).max(65_535)).min(1).default([443, 6_443]).describe('Ports of these API servers.'),
    })
    .refine(({ hosts, networks }) => hosts.length + networks.length > 0, {
      path: ['hosts'],
      error: 'name at least one host or network that the portal may connect to',
    })
    .optional()
    .describe(
      'Present: people may give the portal a kubeconfig, and it applies the bundle in clusters whose API servers are listed here. It uses each kubeconfig once, in memory. Absent: it accepts none.',
    ),
  requestsPerMinute: z
    .int()
    .min(10)
    .default(300)
    .describe('Requests of one address (for IPv6: one /64 network), and of one person. More get 429.'),
});

/** Addresses of the portal and the issuers that it trusts: `provider.portal` of the config file. */
export const portalSchema = fields.superRefine((portal, context) => {
  for (const { path, message } of issuerProblems(portal))
    context.addIssue({ code: 'custom', path: [...path], message });
});

export type PortalInput = z.input<typeof portalSchema>;
