import type { FastifyInstance } from 'fastify';
import { Refusal, whileAwaited } from '../answer.js';
import { bundleCode, describe, objectName, text } from '../schemas.js';
import type { SignedIn } from '../signed-in.js';
import type { OneClick } from './one-click.js';

/** Body of the contract (spec/kube-bind-backend.md §13.5), with the code of the bundle. */
interface ApplyBody {
  readonly consumerKubeconfig: string;
  readonly bindingName: string;
  readonly code?: string;
  readonly hostAliases?: readonly string[];
}

const applySchema = {
  type: 'object',
  required: ['consumerKubeconfig', 'bindingName'],
  properties: {
    // Base64 of 256 KiB.
    consumerKubeconfig: text(349_528),
    bindingName: objectName,
    code: { ...bundleCode, description: 'Of POST /api/bundles, which says what is agreed to.' },
    hostAliases: { type: 'array', maxItems: 0, description: 'Not taken: no konnector is installed.' },
  },
};

/** `POST /api/apply-binding`: applies a bundle with a person's kubeconfig. */
export function registerApplyApi(
  app: FastifyInstance,
  { oneClick, signedIn }: { readonly oneClick: Pick<OneClick, 'apply'>; readonly signedIn: SignedIn },
): void {
  app.post<{ Body: ApplyBody }>(
    '/api/apply-binding',
    {
      schema: describe('Applies a bundle in your cluster by a kubeconfig of yours, which is used once.', {
        body: applySchema,
      }),
    },
    async (request, reply) => {
      const { person } = await signedIn.session(request);
      const { consumerKubeconfig, bindingName: binding, code } = request.body;
      if (code === undefined)
        throw new Refusal(
          400,
          'BAD_REQUEST',
          'code is missing. Ask for one at POST /api/bundles, with the claims that you accept.',
        );
      const kubeconfig = Buffer.from(consumerKubeconfig, 'base64').toString();
      const asked = { requestId: request.id, signal: whileAwaited(reply) };
      await oneClick.apply(person, { kubeconfig, code, binding }, asked);
      return {
        konnectorDeployed: false,
        bundleCreated: true,
        message: `${binding} is applied in your cluster. The konnector goes on from there.`,
      };
    },
  );
}
