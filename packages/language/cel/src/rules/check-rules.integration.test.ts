import { beforeAll, expect, it } from '@jest/globals';
import { describeWithControlPlane, sharedControlPlane, uniqueGroup } from '@hawser/testenv';
import { refusedSchemas } from '../testing/refused-rules.js';
import { RealServer, causesOf } from '../testing/real-server.js';
import { checkRules } from './check-rules.js';

describeWithControlPlane('a CRD, beside a real API server, is refused for', () => {
  let server: RealServer;

  beforeAll(async () => {
    server = new RealServer(await sharedControlPlane('consumer'), uniqueGroup());
  });

  it.each(refusedSchemas)('%s', async (_, schema) => {
    const { errors } = checkRules(schema, 'spec.validation.openAPIV3Schema');
    const real = (await server.refusals(schema)).filter(
      ({ message }) => !/ rule cost | messageExpression cost /.test(message),
    );
    expect(causesOf(errors)).toEqual(real);
  });
});
