import type { Collection } from '@hawser/kube-bind';
import { describe, expect, it } from '@jest/globals';
import { request, template } from '../testing/objects.js';
import type { Bindable } from './access-review.js';
import { admit, type AdmitOptions } from './admit.js';
import type { Admission } from './admission.js';
import { describeExcess } from './coverage.js';

const secrets = { group: '', resource: 'secrets', selector: { labelSelector: { matchLabels: { app: 'db' } } } };
const all = { ...secrets, selector: { labelSelector: {} } };
const zones = { group: 'example.com', resource: 'zones', versions: ['v1'] };
const databases = { group: 'example.com', resource: 'databases', versions: ['v1'] };
const small = template('small');
const withSecrets = template('with-secrets', { permissionClaims: [secrets] });
const collection = (name: string, ...templates: readonly string[]): Collection => ({
  apiVersion: 'kube-bind.io/v1alpha2',
  kind: 'Collection',
  metadata: { name },
  spec: { templates: templates.map((one) => ({ name: one })) },
});

interface World extends Partial<Omit<AdmitOptions, 'mayBind' | 'offers'>> {
  readonly templates?: AdmitOptions['offers']['templates'];
  readonly collections?: readonly Collection[];
  /** `resource/name`. */
  readonly may?: readonly string[];
}

async function ask(
  spec: Parameters<typeof request>[0],
  {
    templates = [],
    collections = [],
    may = [],
    mode = 'Template',
    hasConsumer = true,
    approved = new Set(),
    granted = new Set(),
  }: World,
): Promise<{ readonly admission: Admission; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const mayBind = ({ resource, name }: Bindable): Promise<boolean> => {
    asked.push(`${resource}/${name}`);
    return Promise.resolve(may.includes(`${resource}/${name}`));
  };
  return {
    admission: await admit(request(spec), {
      mode,
      hasConsumer,
      approved,
      granted,
      offers: { templates, collections },
      mayBind,
    }),
    asked,
  };
}

