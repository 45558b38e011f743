import {
  type APIServiceExport,
  type APIServiceNamespace,
  type ClusterBinding,
  type Secret,
  fixedNames,
  getCondition,
  resources,
} from '@hawser/kube-bind';
import { type Check, expectThat } from '../../check.js';
import { typeOfSpecField } from '../../probe.js';
import { type World } from '../world.js';
import { request, claims, readRequest, boundSchema, serviceNamespace, askForNamespace } from './backend-requests.js';
import { keepsObject, refused, areApart, withoutNeighbour, namespaceGoes } from './neighbour.js';

const part = 'backend';
const backend = 'real';

/** Checks a backend's work for a consumer, with the credential that it hands out. */
export const backendChecks: readonly Check<World>[] = [
  {
    id: 'onboarding',
    part,
    backend,
    level: 'must',
    title: 'An onboarded consumer has a ClusterBinding and a Secret with its kubeconfig, and may read both',
    source: 'spec/kube-bind-backend.md §6',
    async run(world) {
      const namespace = world.clusterNamespace;
      const { spec } = await world.asConsumer.get<ClusterBinding>(resources.clusterBindings, {
        namespace,
        name: fixedNames.clusterBinding,
      });
      const { name, key } = spec.kubeconfigSecretRef;
      const { items } = await world.asConsumer.list<Secret>(resources.secrets, { namespace });
      const stored = items.find(({ metadata }) => metadata.name === name)?.data?.[key];
      expectThat(stored !== undefined, `Secret ${name} has no key ${key}`);
      world.openKubeconfig('the provider once more', Buffer.from(stored, 'base64').toString());
      return undefined;
    },
  },
  {
    id: 'request-becomes-export',
    part,
    backend,
    level: 'must',
    title: 'A request of the consumer succeeds, and yields an export of the same name with its claims',
    source: 'spec/kube-bind-backend.md §10.3',
    needs: ['onboarding'],
    async run(world) {
      await request(world, world.name, [world.api.plural], claims);
      await world.until('the request has succeeded', async () => {
        const { status } = await readRequest(world, world.name);
        expectThat(status?.phase !== 'Failed', `it has failed: ${status?.terminalMessage ?? ''}`);
        return status?.phase === 'Succeeded' ? true : undefined;
      });
      const exported = await world.until('there is an export', () =>
        world.asConsumer.get<APIServiceExport>(resources.apiServiceExports, {
          namespace: world.clusterNamespace,
          name: world.name,
        }),
      );
      const [first] = exported.spec.resources;
      expectThat(
        first?.resource === world.api.plural && first.group === world.api.group,
        `it exports ${JSON.stringify(exported.spec.resources)}`,
      );
      expectThat(
        exported.spec.permissionClaims?.some(({ resource }) => resource === 'secrets') === true,
        'it has not the claims of the request',
      );
      return undefined;
    },
  },
  {
    id: 'bound-schema',
    part,
    backend,
    level: 'must',
    title: 'The export controls a BoundSchema with the schema of the CRD',
    source: 'spec/kube-bind-backend.md §8',
    needs: ['request-becomes-export'],
    async run(world) {
      const schema = await world.until('there is a BoundSchema', () => boundSchema(world));
      expectThat(typeOfSpecField(schema.spec?.versions, 'token') === 'string', 'its schema is not that of the CRD');
      const owner = schema.metadata.ownerReferences?.find(({ controller }) => controller === true);
      expectThat(
        owner?.kind === 'APIServiceExport' && owner.name === world.name,
        `its controller is ${owner === undefined ? 'missing' : `${owner.kind} ${owner.name}`}`,
      );
      return undefined;
    },
  },
  {
    id: 'service-namespace',
    part,
    backend,
    level: 'must',
    title: 'A namespace of the consumer gets one on the provider',
    source: 'spec/kube-bind-backend.md §10.6',
    needs: ['request-becomes-export'],
    async run(world) {
      const namespace = await serviceNamespace(world, world.asConsumer, world.clusterNamespace, world.served);
      expectThat(
        (await world.read(world.provider, resources.namespaces, { name: namespace })) !== undefined,
        `namespace ${namespace} does not exist`,
      );
      return undefined;
    },
  },
  {
    id: 'rights-are-enough',
    part,
    backend,
    level: 'must',
    title: 'The credential suffices for objects and claimed Secrets in the namespace of the consumer',
    source: 'spec/kube-bind-backend.md §9.4',
    needs: ['service-namespace'],
    async run(world) {
      const namespace = await serviceNamespace(world, world.asConsumer, world.clusterNamespace, world.served);
      const secret = { metadata: { name: 'claimed', namespace }, data: {} };
      await world.until('it may make, read and delete an object', async () => {
        await keepsObject(world, world.asConsumer, namespace);
        return true;
      });
      await world.until('it may make and delete a Secret', async () => {
        await world.apply(world.asConsumer, resources.secrets, secret, 'v1', 'Secret');
        await world.asConsumer.delete(resources.secrets, { namespace, name: 'claimed' });
        return true;
      });
      return undefined;
    },
  },
  {
    id: 'rights-are-no-more',
    part,
    backend,
    level: 'should',
    title: 'The credential reads no Secrets of others and changes no rights',
    source: 'least privilege (spec/kube-bind-backend.md §19.1)',
    needs: ['rights-are-enough'],
    async run(world) {
      const { asConsumer } = world;
      await refused(() => asConsumer.list(resources.secrets), 'it may list the Secrets of all namespaces');
      await refused(
        () => asConsumer.list(resources.secrets, { namespace: 'kube-system' }),
        'it may list the Secrets of kube-system',
      );
      const { clusterNamespace: namespace } = world;
      await refused(
        () =>
          world.apply(
            asConsumer,
            resources.roleBindings,
            {
              metadata: { name: 'conformance', namespace },
              roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
              subjects: [{ kind: 'ServiceAccount', name: fixedNames.binder, namespace }],
            },
            'rbac.authorization.k8s.io/v1',
            'RoleBinding',
          ),
        'it may give itself rights',
      );
      await refused(
        () =>
          asConsumer.delete(
            resources.clusterBindings,
            { namespace, name: fixedNames.clusterBinding },
            { dryRun: true },
          ),
        'it may delete its ClusterBinding',
      );
      return undefined;
    },
  },
  {
    id: 'neighbours-are-apart',
    part,
    backend,
    level: 'should',
    title: 'A consumer neither reads nor writes objects and Secrets of another',
    source: 'tenant isolation (spec/kube-bind-backend.md §10.5, §19.1)',
    needs: ['rights-are-enough'],
    async run(world) {
      const another = await world.onboardAnother();
      try {
        await areApart(world, another);
      } finally {
        await withoutNeighbour(world, another);
      }
      return undefined;
    },
  },
  {
    id: 'changed-crd-reaches-the-schema',
    part,
    backend,
    level: 'must',
    title: 'A widened CRD reaches the BoundSchema of a consumer that follows changes',
    source: 'spec/kube-bind-backend.md §8.5',
    needs: ['bound-schema'],
    async run(world) {
      await world.installProbes('wider');
      await world.until('the BoundSchema has the new field', async () =>
        typeOfSpecField((await boundSchema(world)).spec?.versions, 'further') === 'string' ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'unknown-api-is-refused',
    part,
    backend,
    level: 'should',
    title: 'A request for an API that is not exported reports that',
    source: 'spec/kube-bind-backend.md §10.3: such a request stays Pending without a word',
    needs: ['onboarding'],
    async run(world) {
      const name = `${world.name}-unknown`;
      await request(world, name, ['unknowns'], []);
      await world.until('it says why', async () => {
        const { status } = await readRequest(world, name);
        expectThat(status?.phase !== 'Succeeded', 'it has succeeded');
        const isReported =
          (status?.terminalMessage ?? '') !== '' ||
          getCondition(status?.conditions, 'ExportsReady')?.status === 'False';
        return isReported ? true : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'claim-on-anything-is-refused',
    part,
    backend,
    level: 'must',
    title: 'A request with a forbidden claim fails, with the reason',
    source: 'spec/kube-bind-backend.md §10.3',
    needs: ['onboarding'],
    async run(world) {
      const name = `${world.name}-claims-pods`;
      await request(world, name, [world.api.plural], [{ group: '', resource: 'pods', selector: {} }]);
      await world.until('it has failed and says why', async () => {
        const { status } = await readRequest(world, name);
        return status?.phase === 'Failed' && (status.terminalMessage ?? '') !== '' ? true : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'request-can-be-repeated',
    part,
    backend,
    level: 'should',
    title: 'The same request succeeds again after its cleanup',
    source: 'spec/kube-bind-backend.md §10.3: it stays Pending for ever',
    needs: ['request-becomes-export'],
    async run(world) {
      const key = { namespace: world.clusterNamespace, name: world.name };
      await world.asConsumer.delete(resources.apiServiceExportRequests, key);
      await world.gone(world.provider, resources.apiServiceExportRequests, key);
      await request(world, world.name, [world.api.plural], claims);
      await world.until('it has succeeded again', async () =>
        (await readRequest(world, world.name)).status?.phase === 'Succeeded' ? true : undefined,
      );
      return undefined;
    },
  },
  {
    id: 'given-up-namespace-keeps-its-objects',
    part,
    backend,
    level: 'should',
    title: 'A namespace that the consumer returns is not deleted while it holds objects of the provider',
    source: 'spec/kube-bind-backend.md §10.6: it is deleted with all that is in it',
    needs: ['service-namespace'],
    async run(world) {
      const namespace = await serviceNamespace(world, world.asConsumer, world.clusterNamespace, world.givenUp);
      await world.apply(
        world.provider,
        resources.configMaps,
        { metadata: { namespace, name: 'kept' } },
        'v1',
        'ConfigMap',
      );
      await world.asConsumer.delete(resources.apiServiceNamespaces, {
        namespace: world.clusterNamespace,
        name: world.givenUp,
      });
      await world.never(3_000, () => namespaceGoes(world, namespace));
      return undefined;
    },
  },
  {
    id: 'foreign-namespace-is-kept',
    part,
    backend,
    level: 'should',
    title: 'A namespace of the provider with the name of a service namespace is neither used nor deleted',
    source: 'spec/kube-bind-backend.md §10.6: "adopted without looking at its annotation"',
    needs: ['service-namespace'],
    async run(world) {
      const { clusterNamespace } = world;
      const name = `${clusterNamespace}-${world.taken}`;
      await world.apply(world.provider, resources.namespaces, { metadata: { name } }, 'v1', 'Namespace');
      const asked = await askForNamespace(world, world.asConsumer, clusterNamespace, world.taken);
      await world.never(3_000, async () => {
        const { status } = await world.provider.get<APIServiceNamespace>(resources.apiServiceNamespaces, asked);
        return status?.namespace === name ? 'it was assigned to the consumer' : undefined;
      });
      await world.asConsumer.delete(resources.apiServiceNamespaces, asked);
      await world.never(3_000, () => namespaceGoes(world, name));
      return undefined;
    },
  },
];
