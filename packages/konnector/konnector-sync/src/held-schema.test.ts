import { afterEach, expect, it } from '@jest/globals';

import { type EmbeddedPair, openEmbeddedPair } from './testing/embedded-pair.js';

let pair: EmbeddedPair;

afterEach(() => pair.close());

const change = 'databases.example.com: spec.tier is required now. The consumer keeps the schema that it has.';
const refuse = (message: string): void => {
  pair.admission = (_, side) => (side === 'provider' ? { refused: 422, message } : undefined);
};
const refused = 'Database.example.com "one" is invalid: spec.tier: Required value';

it.each([
  { by: 'provider', actor: 'provider', remedy: /provider must let the change through, or take it back/u },
  { by: 'binding', actor: 'operator', remedy: /operator must approve the change on the APIServiceBinding/u },
] as const)(
  'tells the $actor, not the consumer, of objects that a change refuses which the $by holds',
  async ({ by, actor, remedy }) => {
    pair = await openEmbeddedPair();
    pair.heldSchema = { by, reason: 'BreakingSchemaChange', message: change };
    refuse(refused);
    await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
    await pair.pass(5_000);
    const [problem] = pair.sync.problems();
    expect(problem).toMatchObject({ reason: 'SchemaChangeHeld', actor, message: expect.stringContaining(refused) });
    expect(problem?.message).toMatch(remedy);
    expect(problem?.message).toContain(`BreakingSchemaChange): ${change}`);
    expect(problem?.message).not.toContain('Change the object');
    expect(pair.events).toMatchObject([{ type: 'Warning', reason: 'SchemaChangeHeld' }]);
    // Once it is let through and the object looked at, it is the consumer's again.
    pair.heldSchema = undefined;
    pair.sync.recheck();
    await pair.pass(1_000);
    expect(pair.sync.problems()).toMatchObject([{ reason: 'RejectedByProvider', actor: 'consumer' }]);
  },
  30_000,
);

it('leaves to the consumer what a webhook of the provider refuses while a change is held', async () => {
  pair = await openEmbeddedPair();
  pair.heldSchema = { by: 'provider', reason: 'BreakingSchemaChange', message: change };
  refuse('admission webhook "size.example.com" denied the request: large ones are sold out');
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'large' }));
  await pair.pass(5_000);
  expect(pair.sync.problems()).toMatchObject([{ reason: 'RejectedByProvider', actor: 'consumer' }]);
}, 30_000);

it('quotes a long change in part, after what is to be done', async () => {
  pair = await openEmbeddedPair();
  pair.heldSchema = { by: 'provider', reason: 'BreakingSchemaChange', message: 'x'.repeat(5_000) };
  refuse(refused);
  await pair.clients.consumer.create(pair.resource, pair.object('one', { size: 'small' }));
  await pair.pass(5_000);
  expect(pair.sync.problems()[0]?.message).toMatch(/take it back\..*x…$/u);
  expect(pair.sync.problems()[0]?.message.length).toBeLessThan(1_000);
}, 30_000);
