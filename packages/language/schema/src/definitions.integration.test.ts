import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type JsonObject, equal, parse, stringify } from '@hawser/json';
import { describeWithControlPlane, eventually, sharedControlPlane, uniqueGroup } from '@hawser/testenv';
import fc from 'fast-check';
import { validateCustomResourceDefinition } from './crd/crd-validation.js';
import { type CustomResourceDefinition, hasCondition } from './crd/custom-resource-definition.js';
import type { FieldError } from './field-error.js';
import { type Answer, RealApiServer, definition, inTurns } from './testing/api-server.js';
import { type Difference, compareErrors } from './testing/compare.js';
import { DEFINITION_CASES, DEFINITION_UPDATE_CASES } from './testing/definition-cases.js';
import { faultySchemas } from './testing/faulty-schemas.js';

const SEED = 20_260_102;

const compare = (
  name: string,
  crd: JsonObject,
  errors: readonly FieldError[],
  theirs: Answer,
): Difference | undefined =>
  compareErrors(
    name,
    { group: 'apiextensions.k8s.io', kind: 'CustomResourceDefinition' },
    (crd['metadata'] as { name: string }).name,
    errors,
    theirs,
  );

describeWithControlPlane('definitions, judged by this package and by a real API server', () => {
  let server: RealApiServer;
  let group: string;
  let installed: string | undefined;

  beforeAll(async () => {
    server = new RealApiServer(await sharedControlPlane('provider'));
    group = uniqueGroup('definitions');
  });
  afterAll(async () => {
    if (installed !== undefined) await server.removeDefinition(installed);
  });

  it('agree about hand-written ones', async () => {
    expect(DEFINITION_CASES.length).toBeGreaterThan(150);
    const differences = await inTurns(DEFINITION_CASES, async ({ name, spec, metadata }) => {
      // As JSON has it: without what is undefined.
      const crd = parse(
        stringify({
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: metadata ?? { name: `${spec.names?.plural ?? ''}.${spec.group ?? ''}` },
          spec,
        }),
      ) as JsonObject;
      return compare(
        name,
        crd,
        validateCustomResourceDefinition(crd as unknown as CustomResourceDefinition),
        await server.tryDefinition(crd),
      );
    });
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
  }, 300_000);

  it('agree about generated schemas with faults in them', async () => {
    let refused = 0;
    const schemas = fc.sample(faultySchemas, { numRuns: 300, seed: SEED });
    const differences = await inTurns(schemas, async (schema, index) => {
      const crd = definition(group, 'Generated', { type: 'object', properties: { spec: schema } });
      const theirs = await server.tryDefinition(crd);
      if (theirs.status === 422) refused++;
      return compare(
        `${index}: ${stringify(schema)}`,
        crd,
        validateCustomResourceDefinition(crd as unknown as CustomResourceDefinition),
        theirs,
      );
    });
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
    expect(refused).toBeGreaterThan(50);
    expect(refused).toBeLessThan(250);
  }, 300_000);

  it('agree about what may change', async () => {
    const crd = definition(group, 'Changing', { type: 'object' });
    await server.install(crd);
    installed = `changings.${group}`;
    const old = (await eventually(async () => {
      const now = await server.readDefinition(`changings.${group}`);
      return hasCondition(now as unknown as CustomResourceDefinition, 'Established') ? now : undefined;
    })) as unknown as JsonObject & CustomResourceDefinition;
    const differences = await inTurns(DEFINITION_UPDATE_CASES, async ({ name, change, metadata }) => {
      const wanted = parse(
        stringify({ ...old, metadata: { ...(old.metadata ?? {}), ...metadata }, spec: change(old.spec) }),
      ) as JsonObject;
      const theirs = await server.tryDefinitionUpdate(wanted);
      // Some are refused before they are looked at.
      if (theirs.status === 409 || theirs.status === 400) return undefined;
      // The server looks at metadata twice on an update, and reports twice what is wrong with it.
      const once = theirs.causes.filter(
        (cause, index) => theirs.causes.findIndex((other) => equal(other, cause)) === index,
      );
      return compare(
        name,
        wanted,
        validateCustomResourceDefinition(wanted as unknown as CustomResourceDefinition, old),
        { ...theirs, causes: once },
      );
    });
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
  });
});
