import { resources as kcp } from '@hawser/kcp-api';
import { annotations } from '@hawser/syncagent-api';
import { type Check, expectThat } from '../../check.js';
import { typeOfSpecField } from '../../probe.js';
import { type AgentWorld } from '../agent-world.js';
import { wantedLabel } from '../publication.js';

/** Checks on the way from a CRD of the service cluster to an API in workspaces. */
export const publishingChecks: readonly Check<AgentWorld>[] = [
  {
    id: 'schema-published',
    part: 'agent',
    level: 'must',
    title: 'A PublishedResource gets an APIResourceSchema, named in its status, with the schema of the CRD',
    source: 'spec/api-syncagent.md §9.4, §9.5, §10.1',
    async run(world) {
      const { metadata, spec } = await world.publication.currentSchema();
      expectThat(
        metadata.name.endsWith(`.${world.publication.api.plural}.${world.publication.api.group}`),
        `APIResourceSchema ${metadata.name} does not end in the name of the resource`,
      );
      expectThat(
        metadata.annotations?.[annotations.agentName] !== undefined,
        `annotation ${annotations.agentName} is missing`,
      );
      const [version] = spec.versions;
      expectThat(
        typeOfSpecField([{ schema: { openAPIV3Schema: version?.schema } }], 'size') === 'integer',
        'the schema lacks spec.size',
      );
      expectThat(version?.subresources?.status !== undefined, 'the schema lacks the subresource status');
      return undefined;
    },
  },
  {
    id: 'export-lists-schema',
    part: 'agent',
    level: 'must',
    title: 'The APIExport lists the schema, and claims events, and namespaces and Secrets for the related ones',
    source: 'spec/api-syncagent.md §10.2',
    needs: ['schema-published'],
    async run(world) {
      const { metadata } = await world.publication.currentSchema();
      await world.until(`the export lists ${metadata.name}`, async () =>
        (await world.publication.exported(world.publication.api)) === metadata.name ? true : undefined,
      );
      await world.until('it claims events, namespaces and secrets', async () => {
        const claims = (await world.publication.export()).spec?.permissionClaims ?? [];
        return ['events', 'namespaces', 'secrets'].every((resource) =>
          claims.some((claim) => (claim.group ?? '') === '' && claim.resource === resource),
        )
          ? true
          : undefined;
      });
      return undefined;
    },
  },
  {
    id: 'projection',
    part: 'agent',
    level: 'must',
    title: 'A projection gives the API another group, kind, plural and version in kcp',
    source: 'spec/api-syncagent.md §9.3',
    needs: ['export-lists-schema'],
    async run(world) {
      await world.publication.installCrd(world.publication.filteredApi);
      const { group, kind, plural, version } = world.publication.projectedApi;
      await world.publication.publish(world.publication.filteredName, {
        resource: { apiGroup: world.publication.filteredApi.group, kind: world.publication.filteredApi.kind },
        projection: { group, kind, plural, versions: { v1: version } },
        filter: { resource: { matchLabels: wantedLabel } },
        naming: { name: '{{ .Object.metadata.name }}', namespace: `${world.name}-{{ .ClusterName }}` },
      });
      const { spec } = await world.publication.schemaOf(world.publication.filteredName);
      const seen = { group: spec.group, kind: spec.names.kind, plural: spec.names.plural };
      expectThat(
        JSON.stringify(seen) === JSON.stringify({ group, kind, plural }),
        `the schema has ${JSON.stringify(seen)}`,
      );
      expectThat(spec.versions.map(({ name }) => name).join() === version, 'the version has another name');
      await world.until(
        'the export lists it',
        async () => await world.publication.exported(world.publication.projectedApi),
      );
      return undefined;
    },
  },
  {
    id: 'old-schema-stays',
    part: 'agent',
    level: 'must',
    title: 'A changed CRD yields a new APIResourceSchema; the previous one is neither changed nor removed',
    source: 'spec/api-syncagent.md §10.1 (TestARSAreNotUpdated)',
    needs: ['export-lists-schema'],
    async run(world) {
      const { metadata: before } = await world.publication.currentSchema();
      const after = await world.publication.alterSchema();
      expectThat(after.metadata.name !== before.name, 'the new schema has the name of the one before');
      const old = await world.read(world.kcp, kcp.apiResourceSchemas, { name: before.name });
      expectThat(
        old?.metadata.resourceVersion === before.resourceVersion,
        `APIResourceSchema ${before.name} is not as it was`,
      );
      return undefined;
    },
  },
  {
    id: 'claims-of-the-owner-stay',
    part: 'agent',
    level: 'must',
    title: 'A claim of another client in the export stays while schemas come and go',
    source: 'spec/api-syncagent.md §10.2 (TestExistingPermissionsClaimsAreKept, TestSchemasAreMerged)',
    needs: ['old-schema-stays'],
    async run(world) {
      await world.publication.claimAll('resourcequotas');
      await world.publication.alterSchema();
      const claim = await world.publication.claim('resourcequotas');
      expectThat(claim !== undefined, 'the claim is gone');
      expectThat(claim.verbs.join() === '*', `its verbs are ${claim.verbs.join(', ')} now`);
      return undefined;
    },
  },
  {
    id: 'narrow-claims-stay',
    part: 'agent',
    level: 'should',
    title: 'A claim on some verbs, which v1alpha1 cannot express, stays as it is and disturbs nothing',
    source: 'spec/api-syncagent.md §3.1, §17, RE-12',
    needs: ['old-schema-stays'],
    async run(world) {
      await world.publication.claimVerbs('configmaps', ['get']);
      try {
        await world.publication.alterSchema();
        const claim = await world.publication.claim('configmaps');
        expectThat(claim?.verbs.join() === 'get', `its verbs are ${claim?.verbs.join(', ') ?? 'gone'} now`);
      } finally {
        await world.publication.claimVerbs('configmaps', []);
      }
      return undefined;
    },
  },
  {
    id: 'broken-publication-is-apart',
    part: 'agent',
    level: 'should',
    title: 'A PublishedResource of a missing API blocks no other from being published',
    source: 'one mistake must not stop everybody (spec/api-syncagent.md §17, RE-14)',
    needs: ['old-schema-stays'],
    async run(world) {
      const broken = `${world.name}-broken`;
      await world.publication.publish(broken, { resource: { apiGroup: world.publication.api.group, kind: 'Absent' } });
      try {
        await world.publication.alterSchema();
      } finally {
        await world.publication.withdraw(broken);
      }
      return undefined;
    },
  },
];
