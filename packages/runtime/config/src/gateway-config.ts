import * as z from 'zod';

/** `provider.gateway` */
export const gatewaySchema = z.strictObject({
  address: z
    .string()
    .regex(/:\d{1,5}$/u, 'must be host:port or :port')
    .default(':6443')
    .describe('`host:port` to listen on, of the role gateway.'),
  tls: z
    .strictObject({
      certFile: z.string().min(1).describe('Path of a PEM file.'),
      keyFile: z.string().min(1).describe('Path of a PEM file.'),
    })
    .optional()
    .describe(
      'What konnectors see, of the role gateway: files that are read again when they change. A process that is not of that role needs none.',
    ),
  connections: z
    .strictObject({
      all: z.int().min(1).default(20_000).describe('Of all clients of one process together.'),
      perAddress: z
        .int()
        .min(1)
        .default(4_000)
        .describe(
          'Of one client address; of IPv6 addresses those of a network of 64 bits count together. Raise it where a load balancer shows its own addresses instead of those of clients.',
        ),
    })
    .prefault({})
    .describe('How many connections may be open at a time, of the role gateway. Each watch has one. More are refused.'),
});
