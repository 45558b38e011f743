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
});
