import * as z from 'zod';

/** `provider.gateway` */
export const gatewaySchema = z.strictObject({
  address: z
    .string()
    .regex(/:\d{1,5}$/u, 'must be host:port or :port')
    .default(':6443')
    .describe('`host:port` on which the role gateway listens.'),
  tls: z
    .strictObject({
      certFile: z.string().min(1).describe('Path of a PEM file.'),
      keyFile: z.string().min(1).describe('Path of a PEM file.'),
    })
    .optional()
    .describe('Certificate of the role gateway. The gateway reads changed files again. Only that role needs it.'),
  connections: z
    .strictObject({
      all: z.int().min(1).default(20_000).describe('All clients of one process.'),
      perAddress: z
        .int()
        .min(1)
        .default(4_000)
        .describe(
          'One client address; for IPv6 one /64 network. Raise it if a load balancer hides the addresses of clients.',
        ),
    })
    .prefault({})
    .describe('Limits of open connections to the role gateway. Each watch has one. The gateway refuses more.'),
});