describe('admit, under Template', () => {
  it('lets in what a template covers that the consumer may bind', async () => {
    expect(await ask({}, { templates: [small], may: ['apiserviceexporttemplates/small'] })).toEqual({
      admission: { kind: 'admitted', template: small },
      asked: ['apiserviceexporttemplates/small'],
    });
  });

  it('lets in what a person has bound for the consumer, as far as that template goes', async () => {
    const granted = new Set(['small']);
    expect(await ask({}, { templates: [small], granted })).toEqual({
      admission: { kind: 'admitted', template: small },
      asked: [],
    });
    expect((await ask({}, { templates: [withSecrets], granted })).admission.kind).toBe('forbidden');
    expect((await ask({}, { templates: [small], granted, hasConsumer: false })).admission.kind).toBe('noConsumer');
  });

  it('waits where the template wants an approval, until that consumer has it', async () => {
    const guarded = {
      ...small,
      metadata: { ...small.metadata, annotations: { 'hawser.dev/approval': 'required' } },
    };
    const world = { templates: [guarded], may: ['apiserviceexporttemplates/small'] };
    const approved = new Set(['other']);
    expect((await ask({}, { ...world, approved })).admission).toEqual({
      kind: 'unapproved',
      template: guarded,
      approved,
    });
    expect((await ask({}, { ...world, approved: new Set(['small']) })).admission).toEqual({
      kind: 'admitted',
      template: guarded,
    });
    // Who may not bind it is told that, and not to wait.
    expect((await ask({}, { templates: [guarded] })).admission.kind).toBe('forbidden');
    // Another one that covers the request needs none.
    const free = template('with-secrets');
    expect(
      (await ask({}, { templates: [guarded, free], may: [...world.may, 'apiserviceexporttemplates/with-secrets'] }))
        .admission,
    ).toEqual({ kind: 'admitted', template: free });
  });

  it('or bind through a collection', async () => {
    const world = {
      templates: [small],
      collections: [collection('others', 'with-secrets'), collection('mine', 'x', 'small')],
      may: ['collections/mine'],
    };
    expect(await ask({}, world)).toEqual({
      admission: { kind: 'admitted', template: small },
      asked: ['apiserviceexporttemplates/small', 'collections/mine'],
    });
  });

  it('of two templates for one resource takes the one that covers the request and may be bound', async () => {
    const world = { templates: [withSecrets, small], may: ['apiserviceexporttemplates/with-secrets'] };
    expect(await ask({}, world)).toMatchObject({ admission: { template: withSecrets } });
    expect(await ask({ permissionClaims: [secrets] }, world)).toEqual({
      admission: { kind: 'admitted', template: withSecrets },
      asked: ['apiserviceexporttemplates/with-secrets'],
    });
  });

  it('says who may not bind what', async () => {
    expect((await ask({}, { templates: [withSecrets, small] })).admission).toEqual({
      kind: 'forbidden',
      templates: ['small', 'with-secrets'],
      user: 'system:serviceaccount:kube-bind-acme:kube-binder',
    });
  });

  it('lets nobody in who is not a consumer, whatever is granted', async () => {
    expect(await ask({}, { templates: [small], hasConsumer: false, may: ['apiserviceexporttemplates/small'] })).toEqual(
      { admission: { kind: 'noConsumer' }, asked: [] },
    );
  });

  it('says that nothing is offered', async () => {
    expect(await ask({}, { templates: [template('zones', { resources: [zones] })] })).toEqual({
      admission: { kind: 'notOffered' },
      asked: [],
    });
    const going = { ...small, metadata: { ...small.metadata, deletionTimestamp: '2026-11-21T15:24:08Z' } };
    expect((await ask({}, { templates: [going], may: ['apiserviceexporttemplates/small'] })).admission).toEqual({
      kind: 'notOffered',
    });
  });

  const beyond: readonly [string, Parameters<typeof request>[0], Parameters<typeof template>[1], readonly string[]][] =
    [
      ['another resource', { resources: [databases, zones] }, {}, ['zones.example.com']],
      [
        'another version',
        { resources: [{ ...databases, versions: ['v1', 'v2'] }] },
        {},
        ['v2 of databases.example.com'],
      ],
      ['a claim', { permissionClaims: [secrets] }, {}, ['a claim on secrets.']],
      [
        'a wider claim',
        { permissionClaims: [all] },
        { permissionClaims: [secrets] },
        ['so many objects of the claim on secrets.'],
      ],
      ['schema changes that nobody looks at', { schemaUpdatePolicy: 'Always' }, {}, ['schemaUpdatePolicy Always']],
    ];
  it.each(beyond)('says what goes beyond every template: %s', async (_what, spec, offer, words) => {
    const { admission, asked } = await ask(spec, {
      templates: [template('small', offer)],
      may: ['apiserviceexporttemplates/small'],
    });
    expect(asked).toEqual([]);
    expect(
      admission.kind === 'exceeds' ? admission.coverages.map(({ excess }) => excess.map(describeExcess)) : admission,
    ).toEqual([words]);
  });

  it('does not add templates up', async () => {
    const world = {
      templates: [small, template('zones', { resources: [zones] })],
      may: ['apiserviceexporttemplates/small', 'apiserviceexporttemplates/zones'],
    };
    expect((await ask({ resources: [databases, zones] }, world)).admission).toMatchObject({
      kind: 'exceeds',
      coverages: [{ excess: [{ name: 'zones.example.com' }] }, { excess: [{ name: 'databases.example.com' }] }],
    });
  });

  it.each([
    ['less than is offered', { permissionClaims: [] }, { permissionClaims: [secrets], schemaUpdatePolicy: 'Always' }],
    [
      'all that is offered',
      { permissionClaims: [secrets], schemaUpdatePolicy: 'Always' },
      { permissionClaims: [all], schemaUpdatePolicy: 'Always' },
    ],
    ['versions that are left open', { resources: [{ group: 'example.com', resource: 'databases' }] }, {}],
    [
      'a version of a template that leaves it open',
      {},
      { resources: [{ group: 'example.com', resource: 'databases' }] },
    ],
  ] as const)('lets in %s', async (_what, spec, offer) => {
    expect(
      (await ask(spec, { templates: [template('small', offer)], may: ['apiserviceexporttemplates/small'] })).admission
        .kind,
    ).toBe('admitted');
  });
});

describe('admit, under Exported', () => {
  it('asks nobody, and knows the template all the same', async () => {
    expect(await ask({}, { mode: 'Exported', hasConsumer: false, templates: [withSecrets, small] })).toEqual({
      admission: { kind: 'admitted', template: small },
      asked: [],
    });
    expect(await ask({ permissionClaims: [all] }, { mode: 'Exported', templates: [withSecrets, small] })).toEqual({
      admission: { kind: 'admitted', template: undefined },
      asked: [],
    });
  });
});
