import type { FastifyInstance } from 'fastify';
import { whileAwaited } from './answer.js';
import { type Asked, wishIn } from './binder.js';
import { yamlOf } from './bundle.js';
import type { ClusterProofs } from './clusters/cluster-proofs.js';
import { BUNDLE_PATH, type BundlePart, type Bundles, CREDENTIAL_PATH } from './bundles.js';
import { type BindBody, bindSchema, bundleCode, claimIdText, clusterQuery, describe } from './schemas.js';
import type { SignedIn } from './signed-in.js';

interface BundleBody extends BindBody {
  readonly spec: BindBody['spec'] & { readonly acceptedClaims: readonly string[] };
}

/** A binding, and the provider's claims that the person accepts. */
const bundleSchema = {
  ...bindSchema,
  properties: {
    ...bindSchema.properties,
    spec: {
      ...bindSchema.properties.spec,
      required: [...bindSchema.properties.spec.required, 'acceptedClaims'],
      properties: {
        ...bindSchema.properties.spec.properties,
        acceptedClaims: {
          type: 'array',
          maxItems: 64,
          uniqueItems: true,
          items: claimIdText,
          description: 'Ids of the claims that you accept. An answer that refuses them lists those of the template.',
        },
      },
    },
  },
};

const codeSchema = {
  content: {
    'text/plain': { schema: bundleCode },
    'application/json': { schema: { type: 'object', required: ['code'], properties: { code: bundleCode } } },
  },
};

export interface BundleApiOptions {
  readonly bundles: Bundles;
  readonly signedIn: SignedIn;
  readonly proofs: ClusterProofs;
}

/** Registers the bundle API for programs: the same as the pages. */
export function registerBundleApi(app: FastifyInstance, { bundles, signedIn, proofs }: BundleApiOptions): void {
  app.post<{ Body: BundleBody }>(
    '/api/bundles',
    {
      schema: describe('Binds a template for a cluster, and gives a code for the bundle, once and for ten minutes.', {
        body: bundleSchema,
        querystring: clusterQuery,
      }),
    },
    async (request, reply) => {
      const { person } = await signedIn.session(request);
      const { body } = request;
      const asked: Asked = { requestId: request.id, signal: whileAwaited(reply) };
      const wish = wishIn(body, { proven: await proofs.identityOf(request) });
      return reply.code(201).send(await bundles.offer(person, wish, body.spec.acceptedClaims, asked));
    },
  );
  const exchange = (path: string, part: BundlePart, description: string): void => {
    app.post<{ Body: string | { readonly code: string } }>(
      path,
      { schema: describe(description, { body: codeSchema }) },
      async (request, reply) => {
        const { id, body } = request;
        const asked: Asked = { requestId: id, signal: whileAwaited(reply) };
        const code = typeof body === 'string' ? body : body.code;
        const proven = await proofs.identityOf(request);
        const { binding, objects } = await bundles.exchange(code, asked, { part, proven });
        return reply
          .type('application/yaml')
          .header('content-disposition', `attachment; filename="${binding}.yaml"`)
          .send(yamlOf(objects));
      },
    );
  };
  exchange(BUNDLE_PATH, 'whole', 'Exchanges a code for the bundle: YAML to apply in the cluster.');
  exchange(
    CREDENTIAL_PATH,
    'credential',
    'Exchanges a code for the credential of the bundle alone, where the rest is reviewed.',
  );
}
